#include "xylem/text/jinja/html_entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

constexpr std::array<std::pair<std::string_view, uint32_t>, 6> kNamed = {
    {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}, {"nbsp", 0xA0}}};

// The character of a reference without & and ;, or 0.
uint32_t referenced(std::string_view name) {
  for (const auto& [known, character] : kNamed) {
    if (known == name) return character;
  }
  if (name.size() < 2 || name[0] != '#') return 0;
  const bool hex = name[1] == 'x' || name[1] == 'X';
  const std::string_view digits = name.substr(hex ? 2 : 1);
  uint32_t value = 0;
  const auto [end, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, hex ? 16 : 10);
  const bool whole = error == std::errc() && end == digits.data() + digits.size();
  return whole && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF) ? value : 0;
}

}  // namespace

std::string unescape_html(std::string_view text) {
  constexpr size_t kLongest = 12;
  std::string out;
  while (!text.empty()) {
    const size_t start = std::min(text.find('&'), text.size());
    out += text.substr(0, start);
    text.remove_prefix(start);
    const size_t end = text.substr(0, kLongest).find(';');
    const uint32_t character =
        end == std::string_view::npos ? 0 : referenced(text.substr(1, end - 1));
    if (character != 0) {
      append_utf8(character, out);
      text.remove_prefix(end + 1);
    } else if (!text.empty()) {
      out += text[0];
      text.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace xylem::text::jinja
