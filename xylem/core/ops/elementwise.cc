#include "xylem/core/ops/elementwise.h"

#include <cmath>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// `stablehlo.NAME %a, %b : T`, NAME being the node's name.
std::string lower_same_type(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.{} {} : {}", node.op->name, e.values(node.inputs), out_type(node));
}

std::string lower_chlo(Emitter& e, const Node& node) {
  std::string type = out_type(node);
  return fmt::format("chlo.{} {} : {} -> {}", node.op->name, e.values(node.inputs), type, type);
}

std::string lower_is_finite(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.is_finite {} : {}", e.values(node.inputs), e.function_type(node));
}

std::string lower_convert(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.{} {} : {}", node.op->name, e.values(node.inputs),
                     e.function_type(node));
}

std::string lower_compare(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.compare {}, {}, {} : {}", node.attrs.string("direction"),
                     e.values(node.inputs), comparison_kind(node.inputs[0].dtype()),
                     e.function_type(node));
}

std::string lower_select(Emitter& e, const Node& node) {
  return fmt::format("stablehlo.select {} : {}, {}", e.values(node.inputs), type_of(node.inputs[0]),
                     out_type(node));
}

const OpDef kAdd = {"add", lower_same_type};
const OpDef kSubtract = {"subtract", lower_same_type};
const OpDef kMultiply = {"multiply", lower_same_type};
const OpDef kDivide = {"divide", lower_same_type};
const OpDef kRemainder = {"remainder", lower_same_type};
const OpDef kPower = {"power", lower_same_type};
const OpDef kMaximum = {"maximum", lower_same_type};
const OpDef kMinimum = {"minimum", lower_same_type};
const OpDef kAtan2 = {"atan2", lower_same_type};
const OpDef kAnd = {"and", lower_same_type};
const OpDef kOr = {"or", lower_same_type};
const OpDef kXor = {"xor", lower_same_type};
const OpDef kShiftLeft = {"shift_left", lower_same_type};
const OpDef kShiftRightLogical = {"shift_right_logical", lower_same_type};
const OpDef kShiftRightArithmetic = {"shift_right_arithmetic", lower_same_type};
const OpDef kCompare = {"compare", lower_compare};
const OpDef kSelect = {"select", lower_select};
const OpDef kAbs = {"abs", lower_same_type};
const OpDef kNegate = {"negate", lower_same_type};
const OpDef kSign = {"sign", lower_same_type};
const OpDef kExp = {"exponential", lower_same_type};
const OpDef kExpm1 = {"exponential_minus_one", lower_same_type};
const OpDef kLog = {"log", lower_same_type};
const OpDef kLog1p = {"log_plus_one", lower_same_type};
const OpDef kSqrt = {"sqrt", lower_same_type};
const OpDef kRsqrt = {"rsqrt", lower_same_type};
const OpDef kCbrt = {"cbrt", lower_same_type};
const OpDef kSine = {"sine", lower_same_type};
const OpDef kCosine = {"cosine", lower_same_type};
const OpDef kTan = {"tan", lower_same_type};
const OpDef kTanh = {"tanh", lower_same_type};
const OpDef kLogistic = {"logistic", lower_same_type};
const OpDef kFloor = {"floor", lower_same_type};
const OpDef kCeil = {"ceil", lower_same_type};
const OpDef kRound = {"round_nearest_even", lower_same_type};
const OpDef kNot = {"not", lower_same_type};
const OpDef kPopcnt = {"popcnt", lower_same_type};
const OpDef kErf = {"erf", lower_chlo};
const OpDef kErfInv = {"erf_inv", lower_chlo};
const OpDef kIsFinite = {"is_finite", lower_is_finite};
const OpDef kConvert = {"convert", lower_convert};
const OpDef kBitcast = {"bitcast_convert", lower_convert};

enum class Kinds { kAny, kNumbers, kFloats, kBits };

void check_kind(const char* op, DType dtype, Kinds kinds, Loc loc) {
  bool floating = is_floating(dtype), integer = is_integer(dtype), boolean = dtype == DType::kBool;
  bool good = kinds == Kinds::kAny || (kinds == Kinds::kNumbers && !boolean) ||
              (kinds == Kinds::kFloats && floating) ||
              (kinds == Kinds::kBits && (integer || boolean));
  if (good) return;
  const char* expected = kinds == Kinds::kFloats ? "a floating dtype (use astype)"
                         : kinds == Kinds::kBits ? "bool or an integer dtype"
                                                 : "a number dtype";
  op_error(op, loc, "{} is not supported, expected {}", dtype_name(dtype), expected);
}

// The dtype of a scalar beside an array of `other`: the array's, unless the scalar needs more.
DType scalar_dtype(const Operand& scalar, DType other) {
  DType kind = scalar.scalar().kind();
  if (kind == DType::kF32 && !is_floating(other)) return DType::kF32;
  if (kind == DType::kS32 && other == DType::kBool) return DType::kS32;
  return other;
}

}  // namespace

Pair ops_internal::unify(const char* op, const Operand& a, const Operand& b) {
  if (a.is_scalar() && b.is_scalar()) op_error(op, a.loc(), "needs at least one array");
  Loc loc = a.is_scalar() ? b.loc() : a.loc();
  DType dtype = a.is_scalar()   ? scalar_dtype(a, b.array().dtype())
                : b.is_scalar() ? scalar_dtype(b, a.array().dtype())
                                : promote_types(a.array().dtype(), b.array().dtype());
  Shape shape = a.is_scalar()   ? b.array().shape()
                : b.is_scalar() ? a.array().shape()
                                : broadcast_shapes(a.array().shape(), b.array().shape(), op, loc);
  auto side = [&](const Operand& x) {
    if (x.is_scalar()) return full(shape, x.scalar(), dtype, loc);
    return broadcast_to(astype(x.array(), dtype, loc), shape, loc);
  };
  return {side(a), side(b)};
}

namespace {

Sharding joint_sharding(const Array& a, const Array& b) {
  return a.sharding() == b.sharding() ? a.sharding() : Sharding{};
}

Array binary(const OpDef& op, const Operand& a, const Operand& b, Kinds kinds) {
  Pair pair = unify(op.name, a, b);
  check_kind(op.name, pair.a.dtype(), kinds, a.loc());
  Aval out{pair.a.shape(), pair.a.dtype(), joint_sharding(pair.a, pair.b)};
  return make_op(op, {pair.a, pair.b}, {}, out);
}

Array compare(const char* direction, const Operand& a, const Operand& b) {
  Pair pair = unify("compare", a, b);
  return make_op(kCompare, {pair.a, pair.b}, {{"direction", std::string(direction)}},
                 {pair.a.shape(), DType::kBool, joint_sharding(pair.a, pair.b)});
}

Array unary(const OpDef& op, const Array& x, Kinds kinds, Loc loc) {
  check_kind(op.name, x.dtype(), kinds, loc);
  return make_op(op, {x}, {}, x.aval());
}

}  // namespace

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::kBool) return b;
  if (b == DType::kBool) return a;
  if (is_floating(a) != is_floating(b)) return is_floating(a) ? a : b;
  if (is_floating(a)) {
    // Two floats of one width (bf16 and f16, the two fp8) meet at the next that holds both.
    if (bit_width(a) == bit_width(b)) return bit_width(a) == 8 ? DType::kBF16 : DType::kF32;
    return bit_width(a) > bit_width(b) ? a : b;
  }
  if (is_unsigned(a) == is_unsigned(b)) return bit_width(a) > bit_width(b) ? a : b;
  DType with_sign = is_unsigned(a) ? b : a, without = is_unsigned(a) ? a : b;
  if (bit_width(with_sign) > bit_width(without)) return with_sign;
  switch (bit_width(without)) {
    case 4:
      return DType::kS8;
    case 8:
      return DType::kS16;
    case 16:
      return DType::kS32;
    case 32:
      return DType::kS64;
    default:
      return DType::kF32;  // uint64 with a signed integer
  }
}

Shape broadcast_shapes(const Shape& a, const Shape& b, const char* op, Loc loc) {
  size_t ndim = std::max(a.size(), b.size());
  Shape out(ndim);
  for (size_t i = 0; i < ndim; ++i) {
    int64_t x = i < ndim - a.size() ? 1 : a[i - (ndim - a.size())];
    int64_t y = i < ndim - b.size() ? 1 : b[i - (ndim - b.size())];
    if (x != y && x != 1 && y != 1) {
      op_error(op, loc,
               "shapes {} and {} do not broadcast: sizes {} and {} differ and neither is 1",
               shape_text(a), shape_text(b), x, y);
    }
    out[i] = x == 1 ? y : x;
  }
  return out;
}

Array add(const Operand& a, const Operand& b) { return binary(kAdd, a, b, Kinds::kNumbers); }
Array subtract(const Operand& a, const Operand& b) {
  return binary(kSubtract, a, b, Kinds::kNumbers);
}
Array multiply(const Operand& a, const Operand& b) {
  return binary(kMultiply, a, b, Kinds::kNumbers);
}

Array divide(const Operand& a, const Operand& b) {
  auto floating = [](const Operand& x) {
    if (x.is_scalar() || is_floating(x.array().dtype())) return x;
    return Operand(astype(x.array(), DType::kF32, x.loc()), x.loc());
  };
  return binary(kDivide, floating(a), floating(b), Kinds::kFloats);
}

Array truncated_divide(const Operand& a, const Operand& b) {
  return binary(kDivide, a, b, Kinds::kNumbers);
}
Array remainder(const Operand& a, const Operand& b) {
  return binary(kRemainder, a, b, Kinds::kNumbers);
}
Array power(const Operand& a, const Operand& b) { return binary(kPower, a, b, Kinds::kNumbers); }
Array maximum(const Operand& a, const Operand& b) { return binary(kMaximum, a, b, Kinds::kAny); }
Array minimum(const Operand& a, const Operand& b) { return binary(kMinimum, a, b, Kinds::kAny); }
Array atan2(const Operand& a, const Operand& b) { return binary(kAtan2, a, b, Kinds::kFloats); }
Array bitwise_and(const Operand& a, const Operand& b) { return binary(kAnd, a, b, Kinds::kBits); }
Array bitwise_or(const Operand& a, const Operand& b) { return binary(kOr, a, b, Kinds::kBits); }
Array bitwise_xor(const Operand& a, const Operand& b) { return binary(kXor, a, b, Kinds::kBits); }
Array left_shift(const Operand& a, const Operand& b) {
  return binary(kShiftLeft, a, b, Kinds::kBits);
}

Array right_shift(const Operand& a, const Operand& b) {
  DType dtype = a.is_scalar() ? b.array().dtype() : a.array().dtype();
  return binary(is_unsigned(dtype) ? kShiftRightLogical : kShiftRightArithmetic, a, b,
                Kinds::kBits);
}

Array equal(const Operand& a, const Operand& b) { return compare("EQ", a, b); }
Array not_equal(const Operand& a, const Operand& b) { return compare("NE", a, b); }
Array less(const Operand& a, const Operand& b) { return compare("LT", a, b); }
Array less_equal(const Operand& a, const Operand& b) { return compare("LE", a, b); }
Array greater(const Operand& a, const Operand& b) { return compare("GT", a, b); }
Array greater_equal(const Operand& a, const Operand& b) { return compare("GE", a, b); }

Array where(const Array& condition, const Operand& a, const Operand& b, Loc loc) {
  if (condition.dtype() != DType::kBool) {
    op_error("where", loc, "the condition is {}, expected bool", condition.aval().text());
  }
  if (a.is_scalar() && b.is_scalar()) {
    DType dtype = promote_types(a.scalar().kind(), b.scalar().kind());
    return where(condition, full(condition.shape(), a.scalar(), dtype, loc),
                 full(condition.shape(), b.scalar(), dtype, loc), loc);
  }
  Pair pair = unify("where", a, b);
  Shape shape = broadcast_shapes(condition.shape(), pair.a.shape(), "where", loc);
  Array x = broadcast_to(pair.a, shape, loc), y = broadcast_to(pair.b, shape, loc);
  return make_op(kSelect, {broadcast_to(condition, shape, loc), x, y}, {},
                 {shape, x.dtype(), joint_sharding(x, y)});
}

Array abs(const Array& x, Loc loc) {
  return is_unsigned(x.dtype()) ? x : unary(kAbs, x, Kinds::kNumbers, loc);
}
Array negative(const Array& x, Loc loc) { return unary(kNegate, x, Kinds::kNumbers, loc); }
Array sign(const Array& x, Loc loc) {
  // StableHLO's sign takes no unsigned integers.
  return is_unsigned(x.dtype()) ? minimum(Operand(x, loc), 1)
                                : unary(kSign, x, Kinds::kNumbers, loc);
}
Array exp(const Array& x, Loc loc) { return unary(kExp, x, Kinds::kFloats, loc); }
Array expm1(const Array& x, Loc loc) { return unary(kExpm1, x, Kinds::kFloats, loc); }
Array log(const Array& x, Loc loc) { return unary(kLog, x, Kinds::kFloats, loc); }
Array log1p(const Array& x, Loc loc) { return unary(kLog1p, x, Kinds::kFloats, loc); }
Array sqrt(const Array& x, Loc loc) { return unary(kSqrt, x, Kinds::kFloats, loc); }
Array rsqrt(const Array& x, Loc loc) { return unary(kRsqrt, x, Kinds::kFloats, loc); }
Array cbrt(const Array& x, Loc loc) { return unary(kCbrt, x, Kinds::kFloats, loc); }
Array sin(const Array& x, Loc loc) { return unary(kSine, x, Kinds::kFloats, loc); }
Array cos(const Array& x, Loc loc) { return unary(kCosine, x, Kinds::kFloats, loc); }
Array tan(const Array& x, Loc loc) { return unary(kTan, x, Kinds::kFloats, loc); }
Array tanh(const Array& x, Loc loc) { return unary(kTanh, x, Kinds::kFloats, loc); }
Array logistic(const Array& x, Loc loc) { return unary(kLogistic, x, Kinds::kFloats, loc); }
Array floor(const Array& x, Loc loc) { return unary(kFloor, x, Kinds::kFloats, loc); }
Array ceil(const Array& x, Loc loc) { return unary(kCeil, x, Kinds::kFloats, loc); }
Array round(const Array& x, Loc loc) { return unary(kRound, x, Kinds::kFloats, loc); }
Array erf(const Array& x, Loc loc) { return unary(kErf, x, Kinds::kFloats, loc); }
Array erf_inv(const Array& x, Loc loc) { return unary(kErfInv, x, Kinds::kFloats, loc); }
Array bitwise_not(const Array& x, Loc loc) { return unary(kNot, x, Kinds::kBits, loc); }
Array population_count(const Array& x, Loc loc) { return unary(kPopcnt, x, Kinds::kBits, loc); }

Array is_finite(const Array& x, Loc loc) {
  check_kind("is_finite", x.dtype(), Kinds::kFloats, loc);
  return make_op(kIsFinite, {x}, {}, {x.shape(), DType::kBool, x.sharding()});
}

Array astype(const Array& x, DType dtype, Loc) {
  if (x.dtype() == dtype) return x;
  return make_op(kConvert, {x}, {}, {x.shape(), dtype, x.sharding()});
}

Array bitcast(const Array& x, DType dtype, Loc loc) {
  if (x.dtype() == dtype) return x;
  int from = bit_width(x.dtype()), to = bit_width(dtype);
  if (x.dtype() == DType::kBool || dtype == DType::kBool) {
    op_error("bitcast", loc, "bool has no bits to reinterpret; use astype");
  }
  Shape shape = x.shape();
  if (from > to) {
    shape.push_back(from / to);
  } else if (from < to) {
    if (shape.empty() || shape.back() != to / from) {
      op_error("bitcast", loc, "the last dimension of {} must be {} to become {}", x.aval().text(),
               to / from, dtype_name(dtype));
    }
    shape.pop_back();
  }
  return make_op(kBitcast, {x}, {}, {shape, dtype, {}});
}

}  // namespace xylem
