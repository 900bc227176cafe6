#include "xylem/core/ops/gather.h"

#include <algorithm>
#include <numeric>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/reduce.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

constexpr const char* kCombinerNames[] = {"second", "add", "multiply", "minimum", "maximum"};

int64_t index_vector_axis(const Array& indices) { return indices.ndim() - 1; }

// The batching entries are written only where they are used: older readers do not know them.
std::string batch_text(const Node& node, const char* x_name, const char* index_name) {
  if (node.attrs.list("x_batch").empty()) return "";
  return fmt::format("{} = {}, {} = {}, ", x_name, list_text(node.attrs.list("x_batch")),
                     index_name, list_text(node.attrs.list("index_batch")));
}

std::string lower_gather(Emitter& e, const Node& node) {
  return fmt::format(
      "\"stablehlo.gather\"({}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, "
      "collapsed_slice_dims = {}, {}start_index_map = {}, index_vector_dim = {}>, slice_sizes = "
      "array<i64: {}>, indices_are_sorted = false}}> : {}",
      e.values(node.inputs), list_text(node.attrs.list("offset_axes")),
      list_text(node.attrs.list("collapsed_axes")),
      batch_text(node, "operand_batching_dims", "start_indices_batching_dims"),
      list_text(node.attrs.list("start_axes")), index_vector_axis(node.inputs[1]),
      fmt::join(node.attrs.list("sizes"), ", "), e.function_type(node));
}

std::string lower_scatter(Emitter& e, const Node& node) {
  const char* combiner = kCombinerNames[node.attrs.integer("combiner")];
  return fmt::format(
      "\"stablehlo.scatter\"({}) <{{scatter_dimension_numbers = #stablehlo.scatter<"
      "update_window_dims = {}, inserted_window_dims = {}, {}scatter_dims_to_operand_dims = {}, "
      "index_vector_dim = {}>, indices_are_sorted = false, unique_indices = false}}> {} : {}",
      e.values(node.inputs), list_text(node.attrs.list("offset_axes")),
      list_text(node.attrs.list("collapsed_axes")),
      batch_text(node, "input_batching_dims", "scatter_indices_batching_dims"),
      list_text(node.attrs.list("start_axes")), index_vector_axis(node.inputs[1]),
      combiner_region(combiner, node.inputs[0].dtype()), e.function_type(node));
}

const OpDef kGather = {"gather", lower_gather};
const OpDef kScatter = {"scatter", lower_scatter};

Attrs dims_attrs(const GatherDims& dims) {
  return {{"offset_axes", dims.offset_axes},
          {"collapsed_axes", dims.collapsed_axes},
          {"start_axes", dims.start_axes},
          {"x_batch", dims.x_batch},
          {"index_batch", dims.index_batch}};
}

bool contains(const std::vector<int64_t>& list, int64_t value) {
  return std::count(list.begin(), list.end(), value) > 0;
}

// Checks the axis numbers and gives the shape of the gathered result.
Shape gathered_shape(const char* op, const Array& x, const Array& indices, const GatherDims& dims,
                     const Shape& sizes, Loc loc) {
  if (!is_integer(indices.dtype()) || indices.ndim() == 0) {
    op_error(op, loc, "the indices are {}, expected integers of at least 1 dimension",
             indices.aval().text());
  }
  if (sizes.size() != x.shape().size()) {
    op_error(op, loc, "{} slice sizes for {}, expected one a dimension", sizes.size(),
             x.aval().text());
  }
  if (static_cast<int64_t>(dims.start_axes.size()) != indices.shape().back()) {
    op_error(op, loc, "{} start axes but the last axis of the indices {} has size {}",
             dims.start_axes.size(), indices.aval().text(), indices.shape().back());
  }
  std::vector<int64_t> dropped = dims.collapsed_axes;
  dropped.insert(dropped.end(), dims.x_batch.begin(), dims.x_batch.end());
  normalize_axes(dropped, x.ndim(), op, loc);
  normalize_axes(dims.start_axes, x.ndim(), op, loc);
  if (dims.x_batch.size() != dims.index_batch.size()) {
    op_error(op, loc, "{} batch axes of x and {} of the indices", dims.x_batch.size(),
             dims.index_batch.size());
  }
  Shape window;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    int64_t size = sizes[static_cast<size_t>(d)], whole = x.shape()[static_cast<size_t>(d)];
    bool drop = contains(dropped, d);
    if (size < 0 || size > whole || (drop && size != 1)) {
      op_error(op, loc, "a slice of size {} does not fit dimension {} of {}", size, d,
               x.aval().text());
    }
    if (!drop) window.push_back(size);
  }
  if (window.size() != dims.offset_axes.size()) {
    op_error(op, loc, "{} offset axes for slices with {} axes", dims.offset_axes.size(),
             window.size());
  }
  int64_t rank = indices.ndim() - 1 + static_cast<int64_t>(window.size());
  normalize_axes(dims.offset_axes, rank, op, loc);
  Shape shape;
  size_t next_window = 0, next_index = 0;
  for (int64_t d = 0; d < rank; ++d) {
    shape.push_back(contains(dims.offset_axes, d) ? window[next_window++]
                                                  : indices.shape()[next_index++]);
  }
  return shape;
}

// Highest start of a slice along each component of the indices, as a constant that broadcasts.
Array last_starts(const Array& x, const GatherDims& dims, const Shape& sizes, DType dtype) {
  std::vector<Array> parts;
  for (int64_t axis : dims.start_axes) {
    size_t d = static_cast<size_t>(axis);
    parts.push_back(full({1}, x.shape()[d] - sizes[d], dtype));
  }
  return concatenate(parts);
}

// The indices as int32 or int64, so that signed and unsigned ones compare alike.
Array signed_indices(const Array& indices) {
  int bits = bit_width(indices.dtype());
  if (indices.dtype() == DType::kU64) {  // beyond int64 is beyond every axis
    return astype(minimum(indices, int64_t{1} << 62), DType::kS64);
  }
  return astype(indices, bits > 32 || indices.dtype() == DType::kU32 ? DType::kS64 : DType::kS32);
}

Array clamp_indices(const Array& indices, const Array& last) {
  return maximum(minimum(indices, last), 0);
}

// True for each index vector whose slice lies inside; shape of the indices without the last axis.
Array slices_inside(const Array& indices, const Array& last) {
  return all((indices >= 0) & (indices <= last), {-1});
}

}  // namespace

Array gather(const Array& x, const Array& indices, const GatherDims& dims, const Shape& slice_sizes,
             IndexMode mode, Loc loc) {
  // The compiler likes some gathered results column-major, and its older CPU version throws when it
  // turns 4-bit elements round again. As bytes they turn before the barrier.
  if (bit_width(x.dtype()) == 4) {
    Array wide = gather(astype(x, DType::kS8, loc), indices, dims, slice_sizes, mode, loc);
    return astype(optimization_barrier(wide), x.dtype(), loc);
  }
  Shape shape = gathered_shape("gather", x, indices, dims, slice_sizes, loc);
  Array starts = signed_indices(indices);
  Attrs attrs = dims_attrs(dims);
  attrs.set("sizes", slice_sizes);
  if (dims.start_axes.empty()) return make_op(kGather, {x, starts}, attrs, {shape, x.dtype(), {}});
  Array last = last_starts(x, dims, slice_sizes, starts.dtype());
  Array out = make_op(kGather, {x, clamp_indices(starts, last)}, attrs, {shape, x.dtype(), {}});
  if (mode == IndexMode::kClip) return out;
  std::vector<int64_t> axes;
  for (int64_t d = 0; d < out.ndim(); ++d) {
    if (!contains(dims.offset_axes, d)) axes.push_back(d);
  }
  return where(broadcast_in_dim(slices_inside(starts, last), shape, axes, loc), out,
               zeros(shape, x.dtype(), loc), loc);
}

Array scatter(const Array& x, const Array& indices, const Array& updates, const GatherDims& dims,
              Combiner combiner, IndexMode mode, Loc loc) {
  if (updates.dtype() != x.dtype()) {
    op_error("scatter", loc, "the updates are {} for {}: dtypes must be equal",
             updates.aval().text(), x.aval().text());
  }
  if (dims.offset_axes.size() > static_cast<size_t>(updates.ndim())) {
    op_error("scatter", loc, "{} offset axes for the updates {}", dims.offset_axes.size(),
             updates.aval().text());
  }
  normalize_axes(dims.offset_axes, updates.ndim(), "scatter", loc);
  Shape sizes;
  size_t next = 0;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    bool window = !contains(dims.collapsed_axes, d) && !contains(dims.x_batch, d) &&
                  next < dims.offset_axes.size();
    sizes.push_back(window ? updates.shape()[static_cast<size_t>(dims.offset_axes[next++])] : 1);
  }
  Shape expected = gathered_shape("scatter", x, indices, dims, sizes, loc);
  if (expected != updates.shape()) {
    op_error("scatter", loc, "the updates are {}, expected the shape {}", updates.aval().text(),
             shape_text(expected));
  }
  Array starts = signed_indices(indices);
  if (mode == IndexMode::kClip && !dims.start_axes.empty()) {
    starts = clamp_indices(starts, last_starts(x, dims, sizes, starts.dtype()));
  }
  Attrs attrs = dims_attrs(dims);
  attrs.set("combiner", static_cast<int64_t>(combiner));
  return make_op(kScatter, {x, starts, updates}, attrs, {x.shape(), x.dtype(), {}});
}

namespace {

struct AlongAxis {
  Array x, indices;  // x stretched; indices [..., 1], wrapped
  GatherDims dims;
  Shape sizes;
};

AlongAxis along_axis(const char* op, const Array& x, const Array& indices, int64_t axis, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), op, loc);
  if (indices.ndim() != x.ndim()) {
    op_error(op, loc, "the indices {} and {} have different numbers of dimensions",
             indices.aval().text(), x.aval().text());
  }
  size_t along = static_cast<size_t>(axis);
  Shape index_shape = indices.shape(), x_shape = x.shape();
  index_shape[along] = x_shape[along] = 1;
  Shape shape = broadcast_shapes(index_shape, x_shape, op, loc);
  index_shape = x_shape = shape;
  index_shape[along] = indices.shape()[along];
  x_shape[along] = x.shape()[along];

  AlongAxis out;
  out.x = broadcast_to(x, x_shape, loc);
  Array wrapped = wrap_indices(indices, x_shape[along], op, loc);
  out.indices = expand_dims(broadcast_to(wrapped, index_shape, loc), -1, loc);
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (d == axis) continue;
    out.dims.x_batch.push_back(d);
    out.dims.index_batch.push_back(d);
  }
  out.dims.collapsed_axes = out.dims.start_axes = {axis};
  out.sizes.assign(x.shape().size(), 1);
  return out;
}

}  // namespace

Array take_along_axis(const Array& x, const Array& indices, int64_t axis, IndexMode mode, Loc loc) {
  AlongAxis a = along_axis("take_along_axis", x, indices, axis, loc);
  return gather(a.x, a.indices, a.dims, a.sizes, mode, loc);
}

Array put_along_axis(const Array& x, const Array& indices, const Array& values, int64_t axis,
                     Combiner combiner, IndexMode mode, Loc loc) {
  AlongAxis a = along_axis("put_along_axis", x, indices, axis, loc);
  Shape shape(a.indices.shape().begin(), a.indices.shape().end() - 1);
  return scatter(a.x, a.indices, broadcast_to(astype(values, x.dtype()), shape, loc), a.dims,
                 combiner, mode, loc);
}

}  // namespace xylem
