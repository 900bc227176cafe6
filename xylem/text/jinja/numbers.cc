#include "xylem/text/jinja/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"

namespace xylem::text::jinja {
namespace {

// Digits with single underscores between them, without the underscores; nothing when malformed.
std::optional<std::string> join_digit_groups(std::string_view text) {
  std::string digits;
  bool after_digit = false;
  for (char c : text) {
    if (c == '_') {
      if (!after_digit) return std::nullopt;
      after_digit = false;
    } else {
      digits += c;
      after_digit = true;
    }
  }
  if (!after_digit) return std::nullopt;
  return digits;
}

int digit_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'z') return c - 'a' + 10;
  if (c >= 'A' && c <= 'Z') return c - 'A' + 10;
  return 99;
}

// Removes a prefix such as 0x that fits the base; returns the base to use.
int take_base_prefix(std::string_view& text, int base) {
  if (text.size() < 2 || text[0] != '0') return base == 0 ? 10 : base;
  const char mark = static_cast<char>(text[1] | 0x20);
  const int prefixed = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 0;
  if (prefixed == 0 || (base != 0 && base != prefixed)) return base == 0 ? 10 : base;
  text.remove_prefix(2);
  if (!text.empty() && text[0] == '_') text.remove_prefix(1);
  return prefixed;
}

std::string_view strip_ascii_sign(std::string_view text, bool& negative) {
  negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return text;
}

}  // namespace

std::string int_text(Int value) { return fmt::format("{}", value); }

std::string float_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                 std::chars_format::scientific)
                       .ptr;
  const std::string_view scientific(buffer.data(), static_cast<size_t>(end - buffer.data()));
  const size_t e = scientific.find('e');
  const int exponent = std::atoi(scientific.data() + e + 1);
  std::string digits;
  for (char c : scientific.substr(0, e)) {
    if (c >= '0' && c <= '9') digits += c;
  }
  std::string out = std::signbit(value) ? "-" : "";
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (digits.size() > 1) out += "." + digits.substr(1);
    return out + fmt::format("e{}{:02}", exponent < 0 ? '-' : '+', std::abs(exponent));
  }
  if (exponent < 0)
    return out + "0." + std::string(static_cast<size_t>(-exponent - 1), '0') + digits;
  const size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) return out + digits + std::string(whole - digits.size(), '0') + ".0";
  return out + digits.substr(0, whole) + "." + digits.substr(whole);
}

std::optional<Int> parse_int(std::string_view text, int base) {
  bool negative = false;
  text = strip_ascii_sign(strip_right(strip_left(text)), negative);
  base = take_base_prefix(text, base);
  const auto digits = join_digit_groups(text);
  if (!digits) return std::nullopt;
  Int value = 0;
  for (char c : *digits) {
    const int digit = digit_value(c);
    if (digit >= base) return std::nullopt;
    if (__builtin_mul_overflow(value, static_cast<Int>(base), &value) ||
        __builtin_add_overflow(value, static_cast<Int>(digit), &value)) {
      fail(ErrorCode::kInvalidArgument, "an integer has {} digits, more than 128 bits hold",
           digits->size());
    }
  }
  return negative ? -value : value;
}

std::optional<double> parse_float(std::string_view text) {
  bool negative = false;
  text = strip_ascii_sign(strip_right(strip_left(text)), negative);
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += static_cast<char>(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]);
      continue;
    }
    const bool between = i > 0 && i + 1 < text.size() && std::isdigit(text[i - 1]) != 0 &&
                         std::isdigit(text[i + 1]) != 0;
    if (!between) return std::nullopt;
  }
  double value = 0;
  if (digits == "inf" || digits == "infinity") {
    value = HUGE_VAL;
  } else if (digits == "nan") {
    value = std::nan("");
  } else {
    if (digits.empty() || digits.find_first_not_of("0123456789.e+-") != std::string::npos) {
      return std::nullopt;
    }
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (end != digits.data() + digits.size() || digits[0] == '-' || digits[0] == '+') {
      return std::nullopt;
    }
    // from_chars leaves the value alone when out of range: strtod gives zero or infinity.
    if (error == std::errc::result_out_of_range) value = std::strtod(digits.c_str(), nullptr);
  }
  return negative ? -value : value;
}

Int truncate_float(double value) {
  if (!(std::fabs(value) < 0x1p126)) {
    fail(ErrorCode::kInvalidArgument, "cannot convert float {} to an integer", float_text(value));
  }
  return static_cast<Int>(value);
}

double round_float(double value, Int digits) {
  if (!std::isfinite(value) || digits > 323) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits < 0) {
    const double unit = std::pow(10.0, static_cast<double>(-digits));
    return std::nearbyint(value / unit) * unit;
  }
  const int places = static_cast<int>(digits);
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, "%.*f", places, value)), '\0');
  std::snprintf(text.data(), text.size() + 1, "%.*f", places, value);
  return std::strtod(text.c_str(), nullptr);
}

}  // namespace xylem::text::jinja
