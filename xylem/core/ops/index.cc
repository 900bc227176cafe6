#include "xylem/core/ops/index.h"

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/elementwise.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// Gathers whole rows along one axis: inputs operand, indices [n].
std::string lower_take(Emitter& e, const Node& node) {
  int64_t axis = node.attrs.integer("axis");
  const Array& x = node.inputs[0];
  std::vector<int64_t> offset, sizes = x.shape();
  for (int64_t d = 0; d < x.ndim(); ++d) {
    if (d != axis) offset.push_back(d);
  }
  sizes[static_cast<size_t>(axis)] = 1;
  return fmt::format(
      "\"stablehlo.gather\"({}) <{{dimension_numbers = #stablehlo.gather<offset_dims = {}, "
      "collapsed_slice_dims = [{}], start_index_map = [{}], index_vector_dim = 1>, slice_sizes = "
      "array<i64: {}>, indices_are_sorted = false}}> : {}",
      e.values(node.inputs), list_text(offset), axis, axis, fmt::join(sizes, ", "),
      e.function_type(node));
}

std::string start_list(Emitter& e, const Node& node, size_t first) {
  return e.values(
      std::vector<Array>(node.inputs.begin() + static_cast<int64_t>(first), node.inputs.end()));
}

std::string lower_dynamic_slice(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.dynamic_slice {}, {}, sizes = {} : {}", e.value(node.inputs[0]),
                     start_list(e, node, 1), list_text(node.attrs.list("sizes")),
                     e.function_type(node));
}

std::string lower_dynamic_update_slice(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.dynamic_update_slice {} : {}", e.values(node.inputs),
                     e.function_type(node));
}

const OpDef kTake = {"take", lower_take};
const OpDef kDynamicSlice = {"dynamic_slice", lower_dynamic_slice};
const OpDef kDynamicUpdateSlice = {"dynamic_update_slice", lower_dynamic_update_slice};

// Starts as int32 scalars, clamped here: XLA's CPU compiler folds nested dynamic slices without
// the inner clamp (openxla/xla#49121).
std::vector<Array> clamped_starts(const char* op, const Array& x, const std::vector<Array>& starts,
                                  const Shape& sizes, Loc loc) {
  if (starts.size() != x.shape().size() || sizes.size() != x.shape().size()) {
    op_error(op, loc, "{} starts and {} sizes given for {}, expected one a dimension",
             starts.size(), sizes.size(), x.aval().text());
  }
  std::vector<Array> clamped;
  for (size_t d = 0; d < starts.size(); ++d) {
    if (starts[d].ndim() != 0 || !is_integer(starts[d].dtype())) {
      op_error(op, loc, "start {} is {}, expected an integer scalar", d, starts[d].aval().text());
    }
    if (sizes[d] < 0 || sizes[d] > x.shape()[d]) {
      op_error(op, loc, "size {} of dimension {} does not fit {}", sizes[d], d, x.aval().text());
    }
    int64_t last = x.shape()[d] - sizes[d];
    if (last == 0) {
      clamped.push_back(scalar(0, DType::kS32, loc));
      continue;
    }
    bool huge = starts[d].dtype() == DType::kU64;  // beyond int64
    Array wide = astype(huge ? minimum(starts[d], last) : starts[d], DType::kS64);
    clamped.push_back(astype(minimum(maximum(wide, 0), last), DType::kS32));
  }
  return clamped;
}

}  // namespace

Array take(const Array& x, const Array& indices, int64_t axis, IndexMode mode, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "take", loc);
  if (!is_integer(indices.dtype())) {
    op_error("take", loc, "the indices are {}, expected integers", indices.aval().text());
  }
  int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (size == 0) op_error("take", loc, "axis {} of {} is empty", axis, x.aval().text());
  Array flat = reshape(indices, {indices.size()}, loc);
  if (bit_width(flat.dtype()) < 32) flat = astype(flat, DType::kS32);
  if (!is_unsigned(flat.dtype())) flat = where(flat < 0, flat + size, flat);
  Array inside = (flat >= 0) & (flat < size);
  Array clamped =
      is_unsigned(flat.dtype()) ? minimum(flat, size - 1) : minimum(maximum(flat, 0), size - 1);
  Shape rows = x.shape();
  rows[static_cast<size_t>(axis)] = indices.size();
  Array out = make_op(kTake, {x, clamped}, {{"axis", axis}}, {rows, x.dtype(), {}});
  if (mode == IndexMode::kFill) {
    out = where(broadcast_in_dim(inside, rows, {axis}, loc), out, zeros(rows, x.dtype()), loc);
  }
  Shape shape(x.shape().begin(), x.shape().begin() + axis);
  shape.insert(shape.end(), indices.shape().begin(), indices.shape().end());
  shape.insert(shape.end(), x.shape().begin() + axis + 1, x.shape().end());
  return reshape(out, shape, loc);
}

Array dynamic_slice(const Array& x, const std::vector<Array>& starts, const Shape& sizes, Loc loc) {
  std::vector<Array> inputs = clamped_starts("dynamic_slice", x, starts, sizes, loc);
  inputs.insert(inputs.begin(), x);
  return make_op(kDynamicSlice, inputs, {{"sizes", sizes}}, {sizes, x.dtype(), {}});
}

Array dynamic_update_slice(const Array& x, const Array& update, const std::vector<Array>& starts,
                           Loc loc) {
  if (update.dtype() != x.dtype()) {
    op_error("dynamic_update_slice", loc, "the update is {} for {}: dtypes must be equal",
             update.aval().text(), x.aval().text());
  }
  std::vector<Array> inputs =
      clamped_starts("dynamic_update_slice", x, starts, update.shape(), loc);
  inputs.insert(inputs.begin(), {x, update});
  return make_op(kDynamicUpdateSlice, inputs, {}, x.aval());
}

}  // namespace xylem
