#include "xylem/core/ops/math.h"

#include <limits>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

std::string lower_chlo(Emitter& e, const Node& node) {
  std::string type = out_type(node);
  return fmt::format("chlo.{} {} : {} -> {}", node.op->name, e.values(node.inputs), type, type);
}

std::string lower_reduce_precision(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.reduce_precision {}, format = e{}m{} : {}", e.values(node.inputs),
                     node.attrs.integer("exponent"), node.attrs.integer("mantissa"),
                     out_type(node));
}

const OpDef kAsin = {"asin", lower_chlo};
const OpDef kAcos = {"acos", lower_chlo};
const OpDef kAtan = {"atan", lower_chlo};
const OpDef kSinh = {"sinh", lower_chlo};
const OpDef kCosh = {"cosh", lower_chlo};
const OpDef kAsinh = {"asinh", lower_chlo};
const OpDef kAcosh = {"acosh", lower_chlo};
const OpDef kAtanh = {"atanh", lower_chlo};
const OpDef kErfc = {"erfc", lower_chlo};
const OpDef kLgamma = {"lgamma", lower_chlo};
const OpDef kDigamma = {"digamma", lower_chlo};
const OpDef kReducePrecision = {"reduce_precision", lower_reduce_precision};

void check_floats(const char* op, const Array& x, Loc loc) {
  if (is_floating(x.dtype())) return;
  op_error(op, loc, "{} is not supported, expected a floating dtype (use astype)",
           dtype_name(x.dtype()));
}

Array floating_op(const OpDef& op, const Array& x, Loc loc) {
  check_floats(op.name, x, loc);
  return make_op(op, {x}, {}, x.aval());
}

// Where the remainder of a truncated division has the wrong sign for a rounded-down one.
Array needs_step(const Array& rest, const Array& divisor) {
  return (rest != 0) & ((rest < 0) != (divisor < 0));
}

Array truth(const Array& x) { return x.dtype() == DType::kBool ? x : x != 0; }

// Exponent and mantissa bits of a floating dtype.
std::pair<int64_t, int64_t> format_bits(DType format, Loc loc) {
  switch (format) {
    case DType::kF64:
      return {11, 52};
    case DType::kF32:
      return {8, 23};
    case DType::kBF16:
      return {8, 7};
    case DType::kF16:
      return {5, 10};
    case DType::kF8E5M2:
      return {5, 2};
    case DType::kF8E4M3FN:
      return {4, 3};
    default:
      op_error("reduce_precision", loc, "{} is no floating dtype", dtype_name(format));
  }
}

}  // namespace

Array floor_divide(const Operand& a, const Operand& b) {
  Pair pair = unify("floor_divide", a, b);
  DType dtype = pair.a.dtype();
  if (is_unsigned(dtype)) return truncated_divide(pair.a, pair.b);
  Array rest = remainder(pair.a, pair.b);
  if (!is_floating(dtype)) {
    Array quotient = truncated_divide(pair.a, pair.b);
    return where(needs_step(rest, pair.b), quotient - 1, quotient);
  }
  // As in NumPy: the exact quotient of a - rest, rounded against the division's own error.
  Array quotient = round((pair.a - rest) / pair.b);
  quotient = where(needs_step(rest, pair.b), quotient - 1, quotient);
  return where(pair.b == 0, pair.a / pair.b, quotient);
}

Array mod(const Operand& a, const Operand& b) {
  Pair pair = unify("mod", a, b);
  Array rest = remainder(pair.a, pair.b);
  if (is_unsigned(rest.dtype())) return rest;
  return where(needs_step(rest, pair.b), rest + pair.b, rest);
}

Array clip(const Array& x, const Operand& low, const Operand& high, Loc loc) {
  return minimum(Operand(maximum(Operand(x, loc), low), loc), high);
}

Array logical_and(const Array& a, const Array& b, Loc loc) {
  return bitwise_and(Operand(truth(a), loc), truth(b));
}
Array logical_or(const Array& a, const Array& b, Loc loc) {
  return bitwise_or(Operand(truth(a), loc), truth(b));
}
Array logical_xor(const Array& a, const Array& b, Loc loc) {
  return bitwise_xor(Operand(truth(a), loc), truth(b));
}
Array logical_not(const Array& x, Loc) { return bitwise_not(truth(x)); }

Array isnan(const Array& x, Loc loc) {
  if (!is_floating(x.dtype())) return full(x.shape(), false, DType::kBool, loc);
  return x != x;
}

Array isinf(const Array& x, Loc loc) {
  if (!is_floating(x.dtype()) || x.dtype() == DType::kF8E4M3FN) {
    return full(x.shape(), false, DType::kBool, loc);
  }
  return abs(x) == std::numeric_limits<double>::infinity();
}

Array square(const Array& x, Loc loc) { return multiply(Operand(x, loc), x); }
Array reciprocal(const Array& x, Loc loc) { return divide(Operand(1, loc), Operand(x, loc)); }
Array exp2(const Array& x, Loc loc) {
  check_floats("exp2", x, loc);
  return power(2.0, x);
}
Array log2(const Array& x, Loc loc) { return log(x, loc) / 0.69314718055994530942; }
Array log10(const Array& x, Loc loc) { return log(x, loc) / 2.30258509299404568402; }

Array logaddexp(const Operand& a, const Operand& b) {
  Pair pair = unify("logaddexp", a, b);
  check_floats("logaddexp", pair.a, a.loc());
  Array top = maximum(pair.a, pair.b);
  Array gap = pair.a - pair.b;
  // The difference of equal infinities is NaN: the sum is then the infinity itself.
  return where(isnan(gap), pair.a + pair.b, top + log1p(exp(-abs(gap))));
}

Array asin(const Array& x, Loc loc) { return floating_op(kAsin, x, loc); }
Array acos(const Array& x, Loc loc) { return floating_op(kAcos, x, loc); }
Array atan(const Array& x, Loc loc) { return floating_op(kAtan, x, loc); }
Array sinh(const Array& x, Loc loc) { return floating_op(kSinh, x, loc); }
Array cosh(const Array& x, Loc loc) { return floating_op(kCosh, x, loc); }
Array asinh(const Array& x, Loc loc) { return floating_op(kAsinh, x, loc); }
Array acosh(const Array& x, Loc loc) { return floating_op(kAcosh, x, loc); }
Array atanh(const Array& x, Loc loc) { return floating_op(kAtanh, x, loc); }
Array erfc(const Array& x, Loc loc) { return floating_op(kErfc, x, loc); }
Array lgamma(const Array& x, Loc loc) { return floating_op(kLgamma, x, loc); }
Array digamma(const Array& x, Loc loc) { return floating_op(kDigamma, x, loc); }

Array reduce_precision(const Array& x, int64_t exponent_bits, int64_t mantissa_bits, Loc loc) {
  check_floats("reduce_precision", x, loc);
  if (exponent_bits < 1 || mantissa_bits < 0) {
    op_error("reduce_precision", loc, "a format of {} exponent and {} mantissa bits does not exist",
             exponent_bits, mantissa_bits);
  }
  return make_op(kReducePrecision, {x}, {{"exponent", exponent_bits}, {"mantissa", mantissa_bits}},
                 x.aval());
}

Array reduce_precision(const Array& x, DType format, Loc loc) {
  auto [exponent, mantissa] = format_bits(format, loc);
  return reduce_precision(x, exponent, mantissa, loc);
}

}  // namespace xylem
