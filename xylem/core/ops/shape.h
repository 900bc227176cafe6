// Operations that move elements without computing: reshape, transpose, broadcast, concatenate,
// pad, slice. Axes may be negative and are normalised at once.
#pragma once

#include <vector>

#include "xylem/core/array.h"

namespace xylem {

// One size may be -1 and is computed from the others.
Array reshape(const Array& x, Shape shape, Loc loc = Loc::current());
// An empty list reverses the axes.
Array transpose(const Array& x, std::vector<int64_t> axes = {}, Loc loc = Loc::current());
Array swapaxes(const Array& x, int64_t a, int64_t b, Loc loc = Loc::current());
Array moveaxis(const Array& x, int64_t from, int64_t to, Loc loc = Loc::current());
Array expand_dims(const Array& x, int64_t axis, Loc loc = Loc::current());
// Drops axes of size 1; an empty list drops all of them.
Array squeeze(const Array& x, std::vector<int64_t> axes = {}, Loc loc = Loc::current());
// NumPy's rule: sizes 1 stretch, missing leading axes are added.
Array broadcast_to(const Array& x, const Shape& shape, Loc loc = Loc::current());
// StableHLO's own: dims[i] is the axis of the result that axis i of x becomes.
Array broadcast_in_dim(const Array& x, const Shape& shape, const std::vector<int64_t>& dims,
                       Loc loc = Loc::current());
Array concatenate(const std::vector<Array>& arrays, int64_t axis = 0, Loc loc = Loc::current());
Array stack(const std::vector<Array>& arrays, int64_t axis = 0, Loc loc = Loc::current());
// Equal parts along the axis.
std::vector<Array> split(const Array& x, int64_t parts, int64_t axis = 0, Loc loc = Loc::current());
// Parts of these sizes along the axis; they add up to its size.
std::vector<Array> split_sizes(const Array& x, const std::vector<int64_t>& sizes, int64_t axis = 0,
                               Loc loc = Loc::current());
// low and high counts per axis (negative crops), `interior` between elements.
Array pad(const Array& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
          double value = 0, std::vector<int64_t> interior = {}, Loc loc = Loc::current());
// starts, limits and positive strides for every axis; within bounds.
Array slice(const Array& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
            std::vector<int64_t> strides = {}, Loc loc = Loc::current());
// [start, limit) of one axis; negative bounds count from the end.
Array slice_axis(const Array& x, int64_t axis, int64_t start, int64_t limit,
                 Loc loc = Loc::current());
Array flip(const Array& x, const std::vector<int64_t>& axes, Loc loc = Loc::current());
// Elements move by `shift` along the axis, round the end.
Array roll(const Array& x, int64_t shift, int64_t axis, Loc loc = Loc::current());
Array repeat(const Array& x, int64_t count, int64_t axis, Loc loc = Loc::current());

// Tells the partitioner how this value should be laid out.
Array with_sharding(const Array& x, const Sharding& sharding, Loc loc = Loc::current());
// Keeps the compiler from moving computation across this point.
Array optimization_barrier(const Array& x, Loc loc = Loc::current());

}  // namespace xylem
