#include "xylem/core/ops/window.h"

#include <algorithm>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// "[[1, 2], [0, 0]]" of a list of pairs laid flat.
std::string pairs_text(const std::vector<int64_t>& flat) {
  std::vector<std::string> pairs;
  for (size_t i = 0; i < flat.size(); i += 2) {
    pairs.push_back(fmt::format("[{}, {}]", flat[i], flat[i + 1]));
  }
  return fmt::format("[{}]", fmt::join(pairs, ", "));
}

std::string lower_conv(Emitter& e, const Node& node) {
  std::vector<int64_t> spatial;
  for (int64_t d = 0; d < node.inputs[0].ndim() - 2; ++d) spatial.push_back(d);
  std::string tail;
  for (int64_t d : spatial) tail += fmt::format(", {}", d);
  return fmt::format(
      "stablehlo.convolution({}) dim_numbers = [b, f{}]x[o, i{}]->[b, f{}], window = {{stride = "
      "{}, pad = {}, lhs_dilate = {}, rhs_dilate = {}}} {{batch_group_count = {} : i64, "
      "feature_group_count = {} : i64}} : {}",
      e.values(node.inputs), tail, tail, tail, list_text(node.attrs.list("strides")),
      pairs_text(node.attrs.list("padding")), list_text(node.attrs.list("x_dilation")),
      list_text(node.attrs.list("kernel_dilation")), node.attrs.integer("batch_groups"),
      node.attrs.integer("groups"), e.function_type(node));
}

constexpr const char* kCombinerNames[] = {"second", "add", "multiply", "minimum", "maximum"};

std::string array_text(const Node& node, const char* name) {
  return fmt::format("array<i64: {}>", fmt::join(node.attrs.list(name), ", "));
}

std::string lower_reduce_window(Emitter& e, const Node& node) {
  return fmt::format(
      "\"stablehlo.reduce_window\"({}) <{{window_dimensions = {}, window_strides = {}, "
      "base_dilations = {}, window_dilations = {}, padding = dense<{}> : tensor<{}x2xi64>}}> {} : "
      "{}",
      e.values(node.inputs), array_text(node, "window"), array_text(node, "strides"),
      array_text(node, "x_dilation"), array_text(node, "window_dilation"),
      pairs_text(node.attrs.list("padding")), node.attrs.list("window").size(),
      combiner_region(kCombinerNames[node.attrs.integer("combiner")], node.inputs[0].dtype()),
      e.function_type(node));
}

const OpDef kConv = {"convolution", lower_conv};
const OpDef kReduceWindow = {"reduce_window", lower_reduce_window};

// What every axis that a window slides along needs.
struct Slide {
  std::vector<int64_t> strides, padding, x_dilation, window_dilation;
};

std::vector<int64_t> filled(const char* op, const char* what, std::vector<int64_t> list, size_t n,
                            Loc loc) {
  if (list.empty()) list.assign(n, 1);
  if (list.size() != n || std::any_of(list.begin(), list.end(), [](int64_t v) { return v < 1; })) {
    op_error(op, loc, "the {} are {}, expected {} positive numbers", what, list_text(list), n);
  }
  return list;
}

std::vector<int64_t> flat_padding(const char* op,
                                  const std::vector<std::pair<int64_t, int64_t>>& padding, size_t n,
                                  Loc loc) {
  if (!padding.empty() && padding.size() != n) {
    op_error(op, loc, "{} pairs of padding are given, expected {}", padding.size(), n);
  }
  std::vector<int64_t> flat;
  for (auto [low, high] : padding) flat.insert(flat.end(), {low, high});
  flat.resize(2 * n, 0);
  return flat;
}

// Places of a window of `size` elements along axis d of the slide.
int64_t places(const Slide& slide, size_t d, int64_t length, int64_t size) {
  auto spread = [](int64_t count, int64_t by) { return count == 0 ? 0 : (count - 1) * by + 1; };
  int64_t padded =
      spread(length, slide.x_dilation[d]) + slide.padding[2 * d] + slide.padding[2 * d + 1];
  int64_t window = spread(size, slide.window_dilation[d]);
  return padded < window ? 0 : (padded - window) / slide.strides[d] + 1;
}

void check_conv(const Array& x, const Array& kernel, const ConvOptions& options, Loc loc) {
  if (x.ndim() < 2 || x.ndim() != kernel.ndim()) {
    op_error("conv_general", loc, "{} with the kernel {}: expected as many dimensions, 2 or more",
             x.aval().text(), kernel.aval().text());
  }
  int64_t groups = options.groups, batch_groups = options.batch_groups;
  if (groups < 1 || batch_groups < 1 || (groups > 1 && batch_groups > 1)) {
    op_error("conv_general", loc, "{} groups and {} batch groups: one must be 1", groups,
             batch_groups);
  }
  if (x.dim(1) != kernel.dim(1) * groups || kernel.dim(0) % (groups * batch_groups) != 0 ||
      x.dim(0) % batch_groups != 0) {
    op_error("conv_general", loc, "{} with the kernel {} in {} groups: channels do not fit",
             x.aval().text(), kernel.aval().text(), groups * batch_groups);
  }
}

Array identity(Combiner combiner, DType dtype, Loc loc) {
  switch (combiner) {
    case Combiner::kAdd:
      return scalar(0, dtype, loc);
    case Combiner::kMultiply:
      return scalar(1, dtype, loc);
    case Combiner::kMin:
      return extreme(dtype, false);
    case Combiner::kMax:
      return extreme(dtype, true);
    default:
      op_error("reduce_window", loc, "kSet combines nothing");
  }
}

}  // namespace

Array conv_general(const Array& x, const Array& kernel, const ConvOptions& options, Loc loc) {
  check_conv(x, kernel, options, loc);
  size_t n = x.shape().size() - 2;
  Slide slide = {
      filled("conv_general", "strides", options.strides, n, loc),
      flat_padding("conv_general", options.padding, n, loc),
      filled("conv_general", "dilations of x", options.x_dilation, n, loc),
      filled("conv_general", "dilations of the kernel", options.kernel_dilation, n, loc)};
  Shape shape = {x.dim(0) / options.batch_groups, kernel.dim(0)};
  for (size_t d = 0; d < n; ++d) {
    shape.push_back(places(slide, d, x.shape()[d + 2], kernel.shape()[d + 2]));
  }
  DType dtype = promote_types(x.dtype(), kernel.dtype()), wide = accumulation_dtype(dtype);
  Array out = make_op(kConv, {astype(x, wide, loc), astype(kernel, wide, loc)},
                      {{"strides", slide.strides},
                       {"padding", slide.padding},
                       {"x_dilation", slide.x_dilation},
                       {"kernel_dilation", slide.window_dilation},
                       {"groups", options.groups},
                       {"batch_groups", options.batch_groups}},
                      {shape, wide, {}});
  return astype(out, dtype, loc);
}

Array reduce_window(const Array& x, Combiner combiner, const Shape& window,
                    const WindowOptions& options, Loc loc) {
  size_t n = x.shape().size();
  filled("reduce_window", "sizes of the window", window.empty() ? Shape(n + 1, 1) : window, n, loc);
  Slide slide = {
      filled("reduce_window", "strides", options.strides, n, loc),
      flat_padding("reduce_window", options.padding, n, loc),
      filled("reduce_window", "dilations of x", options.x_dilation, n, loc),
      filled("reduce_window", "dilations of the window", options.window_dilation, n, loc)};
  Shape shape;
  for (size_t d = 0; d < n; ++d) shape.push_back(places(slide, d, x.shape()[d], window[d]));
  bool sums = combiner == Combiner::kAdd || combiner == Combiner::kMultiply;
  DType wide = sums ? accumulation_dtype(x.dtype()) : x.dtype();
  Array out = make_op(kReduceWindow, {astype(x, wide, loc), identity(combiner, wide, loc)},
                      {{"window", window},
                       {"strides", slide.strides},
                       {"padding", slide.padding},
                       {"x_dilation", slide.x_dilation},
                       {"window_dilation", slide.window_dilation},
                       {"combiner", static_cast<int64_t>(combiner)}},
                      {shape, wide, {}});
  return x.dtype() == DType::kBool ? out : astype(out, x.dtype(), loc);
}

}  // namespace xylem
