// Numbers and fields as both ways of formatting lay them out.
#include "xylem/text/jinja/format.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/numbers.h"

namespace xylem::text::jinja {
namespace {

std::string sign_text(bool negative, char sign) {
  if (negative) return "-";
  return sign == '-' ? "" : std::string(1, sign);
}

std::string digits_in_base(unsigned __int128 value, unsigned base, bool upper) {
  const char* digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
  std::string out;
  do {
    out += digits[static_cast<unsigned>(value % base)];
    value /= base;
  } while (value != 0);
  std::reverse(out.begin(), out.end());
  return out;
}

// Puts a separator between groups of digits of the leading whole number.
std::string grouped(std::string text, char separator, size_t group) {
  if (separator == 0) return text;
  const size_t whole = std::min(text.find_first_not_of("0123456789abcdefABCDEF"), text.size());
  for (size_t i = whole; i > group;) {
    i -= group;
    text.insert(i, 1, separator);
  }
  return text;
}

std::string print_double(double value, char type, int precision, bool alternate) {
  const std::string format = fmt::format("%{}.*{}", alternate ? "#" : "", type);
  std::string text(static_cast<size_t>(std::snprintf(nullptr, 0, format.c_str(), precision, value)),
                   '\0');
  std::snprintf(text.data(), text.size() + 1, format.c_str(), precision, value);
  return text;
}

std::string finite_digits(double magnitude, const FieldSpec& spec) {
  const int precision = spec.precision < 0 ? 6 : spec.precision;
  switch (spec.type) {
    case 0:
      if (spec.precision < 0) return float_text(magnitude);
      {
        std::string text = print_double(magnitude, 'g', std::max(precision, 1), spec.alternate);
        const bool whole = text.find_first_of(".e") == std::string::npos;
        return whole ? text + ".0" : text;
      }
    case '%':
      return print_double(magnitude * 100, 'f', precision, spec.alternate) + "%";
    case 'n':
      return print_double(magnitude, 'g', precision, spec.alternate);
    default:
      return print_double(magnitude, spec.type, precision, spec.alternate);
  }
}

}  // namespace

std::string format_int(Int value, const FieldSpec& spec) {
  const bool negative = value < 0;
  const auto magnitude =
      negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
  std::string prefix;
  unsigned base = 10;
  if (spec.type == 'x' || spec.type == 'X') base = 16;
  if (spec.type == 'o') base = 8;
  if (spec.type == 'b') base = 2;
  if (spec.alternate && base != 10) prefix = {'0', spec.type};
  return sign_text(negative, spec.sign) + prefix +
         grouped(digits_in_base(magnitude, base, spec.type == 'X'), spec.grouping,
                 base == 10 ? 3 : 4);
}

std::string format_float(double value, const FieldSpec& spec) {
  std::string text;
  if (std::isfinite(value)) {
    text = grouped(finite_digits(std::fabs(value), spec), spec.grouping, 3);
  } else {
    text = std::isnan(value) ? "nan" : "inf";
    if (spec.type == 'E' || spec.type == 'F' || spec.type == 'G') text = upper_case(text);
    if (spec.type == '%') text += '%';
  }
  return sign_text(std::signbit(value) && !std::isnan(value), spec.sign) + text;
}

void write_padded(std::string_view text, size_t sign_size, char default_align,
                  const FieldSpec& spec, TextBuilder& out) {
  const size_t length = count_code_points(text);
  const size_t missing = spec.width > length ? spec.width - length : 0;
  const char align = spec.align != 0 ? spec.align : default_align;
  const size_t left = align == '>' || align == '=' ? missing : align == '^' ? missing / 2 : 0;
  const auto pad = [&](size_t count) {
    if (spec.fill.size() == 1) {
      out.append(count, spec.fill[0]);
    } else {
      for (size_t i = 0; i < count; ++i) out.append(spec.fill);
    }
  };
  const size_t before = align == '=' ? sign_size : 0;
  out.append(text.substr(0, before));
  pad(left);
  out.append(text.substr(before));
  pad(missing - left);
}

}  // namespace xylem::text::jinja
