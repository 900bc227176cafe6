// Reductions. An empty axis list reduces all axes. Sums and means of f16 and bf16 accumulate in
// f32; integer sums keep their dtype (JAX), bool sums count in int32.
#pragma once

#include <vector>

#include "xylem/core/array.h"

namespace xylem {

Array sum(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
          Loc loc = Loc::current());
Array mean(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
           Loc loc = Loc::current());
Array prod(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
           Loc loc = Loc::current());
Array max(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
          Loc loc = Loc::current());
Array min(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
          Loc loc = Loc::current());
// On bool.
Array all(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
          Loc loc = Loc::current());
Array any(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
          Loc loc = Loc::current());

// max(x) subtracted first; rows of -inf alone give zeros, not NaN.
Array softmax(const Array& x, int64_t axis = -1, Loc loc = Loc::current());
Array logsumexp(const Array& x, std::vector<int64_t> axes = {}, bool keepdims = false,
                Loc loc = Loc::current());

}  // namespace xylem
