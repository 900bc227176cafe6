#include "xylem/core/ops/linalg.h"

#include <algorithm>
#include <numeric>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/elementwise.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

constexpr const char* kPrecisionNames[] = {"DEFAULT", "HIGH", "HIGHEST"};

std::string lower_dot(Emitter& e, const Node& node) {
  std::string batching;
  if (!node.attrs.list("a_batch").empty()) {
    batching = fmt::format("batching_dims = {} x {}, ", list_text(node.attrs.list("a_batch")),
                           list_text(node.attrs.list("b_batch")));
  }
  const char* precision = kPrecisionNames[node.attrs.integer("precision")];
  return fmt::format(
      "stablehlo.dot_general {}, {}contracting_dims = {} x {}, precision = [{}, {}] : {}",
      e.values(node.inputs), batching, list_text(node.attrs.list("a_contract")),
      list_text(node.attrs.list("b_contract")), precision, precision, e.function_type(node));
}

const OpDef kDot = {"dot_general", lower_dot};

// Sizes of the axes that are in neither list.
void append_free(const Array& x, const std::vector<int64_t>& contract,
                 const std::vector<int64_t>& batch, Shape& shape) {
  for (int64_t d = 0; d < x.ndim(); ++d) {
    bool used = std::count(contract.begin(), contract.end(), d) > 0 ||
                std::count(batch.begin(), batch.end(), d) > 0;
    if (!used) shape.push_back(x.shape()[static_cast<size_t>(d)]);
  }
}

void check_pairs(const char* what, const Array& a, const Array& b, const std::vector<int64_t>& da,
                 const std::vector<int64_t>& db, Loc loc) {
  bool good = da.size() == db.size();
  for (size_t i = 0; good && i < da.size(); ++i) {
    good = a.shape()[static_cast<size_t>(da[i])] == b.shape()[static_cast<size_t>(db[i])];
  }
  if (!good) {
    op_error("dot_general", loc, "{} axes {} of {} and {} of {} differ in number or size", what,
             list_text(da), a.aval().text(), list_text(db), b.aval().text());
  }
}

}  // namespace

Array dot_general(const Array& a, const Array& b, const DotDims& dims, DType result,
                  Precision precision, Loc loc) {
  auto axes_a = [&](const std::vector<int64_t>& axes) {
    return normalize_axes(axes, a.ndim(), "dot_general", loc, false);
  };
  auto axes_b = [&](const std::vector<int64_t>& axes) {
    return normalize_axes(axes, b.ndim(), "dot_general", loc, false);
  };
  std::vector<int64_t> ac = axes_a(dims.a_contract), ab = axes_a(dims.a_batch);
  std::vector<int64_t> bc = axes_b(dims.b_contract), bb = axes_b(dims.b_batch);
  if (bit_width(a.dtype()) == 4 || bit_width(b.dtype()) == 4) {  // XLA's CPU compiler has no such
    auto widened = [&](const Array& x) {
      return bit_width(x.dtype()) == 4 ? astype(x, result, loc) : x;
    };
    return dot_general(widened(a), widened(b), dims, result, precision, loc);
  }
  check_pairs("contracting", a, b, ac, bc, loc);
  check_pairs("batching", a, b, ab, bb, loc);
  Shape shape;
  for (int64_t d : ab) shape.push_back(a.shape()[static_cast<size_t>(d)]);
  append_free(a, ac, ab, shape);
  append_free(b, bc, bb, shape);
  return make_op(kDot, {a, b},
                 {{"a_contract", ac},
                  {"b_contract", bc},
                  {"a_batch", ab},
                  {"b_batch", bb},
                  {"precision", static_cast<int64_t>(precision)}},
                 {shape, result, {}});
}

Array matmul(const Array& a, const Array& b, Loc loc) {
  if (a.ndim() == 0 || b.ndim() == 0) {
    op_error("matmul", loc, "{} x {}: scalars have no matrix product; use multiply",
             a.aval().text(), b.aval().text());
  }
  int64_t ka = a.dim(-1), kb = b.ndim() == 1 ? b.dim(0) : b.dim(-2);
  if (ka != kb) {
    op_error("matmul", loc, "{} x {}: inner sizes {} and {} differ", a.aval().text(),
             b.aval().text(), ka, kb);
  }
  DType dtype = promote_types(a.dtype(), b.dtype());
  Array x = astype(a.ndim() == 1 ? expand_dims(a, 0) : a, dtype);
  Array y = astype(b.ndim() == 1 ? expand_dims(b, 1) : b, dtype);
  Shape batch = broadcast_shapes(Shape(x.shape().begin(), x.shape().end() - 2),
                                 Shape(y.shape().begin(), y.shape().end() - 2), "matmul", loc);
  auto stretch = [&](const Array& side) {
    Shape shape = batch;
    shape.insert(shape.end(), side.shape().end() - 2, side.shape().end());
    return broadcast_to(side, shape, loc);
  };
  bool plain_right = y.ndim() == 2;  // no batch on the right: one product over all rows of a
  std::vector<int64_t> batch_axes(plain_right ? 0 : batch.size());
  std::iota(batch_axes.begin(), batch_axes.end(), 0);
  if (!plain_right) {
    x = stretch(x);
    y = stretch(y);
  }
  Array out = dot_general(x, y, {{x.ndim() - 1}, {y.ndim() - 2}, batch_axes, batch_axes}, dtype,
                          Precision::kDefault, loc);
  if (b.ndim() == 1) out = squeeze(out, {-1}, loc);
  if (a.ndim() == 1) out = squeeze(out, {b.ndim() == 1 ? -1 : -2}, loc);
  return out;
}

}  // namespace xylem
