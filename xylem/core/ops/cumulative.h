// Cumulative operations along one axis: out[i] combines x[0..i] (x[i..] when `reverse`). Sums and
// products of the 16- and 8-bit floats accumulate in f32; those of bool count in int32.
#pragma once

#include <functional>

#include "xylem/core/array.h"

namespace xylem {

Array cumsum(const Array& x, int64_t axis = -1, bool reverse = false, Loc loc = Loc::current());
Array cumprod(const Array& x, int64_t axis = -1, bool reverse = false, Loc loc = Loc::current());
Array cummax(const Array& x, int64_t axis = -1, bool reverse = false, Loc loc = Loc::current());
Array cummin(const Array& x, int64_t axis = -1, bool reverse = false, Loc loc = Loc::current());
// log(cumsum(exp(x))) without overflow.
Array cumlogsumexp(const Array& x, int64_t axis = -1, bool reverse = false,
                   Loc loc = Loc::current());

// The inclusive scan of an associative function of two arrays, in 2 log2(n) steps.
Array associative_scan(const std::function<Array(const Array&, const Array&)>& combine,
                       const Array& x, int64_t axis, bool reverse = false,
                       Loc loc = Loc::current());

}  // namespace xylem
