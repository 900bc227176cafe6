// Element-wise operations, with NumPy's broadcasting and JAX's type promotion. C++ scalars take
// the array's dtype (an integer array and a fractional scalar give float32).
#pragma once

#include "xylem/core/array.h"
#include "xylem/core/scalar.h"

namespace xylem {

// One side of a binary operation: an array, or a C++ scalar. Made implicitly, so that an error
// names the line where the operator stands.
class Operand {
 public:
  Operand(const Array& array, Loc loc = Loc::current())  // NOLINT(google-explicit-constructor)
      : array_(array), loc_(loc) {}
  template <typename T>
  requires std::is_arithmetic_v<T> Operand(
      T value, Loc loc = Loc::current())  // NOLINT(google-explicit-constructor)
      : scalar_(value), loc_(loc) {}

  bool is_scalar() const { return !array_.is_valid(); }
  const Array& array() const { return array_; }
  const Scalar& scalar() const { return scalar_; }
  Loc loc() const { return loc_; }

 private:
  Array array_;
  Scalar scalar_ = 0;
  Loc loc_;
};

// The dtype that holds both, by JAX's lattice: int with float gives the float, bf16 with f16 gives
// f32, uint8 with int8 gives int16, ...
DType promote_types(DType a, DType b);
// The shape that both broadcast to; an Error naming both when there is none.
Shape broadcast_shapes(const Shape& a, const Shape& b, const char* op, Loc loc = Loc::current());

Array add(const Operand& a, const Operand& b);
Array subtract(const Operand& a, const Operand& b);
Array multiply(const Operand& a, const Operand& b);
// True division: integers become float32.
Array divide(const Operand& a, const Operand& b);
// Integer quotient and remainder with the sign rule of C (towards zero).
Array truncated_divide(const Operand& a, const Operand& b);
Array remainder(const Operand& a, const Operand& b);
Array power(const Operand& a, const Operand& b);
Array maximum(const Operand& a, const Operand& b);
Array minimum(const Operand& a, const Operand& b);
Array atan2(const Operand& a, const Operand& b);
// On bool and integers.
Array bitwise_and(const Operand& a, const Operand& b);
Array bitwise_or(const Operand& a, const Operand& b);
Array bitwise_xor(const Operand& a, const Operand& b);
Array left_shift(const Operand& a, const Operand& b);
// Logical for unsigned, arithmetic for signed.
Array right_shift(const Operand& a, const Operand& b);
// Comparisons give bool.
Array equal(const Operand& a, const Operand& b);
Array not_equal(const Operand& a, const Operand& b);
Array less(const Operand& a, const Operand& b);
Array less_equal(const Operand& a, const Operand& b);
Array greater(const Operand& a, const Operand& b);
Array greater_equal(const Operand& a, const Operand& b);
// condition is bool; picks a where true.
Array where(const Array& condition, const Operand& a, const Operand& b, Loc loc = Loc::current());

Array abs(const Array& x, Loc loc = Loc::current());
Array negative(const Array& x, Loc loc = Loc::current());
Array sign(const Array& x, Loc loc = Loc::current());
// Not for bool and integers.
Array exp(const Array& x, Loc loc = Loc::current());
Array expm1(const Array& x, Loc loc = Loc::current());
Array log(const Array& x, Loc loc = Loc::current());
Array log1p(const Array& x, Loc loc = Loc::current());
Array sqrt(const Array& x, Loc loc = Loc::current());
Array rsqrt(const Array& x, Loc loc = Loc::current());
Array cbrt(const Array& x, Loc loc = Loc::current());
Array sin(const Array& x, Loc loc = Loc::current());
Array cos(const Array& x, Loc loc = Loc::current());
Array tan(const Array& x, Loc loc = Loc::current());
Array tanh(const Array& x, Loc loc = Loc::current());
Array logistic(const Array& x, Loc loc = Loc::current());
Array floor(const Array& x, Loc loc = Loc::current());
Array ceil(const Array& x, Loc loc = Loc::current());
// To the nearest, ties to even.
Array round(const Array& x, Loc loc = Loc::current());
Array is_finite(const Array& x, Loc loc = Loc::current());
Array erf(const Array& x, Loc loc = Loc::current());
Array erf_inv(const Array& x, Loc loc = Loc::current());
// On bool and integers.
Array bitwise_not(const Array& x, Loc loc = Loc::current());
Array population_count(const Array& x, Loc loc = Loc::current());

// Conversion of values: floats to integers truncate, as in NumPy.
Array astype(const Array& x, DType dtype, Loc loc = Loc::current());
// The same bits read as another dtype of the same width, or of another width with the last
// dimension gained or lost (StableHLO's bitcast_convert).
Array bitcast(const Array& x, DType dtype, Loc loc = Loc::current());

inline Array operator+(const Operand& a, const Operand& b) { return add(a, b); }
inline Array operator-(const Operand& a, const Operand& b) { return subtract(a, b); }
inline Array operator*(const Operand& a, const Operand& b) { return multiply(a, b); }
inline Array operator/(const Operand& a, const Operand& b) { return divide(a, b); }
inline Array operator&(const Operand& a, const Operand& b) { return bitwise_and(a, b); }
inline Array operator|(const Operand& a, const Operand& b) { return bitwise_or(a, b); }
inline Array operator^(const Operand& a, const Operand& b) { return bitwise_xor(a, b); }
inline Array operator<<(const Operand& a, const Operand& b) { return left_shift(a, b); }
inline Array operator>>(const Operand& a, const Operand& b) { return right_shift(a, b); }
inline Array operator==(const Operand& a, const Operand& b) { return equal(a, b); }
inline Array operator!=(const Operand& a, const Operand& b) { return not_equal(a, b); }
inline Array operator<(const Operand& a, const Operand& b) { return less(a, b); }
inline Array operator<=(const Operand& a, const Operand& b) { return less_equal(a, b); }
inline Array operator>(const Operand& a, const Operand& b) { return greater(a, b); }
inline Array operator>=(const Operand& a, const Operand& b) { return greater_equal(a, b); }
inline Array operator-(const Array& a) { return negative(a); }

}  // namespace xylem
