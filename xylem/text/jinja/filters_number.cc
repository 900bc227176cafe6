// Filters on numbers.
#include <array>
#include <cmath>

#include "xylem/base/error.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

Value filter_abs(Runtime& rt, Args& args) { return absolute(rt, args[0]); }

std::optional<double> to_double(const Value& value) {
  if (const auto* undefined = value.as<Undefined>()) undefined->fail_use();
  if (value.is_string()) return parse_float(value.text());
  if (value.is_number()) return value.as_double();
  return std::nullopt;
}

Value filter_float(Runtime&, Args& args) {
  if (const auto number = to_double(args[0])) return *number;
  return args.given(1) ? args[1] : Value(0.0);
}

Value filter_int(Runtime&, Args& args) {
  const Value fallback = args.given(1) ? args[1] : Value(0);
  if (args[0].is_string()) {
    const Int base = args.integer(2, 10);
    if (base == 0 || (base >= 2 && base <= 36)) {
      if (const auto number = parse_int(args.text(0), static_cast<int>(base))) return *number;
    }
  }
  if (args[0].is_integral()) return args[0].as_int();
  const auto number = to_double(args[0]);  // "42.9" is 42
  if (!number || !std::isfinite(*number)) return fallback;
  return truncate_float(*number);
}

Value filter_round(Runtime&, Args& args) {
  const Value& value = args[0];
  if (!value.is_number()) args.fail_type(0, "a number");
  const Int precision = args.integer(1, 0);
  const std::string_view method = args.text(2, "common");
  if (method == "common") {
    if (value.is_float()) return round_float(value.as_double(), precision);
    if (precision >= 0) return value.as_int();
    return static_cast<Int>(round_float(value.as_double(), precision));
  }
  if (method != "ceil" && method != "floor") {
    fail(ErrorCode::kInvalidArgument, "round: method is '{}', expected common, ceil or floor",
         method);
  }
  const double unit = std::pow(10.0, static_cast<double>(precision));
  const double scaled = value.as_double() * unit;
  // Python's ceil and floor are integers, which have no negative zero.
  return ((method == "ceil" ? std::ceil(scaled) : std::floor(scaled)) + 0.0) / unit;
}

Value filter_filesizeformat(Runtime& rt, Args& args) {
  const auto number = to_double(args[0]);
  if (!number) args.fail_type(0, "a number");
  const bool binary = args.truth(1, false);
  const double base = binary ? 1024 : 1000;
  if (*number == 1) return rt.string("1 Byte");
  if (*number < base) return rt.string(int_text(truncate_float(*number)) + " Bytes");
  constexpr std::string_view kPrefixes = "kMGTPEZY";
  double unit = base;
  size_t prefix = 0;
  while (prefix + 1 < kPrefixes.size() && *number >= unit * base) {
    unit *= base;
    ++prefix;
  }
  const char letter = binary && prefix == 0 ? 'K' : kPrefixes[prefix];
  return rt.string(fmt::format("{:.1f} {}{}", *number / unit, letter, binary ? "iB" : "B"));
}

constexpr FunctionSpec kFilters[] = {
    {"abs", "x", filter_abs},
    {"filesizeformat", "value binary?", filter_filesizeformat},
    {"float", "value default?", filter_float},
    {"int", "value default? base?", filter_int},
    {"round", "value precision? method?", filter_round},
};

}  // namespace

std::span<const FunctionSpec> number_filters() { return kFilters; }

}  // namespace xylem::text::jinja
