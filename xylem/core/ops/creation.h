// Arrays made from nothing: constants and counters.
#pragma once

#include "xylem/core/array.h"
#include "xylem/core/scalar.h"

namespace xylem {

// Every element the same value. Integers outside the dtype's range are an Error.
Array full(const Shape& shape, const Scalar& value, DType dtype = DType::kF32,
           Loc loc = Loc::current());
Array zeros(const Shape& shape, DType dtype = DType::kF32, Loc loc = Loc::current());
Array ones(const Shape& shape, DType dtype = DType::kF32, Loc loc = Loc::current());
// A scalar of this dtype.
Array scalar(const Scalar& value, DType dtype, Loc loc = Loc::current());
// Counts along one axis: iota({2, 3}, 1) is [[0 1 2] [0 1 2]].
Array iota(const Shape& shape, int64_t axis, DType dtype = DType::kS32, Loc loc = Loc::current());
// [0, n).
Array arange(int64_t n, DType dtype = DType::kS32, Loc loc = Loc::current());

}  // namespace xylem
