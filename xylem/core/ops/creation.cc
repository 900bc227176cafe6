#include "xylem/core/ops/creation.h"

#include "xylem/core/ops/common.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

std::string lower_full(Emitter&, const Node& node) {
  const Aval& out = node.outputs[0];
  std::string literal;
  if (out.dtype == DType::kBool) {
    literal = node.attrs.boolean("value") ? "true" : "false";
  } else if (is_floating(out.dtype)) {
    literal = float_literal(node.attrs.real("value"), out.dtype);
  } else if (out.dtype == DType::kU64) {
    literal = std::to_string(static_cast<uint64_t>(node.attrs.integer("value")));
  } else {
    literal = std::to_string(node.attrs.integer("value"));
  }
  return fmt::format("stablehlo.constant dense<{}> : {}", literal, tensor_type(out));
}

std::string lower_iota(Emitter&, const Node& node) {
  return fmt::format("stablehlo.iota dim = {} : {}", node.attrs.integer("axis"), out_type(node));
}

const OpDef kFull = {"full", lower_full};
const OpDef kIota = {"iota", lower_iota};

void check_shape(const char* op, const Shape& shape, Loc loc) {
  for (int64_t d : shape) {
    if (d < 0) op_error(op, loc, "the shape {} has a negative size", shape_text(shape));
  }
}

}  // namespace

Array full(const Shape& shape, const Scalar& value, DType dtype, Loc loc) {
  check_shape("full", shape, loc);
  if (!value.fits(dtype)) {
    op_error("full", loc, "{} is no value of {}", value.text(), dtype_name(dtype));
  }
  return make_op(kFull, {}, {{"value", value.attribute(dtype)}}, {shape, dtype, {}});
}

Array zeros(const Shape& shape, DType dtype, Loc loc) { return full(shape, 0, dtype, loc); }
Array ones(const Shape& shape, DType dtype, Loc loc) { return full(shape, 1, dtype, loc); }
Array scalar(const Scalar& value, DType dtype, Loc loc) { return full({}, value, dtype, loc); }

Array iota(const Shape& shape, int64_t axis, DType dtype, Loc loc) {
  check_shape("iota", shape, loc);
  if (dtype == DType::kBool) op_error("iota", loc, "bool cannot count");
  axis = normalize_axis(axis, static_cast<int64_t>(shape.size()), "iota", loc);
  return make_op(kIota, {}, {{"axis", axis}}, {shape, dtype, {}});
}

Array arange(int64_t n, DType dtype, Loc loc) { return iota({n}, 0, dtype, loc); }

}  // namespace xylem
