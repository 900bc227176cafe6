// Operations that slide a window: convolution and pooling.
#pragma once

#include <utility>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/ops/gather.h"

namespace xylem {

// One entry a spatial axis; an empty list means 1 everywhere (padding: none).
struct ConvOptions {
  std::vector<int64_t> strides = {};
  std::vector<std::pair<int64_t, int64_t>> padding =
      {};                                     // zeros before and behind; may be negative
  std::vector<int64_t> x_dilation = {};       // x - 1 zeros between elements of x
  std::vector<int64_t> kernel_dilation = {};  // and of the kernel
  int64_t groups = 1;                         // channels in this many groups that do not meet
  int64_t batch_groups = 1;                   // rows of the batch likewise (for gradients)
};

// x [batch, channels, spatial...] with kernel [out, channels / groups, spatial...] gives [batch,
// out, spatial...]. The kernel is not flipped (correlation). 16-bit floats accumulate in f32.
Array conv_general(const Array& x, const Array& kernel, const ConvOptions& options = {},
                   Loc loc = Loc::current());

// One entry an axis; an empty list means 1 everywhere (padding: none).
struct WindowOptions {
  std::vector<int64_t> strides = {};
  std::vector<std::pair<int64_t, int64_t>> padding = {};
  std::vector<int64_t> x_dilation = {};
  std::vector<int64_t> window_dilation = {};
};

// Combines the elements under a window of this shape at each place. Padding counts as nothing: 0
// for kAdd, 1 for kMultiply, the lowest value for kMax, ... kSet is an Error.
Array reduce_window(const Array& x, Combiner combiner, const Shape& window,
                    const WindowOptions& options = {}, Loc loc = Loc::current());

}  // namespace xylem
