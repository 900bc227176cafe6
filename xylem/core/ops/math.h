// More element-wise mathematics, most of it composed of the operations of elementwise.h.
#pragma once

#include "xylem/core/array.h"
#include "xylem/core/ops/elementwise.h"

namespace xylem {

// Quotient rounded down and its remainder, which has the divisor's sign (Python's // and %).
Array floor_divide(const Operand& a, const Operand& b);
Array mod(const Operand& a, const Operand& b);
// x limited to [low, high]; NaN stays NaN.
Array clip(const Array& x, const Operand& low, const Operand& high, Loc loc = Loc::current());
// On any dtype: what is not zero (NaN too) is true.
Array logical_and(const Array& a, const Array& b, Loc loc = Loc::current());
Array logical_or(const Array& a, const Array& b, Loc loc = Loc::current());
Array logical_xor(const Array& a, const Array& b, Loc loc = Loc::current());
Array logical_not(const Array& x, Loc loc = Loc::current());
// All false for dtypes without such values.
Array isnan(const Array& x, Loc loc = Loc::current());
Array isinf(const Array& x, Loc loc = Loc::current());

Array square(const Array& x, Loc loc = Loc::current());
Array reciprocal(const Array& x, Loc loc = Loc::current());
Array exp2(const Array& x, Loc loc = Loc::current());
Array log2(const Array& x, Loc loc = Loc::current());
Array log10(const Array& x, Loc loc = Loc::current());
// log(exp(a) + exp(b)) without overflow.
Array logaddexp(const Operand& a, const Operand& b);

Array asin(const Array& x, Loc loc = Loc::current());
Array acos(const Array& x, Loc loc = Loc::current());
Array atan(const Array& x, Loc loc = Loc::current());
Array sinh(const Array& x, Loc loc = Loc::current());
Array cosh(const Array& x, Loc loc = Loc::current());
Array asinh(const Array& x, Loc loc = Loc::current());
Array acosh(const Array& x, Loc loc = Loc::current());
Array atanh(const Array& x, Loc loc = Loc::current());
Array erfc(const Array& x, Loc loc = Loc::current());
Array lgamma(const Array& x, Loc loc = Loc::current());
Array digamma(const Array& x, Loc loc = Loc::current());

// The values that a float format with these exponent and mantissa bits has, dtype unchanged. Marks
// a rounding that the compiler must keep: without it XLA may compute fused bf16 operations in f32.
Array reduce_precision(const Array& x, int64_t exponent_bits, int64_t mantissa_bits,
                       Loc loc = Loc::current());
// The same with the bits of a floating dtype.
Array reduce_precision(const Array& x, DType format, Loc loc = Loc::current());

}  // namespace xylem
