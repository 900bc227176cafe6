// Sorting and searching. NaN counts as larger than every number: last in ascending order, first in
// descending order and in top_k. Equal elements keep their order.
#pragma once

#include <vector>

#include "xylem/core/array.h"

namespace xylem {

Array sort(const Array& x, int64_t axis = -1, bool descending = false, Loc loc = Loc::current());
// The int32 indices that sort x along the axis.
Array argsort(const Array& x, int64_t axis = -1, bool descending = false, Loc loc = Loc::current());
// Sorts arrays of one shape together, by the first `num_keys` of them in order of importance.
std::vector<Array> sort_together(const std::vector<Array>& arrays, int64_t axis = -1,
                                 int64_t num_keys = 1, bool descending = false,
                                 Loc loc = Loc::current());

struct TopK {
  Array values;   // largest first
  Array indices;  // int32; of equal values the lower index comes first
};
// The k largest of the last axis.
TopK top_k(const Array& x, int64_t k, Loc loc = Loc::current());

// int32 index of the first largest (smallest) element; NaN counts as both.
Array argmax(const Array& x, int64_t axis = -1, bool keepdims = false, Loc loc = Loc::current());
Array argmin(const Array& x, int64_t axis = -1, bool keepdims = false, Loc loc = Loc::current());

// For each value the int32 position in the ascending 1-d array where it would be put in: before
// (`right`: behind) its equals.
Array searchsorted(const Array& sorted, const Array& values, bool right = false,
                   Loc loc = Loc::current());

}  // namespace xylem
