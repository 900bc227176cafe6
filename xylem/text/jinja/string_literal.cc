#include "xylem/text/jinja/string_literal.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

// The code point of so many hexadecimal digits at the start; nothing when malformed.
std::optional<uint32_t> read_hex(std::string_view text, size_t digits) {
  if (text.size() < digits) return std::nullopt;
  uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + digits, value, 16);
  if (error != std::errc() || end != text.data() + digits) return std::nullopt;
  const bool surrogate = value >= 0xD800 && value < 0xE000;
  if (value > 0x10FFFF || surrogate) return std::nullopt;
  return value;
}

size_t octal_size(std::string_view text) {
  size_t size = 0;
  while (size < std::min<size_t>(3, text.size()) && text[size] >= '0' && text[size] <= '7') ++size;
  return size;
}

}  // namespace

std::optional<std::string> unescape_string(std::string_view body, std::string& error) {
  constexpr std::string_view kLetters = "\\'\"abfnrtv";
  constexpr std::string_view kValues = "\\'\"\a\b\f\n\r\t\v";
  std::string out;
  out.reserve(body.size());
  while (!body.empty()) {
    const size_t slash = std::min(body.find('\\'), body.size());
    out += body.substr(0, slash);
    body.remove_prefix(slash);
    if (body.size() < 2) break;
    const char letter = body[1];
    body.remove_prefix(2);
    if (const size_t known = kLetters.find(letter); known != std::string_view::npos) {
      out += kValues[known];
    } else if (letter == 'x' || letter == 'u' || letter == 'U') {
      const size_t digits = letter == 'x' ? 2 : letter == 'u' ? 4 : 8;
      const auto code_point = read_hex(body, digits);
      if (!code_point) {
        error = fmt::format(
            "a string has a wrong escape, expected a character's {} hexadecimal "
            "digits after \\{}",
            digits, letter);
        return std::nullopt;
      }
      append_utf8(*code_point, out);
      body.remove_prefix(digits);
    } else if (letter >= '0' && letter <= '7') {
      body = std::string_view(body.data() - 1, body.size() + 1);
      const size_t size = octal_size(body);
      uint32_t value = 0;
      std::from_chars(body.data(), body.data() + size, value, 8);
      append_utf8(value, out);
      body.remove_prefix(size);
    } else if (letter == 'N') {
      error = "a string names a character with \\N, expected \\u and its number";
      return std::nullopt;
    } else if (letter != '\n') {
      out += '\\';
      out += letter;
    }
  }
  return out;
}

}  // namespace xylem::text::jinja
