#include "xylem/core/ops/shape.h"

#include <algorithm>
#include <numeric>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

std::string lower_reshape(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.reshape {} : {}", e.values(node.inputs), e.function_type(node));
}

std::string lower_transpose(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.transpose {}, dims = {} : {}", e.values(node.inputs),
                     list_text(node.attrs.list("axes")), e.function_type(node));
}

std::string lower_broadcast(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.broadcast_in_dim {}, dims = {} : {}", e.values(node.inputs),
                     list_text(node.attrs.list("dims")), e.function_type(node));
}

std::string lower_concatenate(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.concatenate {}, dim = {} : {}", e.values(node.inputs),
                     node.attrs.integer("axis"), e.function_type(node));
}

std::string lower_pad(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.pad {}, low = {}, high = {}, interior = {} : {}",
                     e.values(node.inputs), list_text(node.attrs.list("low")),
                     list_text(node.attrs.list("high")), list_text(node.attrs.list("interior")),
                     e.function_type(node));
}

std::string lower_slice(Emitter& e, const Node& node) {
  const auto& starts = node.attrs.list("starts");
  const auto& limits = node.attrs.list("limits");
  const auto& strides = node.attrs.list("strides");
  std::vector<std::string> ranges;
  for (size_t d = 0; d < starts.size(); ++d) {
    ranges.push_back(strides[d] == 1 ? fmt::format("{}:{}", starts[d], limits[d])
                                     : fmt::format("{}:{}:{}", starts[d], limits[d], strides[d]));
  }
  return fmt::format("stablehlo.slice {} [{}] : {}", e.values(node.inputs), fmt::join(ranges, ", "),
                     e.function_type(node));
}

std::string lower_reverse(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.reverse {}, dims = {} : {}", e.values(node.inputs),
                     list_text(node.attrs.list("axes")), out_type(node));
}

std::string lower_sharding(Emitter& e, const Node& node) {
  return fmt::format("sdy.sharding_constraint {} {} : {}", e.values(node.inputs),
                     node.outputs[0].sharding.text(), out_type(node));
}

std::string lower_barrier(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.optimization_barrier {} : {}", e.values(node.inputs),
                     out_type(node));
}

const OpDef kReshape = {"reshape", lower_reshape};
const OpDef kTranspose = {"transpose", lower_transpose};
const OpDef kBroadcast = {"broadcast_in_dim", lower_broadcast};
const OpDef kConcatenate = {"concatenate", lower_concatenate};
const OpDef kPad = {"pad", lower_pad};
const OpDef kSlice = {"slice", lower_slice};
const OpDef kReverse = {"reverse", lower_reverse};
const OpDef kSharding = {"with_sharding", lower_sharding};
const OpDef kBarrier = {"optimization_barrier", lower_barrier};

}  // namespace

Array reshape(const Array& x, Shape shape, Loc loc) {
  int64_t known = 1, unknown = -1;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == -1 && unknown < 0) {
      unknown = static_cast<int64_t>(d);
    } else if (shape[d] < 0) {
      op_error("reshape", loc, "the shape {} has a negative size; only one -1 is allowed",
               shape_text(shape));
    } else {
      known *= shape[d];
    }
  }
  if (unknown >= 0) {
    if (known == 0 || x.size() % known != 0) {
      op_error("reshape", loc, "{} cannot become {}: {} elements do not divide by {}",
               x.aval().text(), shape_text(shape), x.size(), known);
    }
    shape[static_cast<size_t>(unknown)] = x.size() / known;
  }
  if (element_count(shape) != x.size()) {
    op_error("reshape", loc, "{} has {} elements and cannot become {} with {}", x.aval().text(),
             x.size(), shape_text(shape), element_count(shape));
  }
  if (shape == x.shape()) return x;
  return make_op(kReshape, {x}, {}, {std::move(shape), x.dtype(), {}});
}

Array transpose(const Array& x, std::vector<int64_t> axes, Loc loc) {
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(x.ndim()));
    std::iota(axes.rbegin(), axes.rend(), 0);
  }
  axes = normalize_axes(std::move(axes), x.ndim(), "transpose", loc, /*sorted=*/false);
  if (static_cast<int>(axes.size()) != x.ndim()) {
    op_error("transpose", loc, "{} axes given for {}, expected {}", axes.size(), x.aval().text(),
             x.ndim());
  }
  if (std::is_sorted(axes.begin(), axes.end())) return x;
  Aval out{{}, x.dtype(), {}};
  for (int64_t axis : axes) out.shape.push_back(x.shape()[static_cast<size_t>(axis)]);
  if (x.sharding().is_set()) {
    out.sharding.mesh = x.sharding().mesh;
    for (int64_t axis : axes) {
      out.sharding.spec.push_back(x.sharding().spec[static_cast<size_t>(axis)]);
    }
  }
  return make_op(kTranspose, {x}, {{"axes", axes}}, out);
}

Array swapaxes(const Array& x, int64_t a, int64_t b, Loc loc) {
  a = normalize_axis(a, x.ndim(), "swapaxes", loc);
  b = normalize_axis(b, x.ndim(), "swapaxes", loc);
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  std::swap(axes[static_cast<size_t>(a)], axes[static_cast<size_t>(b)]);
  return transpose(x, axes, loc);
}

Array moveaxis(const Array& x, int64_t from, int64_t to, Loc loc) {
  from = normalize_axis(from, x.ndim(), "moveaxis", loc);
  to = normalize_axis(to, x.ndim(), "moveaxis", loc);
  std::vector<int64_t> axes(static_cast<size_t>(x.ndim()));
  std::iota(axes.begin(), axes.end(), 0);
  axes.erase(axes.begin() + from);
  axes.insert(axes.begin() + to, from);
  return transpose(x, axes, loc);
}

Array expand_dims(const Array& x, int64_t axis, Loc loc) {
  axis = normalize_axis(axis, x.ndim() + 1, "expand_dims", loc);
  Shape shape = x.shape();
  shape.insert(shape.begin() + axis, 1);
  return reshape(x, shape, loc);
}

Array squeeze(const Array& x, std::vector<int64_t> axes, Loc loc) {
  if (axes.empty()) {
    for (int64_t d = 0; d < x.ndim(); ++d) {
      if (x.shape()[static_cast<size_t>(d)] == 1) axes.push_back(d);
    }
  }
  axes = normalize_axes(std::move(axes), x.ndim(), "squeeze", loc);
  Shape shape;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    int64_t size = x.shape()[static_cast<size_t>(d)];
    if (!std::binary_search(axes.begin(), axes.end(), d)) {
      shape.push_back(size);
    } else if (size != 1) {
      op_error("squeeze", loc, "axis {} of {} has size {}, expected 1", d, x.aval().text(), size);
    }
  }
  return reshape(x, shape, loc);
}

Array broadcast_in_dim(const Array& x, const Shape& shape, const std::vector<int64_t>& dims,
                       Loc loc) {
  if (static_cast<int>(dims.size()) != x.ndim()) {
    op_error("broadcast_in_dim", loc, "{} dims given for {}, expected {}", dims.size(),
             x.aval().text(), x.ndim());
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t d = dims[i];
    bool good = d >= 0 && d < static_cast<int64_t>(shape.size()) &&
                (x.shape()[i] == 1 || x.shape()[i] == shape[static_cast<size_t>(d)]) &&
                std::count(dims.begin(), dims.end(), d) == 1;
    if (!good) {
      op_error("broadcast_in_dim", loc, "{} does not broadcast to {} with dims {}", x.aval().text(),
               shape_text(shape), list_text(dims));
    }
  }
  return make_op(kBroadcast, {x}, {{"dims", dims}}, {shape, x.dtype(), {}});
}

Array broadcast_to(const Array& x, const Shape& shape, Loc loc) {
  if (x.shape() == shape) return x;
  int64_t added = static_cast<int64_t>(shape.size()) - x.ndim();
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    int64_t size = x.shape()[static_cast<size_t>(d)];
    if (added < 0 || (size != 1 && size != shape[static_cast<size_t>(d + added)])) {
      op_error("broadcast_to", loc, "{} does not broadcast to {}", x.aval().text(),
               shape_text(shape));
    }
    dims.push_back(d + added);
  }
  return broadcast_in_dim(x, shape, dims, loc);
}

Array concatenate(const std::vector<Array>& arrays, int64_t axis, Loc loc) {
  if (arrays.empty()) op_error("concatenate", loc, "needs at least one array");
  axis = normalize_axis(axis, arrays[0].ndim(), "concatenate", loc);
  if (arrays.size() == 1) return arrays[0];
  size_t along = static_cast<size_t>(axis);
  Shape shape = arrays[0].shape();
  shape[along] = 0;
  for (const Array& array : arrays) {
    Shape other = array.shape();
    bool same_rank = other.size() == shape.size();
    int64_t size = same_rank ? other[along] : 0;
    if (same_rank) other[along] = shape[along];
    if (!same_rank || other != shape || array.dtype() != arrays[0].dtype()) {
      op_error("concatenate", loc,
               "{} does not fit {} along axis {}: other sizes and dtypes must "
               "be equal",
               array.aval().text(), arrays[0].aval().text(), axis);
    }
    shape[along] += size;
  }
  return make_op(kConcatenate, arrays, {{"axis", axis}}, {shape, arrays[0].dtype(), {}});
}

Array stack(const std::vector<Array>& arrays, int64_t axis, Loc loc) {
  std::vector<Array> expanded;
  for (const Array& array : arrays) expanded.push_back(expand_dims(array, axis, loc));
  return concatenate(expanded, axis, loc);
}

std::vector<Array> split_sizes(const Array& x, const std::vector<int64_t>& sizes, int64_t axis,
                               Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "split", loc);
  int64_t total = std::accumulate(sizes.begin(), sizes.end(), int64_t{0});
  if (total != x.shape()[static_cast<size_t>(axis)]) {
    op_error("split", loc, "sizes {} add up to {}, not to axis {} of {}", list_text(sizes), total,
             axis, x.aval().text());
  }
  std::vector<Array> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(slice_axis(x, axis, start, start + size, loc));
    start += size;
  }
  return parts;
}

std::vector<Array> split(const Array& x, int64_t parts, int64_t axis, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "split", loc);
  int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (parts < 1 || size % parts != 0) {
    op_error("split", loc, "axis {} of {} does not divide into {} equal parts", axis,
             x.aval().text(), parts);
  }
  return split_sizes(x, std::vector<int64_t>(static_cast<size_t>(parts), size / parts), axis, loc);
}

Array pad(const Array& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high,
          double value, std::vector<int64_t> interior, Loc loc) {
  size_t ndim = x.shape().size();
  if (interior.empty()) interior.assign(ndim, 0);
  if (low.size() != ndim || high.size() != ndim || interior.size() != ndim) {
    op_error("pad", loc, "low, high and interior need one entry a dimension of {}",
             x.aval().text());
  }
  Shape shape;
  for (size_t d = 0; d < ndim; ++d) {
    int64_t size = x.shape()[d];
    int64_t padded = low[d] + high[d] + size + std::max<int64_t>(size - 1, 0) * interior[d];
    if (interior[d] < 0 || padded < 0) {
      op_error("pad", loc, "dimension {} of {} would get size {}", d, x.aval().text(), padded);
    }
    shape.push_back(padded);
  }
  return make_op(kPad, {x, scalar(value, x.dtype(), loc)},
                 {{"low", low}, {"high", high}, {"interior", interior}}, {shape, x.dtype(), {}});
}

Array slice(const Array& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
            std::vector<int64_t> strides, Loc loc) {
  size_t ndim = x.shape().size();
  if (strides.empty()) strides.assign(ndim, 1);
  if (starts.size() != ndim || limits.size() != ndim || strides.size() != ndim) {
    op_error("slice", loc, "starts, limits and strides need one entry a dimension of {}",
             x.aval().text());
  }
  Shape shape;
  for (size_t d = 0; d < ndim; ++d) {
    if (starts[d] < 0 || limits[d] < starts[d] || limits[d] > x.shape()[d] || strides[d] < 1) {
      op_error("slice", loc, "[{}:{}:{}] is no range of dimension {} of {}", starts[d], limits[d],
               strides[d], d, x.aval().text());
    }
    shape.push_back((limits[d] - starts[d] + strides[d] - 1) / strides[d]);
  }
  if (shape == x.shape()) return x;
  return make_op(kSlice, {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}},
                 {shape, x.dtype(), {}});
}

Array slice_axis(const Array& x, int64_t axis, int64_t start, int64_t limit, Loc loc) {
  size_t along = static_cast<size_t>(normalize_axis(axis, x.ndim(), "slice_axis", loc));
  std::vector<int64_t> starts(x.shape().size(), 0), limits = x.shape();
  starts[along] = start < 0 ? start + x.shape()[along] : start;
  limits[along] = limit < 0 ? limit + x.shape()[along] : limit;
  return slice(x, starts, limits, {}, loc);
}

Array flip(const Array& x, const std::vector<int64_t>& axes, Loc loc) {
  return make_op(kReverse, {x}, {{"axes", normalize_axes(axes, x.ndim(), "flip", loc)}},
                 {x.shape(), x.dtype(), {}});
}

Array roll(const Array& x, int64_t shift, int64_t axis, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "roll", loc);
  int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (size == 0) return x;
  int64_t cut = ((-shift % size) + size) % size;
  if (cut == 0) return x;
  // Never as an update of a slice: XLA's CPU compiler gets that wrong (openxla/xla#49176).
  return concatenate({slice_axis(x, axis, cut, size, loc), slice_axis(x, axis, 0, cut, loc)}, axis,
                     loc);
}

Array repeat(const Array& x, int64_t count, int64_t axis, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "repeat", loc);
  if (count < 0) op_error("repeat", loc, "the count is {}, expected at least 0", count);
  Shape wide = x.shape(), flat = x.shape();
  wide.insert(wide.begin() + axis + 1, count);
  flat[static_cast<size_t>(axis)] *= count;
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.ndim(); ++d) dims.push_back(d <= axis ? d : d + 1);
  return reshape(broadcast_in_dim(x, wide, dims, loc), flat, loc);
}

Array with_sharding(const Array& x, const Sharding& sharding, Loc) {
  sharding.check(x.shape(), "with_sharding");
  if (!sharding.is_set()) return x;
  return make_op(kSharding, {x}, {}, {x.shape(), x.dtype(), sharding});
}

Array optimization_barrier(const Array& x, Loc) { return make_op(kBarrier, {x}, {}, x.aval()); }

}  // namespace xylem
