// General gather and scatter (StableHLO's own), and the forms along one axis. NumPy-like indexing
// is in indexing.h.
#pragma once

#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/ops/index.h"

namespace xylem {

// The last axis of the indices holds the start of each slice: component i goes to axis
// start_axes[i] of x. The result has the other axes of the indices, and among them, at
// offset_axes, the axes of the slice that are not in collapsed_axes or x_batch.
struct GatherDims {
  std::vector<int64_t> offset_axes;       // of the result
  std::vector<int64_t> collapsed_axes;    // of x; slices of size 1 there
  std::vector<int64_t> start_axes;        // of x
  std::vector<int64_t> x_batch = {};      // axes of x that are walked together with ...
  std::vector<int64_t> index_batch = {};  // ... these of the indices
};

// Negative indices do not wrap here. kClip moves slices inside; kFill gives zeros for slices that
// are not inside.
Array gather(const Array& x, const Array& indices, const GatherDims& dims, const Shape& slice_sizes,
             IndexMode mode = IndexMode::kClip, Loc loc = Loc::current());

// How an update meets the value there. Duplicate indices all count (their order is not defined for
// kSet).
enum class Combiner { kSet, kAdd, kMultiply, kMin, kMax };

// The inverse of gather: `updates` has the shape that gather would give. kClip moves slices
// inside; kFill drops those that are not.
Array scatter(const Array& x, const Array& indices, const Array& updates, const GatherDims& dims,
              Combiner combiner, IndexMode mode = IndexMode::kFill, Loc loc = Loc::current());

// out[i][j] = x[indices[i][j]][j] for axis 0, and so on: the indices have x's rank, sizes off the
// axis equal x's or 1. Negative indices count from the end.
Array take_along_axis(const Array& x, const Array& indices, int64_t axis,
                      IndexMode mode = IndexMode::kClip, Loc loc = Loc::current());
// x with `values` (broadcast to the indices' shape) combined in at those positions.
Array put_along_axis(const Array& x, const Array& indices, const Array& values, int64_t axis,
                     Combiner combiner = Combiner::kSet, IndexMode mode = IndexMode::kFill,
                     Loc loc = Loc::current());

}  // namespace xylem
