#include "xylem/core/scalar.h"

#include <fmt/format.h>

#include <cmath>

namespace xylem {

DType Scalar::kind() const {
  if (std::holds_alternative<bool>(value_)) return DType::kBool;
  return std::holds_alternative<double>(value_) ? DType::kF32 : DType::kS32;
}

bool Scalar::fits(DType dtype) const {
  if (!is_integer(dtype) || std::holds_alternative<bool>(value_)) return true;
  int bits = bit_width(dtype);
  if (const auto* real = std::get_if<double>(&value_)) {
    double high = std::ldexp(1.0, is_unsigned(dtype) ? bits : bits - 1);
    double low = is_unsigned(dtype) ? 0 : -high;
    return *real == std::trunc(*real) && *real >= low && *real < high;
  }
  uint64_t most = ~uint64_t{0} >> (is_unsigned(dtype) ? 64 - bits : 65 - bits);
  if (const auto* natural = std::get_if<uint64_t>(&value_)) return *natural <= most;
  int64_t integer = std::get<int64_t>(value_);
  if (integer >= 0) return static_cast<uint64_t>(integer) <= most;
  return !is_unsigned(dtype) && integer >= -static_cast<int64_t>(most) - 1;
}

AttrValue Scalar::attribute(DType dtype) const {
  if (dtype == DType::kBool) return real() != 0;
  if (is_floating(dtype)) return real();
  return std::visit(
      [&](auto value) {
        if constexpr (std::is_same_v<decltype(value), double>) {
          return is_unsigned(dtype) ? static_cast<int64_t>(static_cast<uint64_t>(value))
                                    : static_cast<int64_t>(value);
        } else {
          return static_cast<int64_t>(value);
        }
      },
      value_);
}

double Scalar::real() const {
  return std::visit([](auto value) { return static_cast<double>(value); }, value_);
}

std::string Scalar::text() const {
  return std::visit([](auto value) { return fmt::format("{}", value); }, value_);
}

}  // namespace xylem
