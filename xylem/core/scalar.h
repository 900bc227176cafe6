// Scalar: a C++ number as an operand of array operations. Integers keep all their 64 bits.
//
//   Array big = full({2}, int64_t{1} << 60, DType::kS64);
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>
#include <variant>

#include "xylem/base/dtype.h"
#include "xylem/core/attrs.h"

namespace xylem {

class Scalar {
 public:
  template <typename T>
  requires std::is_arithmetic_v<T> Scalar(T value) {  // NOLINT(google-explicit-constructor)
    if constexpr (std::is_same_v<T, bool>) {
      value_ = value;
    } else if constexpr (std::is_floating_point_v<T>) {
      value_ = static_cast<double>(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      value_ = static_cast<uint64_t>(value);
    } else {
      value_ = static_cast<int64_t>(value);
    }
  }

  // kBool, kS32 for any integer, kF32 for any floating number: what promotion looks at.
  DType kind() const;
  // Whether the dtype holds this value: integers must be whole and in range, floats take all.
  bool fits(DType dtype) const;
  // The value as an attribute of a constant of this dtype: a bool, a double, or an integer (the
  // bits of an uint64). Requires fits(dtype).
  AttrValue attribute(DType dtype) const;
  double real() const;
  std::string text() const;

 private:
  std::variant<bool, int64_t, uint64_t, double> value_;
};

}  // namespace xylem
