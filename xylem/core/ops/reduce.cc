#include "xylem/core/ops/reduce.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/elementwise.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// inputs: operand, initial value. "combiner" is the StableHLO operation.
std::string lower_reduce(Emitter& e, const Node& node) {
  return fmt::format(
      "stablehlo.reduce({} init: {}) applies stablehlo.{} across dimensions = {} : {}",
      e.value(node.inputs[0]), e.value(node.inputs[1]), node.attrs.string("combiner"),
      list_text(node.attrs.list("axes")), e.function_type(node));
}

const OpDef kReduce = {"reduce", lower_reduce};

std::vector<int64_t> reduction_axes(const Array& x, std::vector<int64_t> axes, const char* op,
                                    Loc loc) {
  if (axes.empty()) {
    axes.resize(static_cast<size_t>(x.ndim()));
    std::iota(axes.begin(), axes.end(), 0);
  }
  return normalize_axes(std::move(axes), x.ndim(), op, loc);
}

Array reduce(const char* op, const char* combiner, const Array& x,
             const std::vector<int64_t>& given, bool keepdims, const Array& initial, Loc loc) {
  std::vector<int64_t> axes = reduction_axes(x, given, op, loc);
  Shape shape, kept;
  for (int64_t d = 0; d < x.ndim(); ++d) {
    bool gone = std::binary_search(axes.begin(), axes.end(), d);
    if (!gone) shape.push_back(x.shape()[static_cast<size_t>(d)]);
    kept.push_back(gone ? 1 : x.shape()[static_cast<size_t>(d)]);
  }
  Array out = x;
  if (!axes.empty()) {
    out = make_op(kReduce, {x, initial}, {{"axes", axes}, {"combiner", std::string(combiner)}},
                  {shape, x.dtype(), {}});
  }
  return keepdims ? reshape(out, kept, loc) : out;
}

Array accumulate(const char* op, const char* combiner, const Array& x,
                 const std::vector<int64_t>& axes, bool keepdims, double initial, Loc loc) {
  DType wide = accumulation_dtype(x.dtype());
  Array out = reduce(op, combiner, astype(x, wide), axes, keepdims, scalar(initial, wide), loc);
  return x.dtype() == DType::kBool ? out : astype(out, x.dtype());
}

void check_not_empty(const char* op, const Array& x, const std::vector<int64_t>& axes, Loc loc) {
  for (int64_t axis : reduction_axes(x, axes, op, loc)) {
    if (x.shape()[static_cast<size_t>(axis)] == 0) {
      op_error(op, loc, "axis {} of {} is empty and has no {}", axis, x.aval().text(), op);
    }
  }
}

}  // namespace

Array sum(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  return accumulate("sum", "add", x, axes, keepdims, 0, loc);
}

Array prod(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  return accumulate("prod", "multiply", x, axes, keepdims, 1, loc);
}

Array mean(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  int64_t count = 1;
  for (int64_t axis : reduction_axes(x, axes, "mean", loc)) {
    count *= x.shape()[static_cast<size_t>(axis)];
  }
  DType wide = is_floating(x.dtype()) ? accumulation_dtype(x.dtype()) : DType::kF32;
  Array total = sum(astype(x, wide), axes, keepdims, loc);
  return astype(total / static_cast<double>(count), is_floating(x.dtype()) ? x.dtype() : wide);
}

Array max(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  check_not_empty("max", x, axes, loc);
  return reduce("max", "maximum", x, axes, keepdims, extreme(x.dtype(), true), loc);
}

Array min(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  check_not_empty("min", x, axes, loc);
  return reduce("min", "minimum", x, axes, keepdims, extreme(x.dtype(), false), loc);
}

Array all(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  if (x.dtype() != DType::kBool) op_error("all", loc, "{}, expected bool", x.aval().text());
  return reduce("all", "and", x, axes, keepdims, scalar(1, DType::kBool), loc);
}

Array any(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  if (x.dtype() != DType::kBool) op_error("any", loc, "{}, expected bool", x.aval().text());
  return reduce("any", "or", x, axes, keepdims, scalar(0, DType::kBool), loc);
}

Array softmax(const Array& x, int64_t axis, Loc loc) {
  if (!is_floating(x.dtype())) op_error("softmax", loc, "{}, expected floats", x.aval().text());
  Array wide = astype(x, accumulation_dtype(x.dtype()));
  Array top = max(wide, {axis}, true, loc);
  // A row of -inf alone would be inf - inf; its exponentials are all zero instead.
  Array shifted = exp(wide - where(is_finite(top), top, 0.0));
  Array total = sum(shifted, {axis}, true, loc);
  return astype(shifted / where(total > 0.0, total, 1.0), x.dtype());
}

Array logsumexp(const Array& x, std::vector<int64_t> axes, bool keepdims, Loc loc) {
  Array top = max(x, axes, true, loc);
  Array safe = where(is_finite(top), top, 0.0);
  Array total = log(sum(exp(x - safe), axes, true, loc)) + safe;
  if (keepdims) return total;
  return squeeze(total, reduction_axes(x, axes, "logsumexp", loc), loc);
}

}  // namespace xylem
