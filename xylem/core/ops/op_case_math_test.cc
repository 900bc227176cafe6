// Runners of the text cases: element-wise operations, reductions, cumulative operations, sorting.
#include "xylem/core/ops/cumulative.h"
#include "xylem/core/ops/math.h"
#include "xylem/core/ops/op_case.h"
#include "xylem/core/ops/sort.h"

namespace xylem {
namespace {

using Unary = Array (*)(const Array&, Loc);
using Binary = Array (*)(const Operand&, const Operand&);
using Reduction = Array (*)(const Array&, std::vector<int64_t>, bool, Loc);
using Scan = Array (*)(const Array&, int64_t, bool, Loc);

OpRunner unary(Unary f) {
  return [f](const OpCase& c) { return std::vector<Array>{f(c.array(0), Loc::current())}; };
}
OpRunner binary(Binary f) {
  return [f](const OpCase& c) { return std::vector<Array>{f(c.inputs.at(0), c.inputs.at(1))}; };
}
OpRunner logical(Array (*f)(const Array&, const Array&, Loc)) {
  return [f](const OpCase& c) {
    return std::vector<Array>{f(c.array(0), c.array(1), Loc::current())};
  };
}
OpRunner reduction(Reduction f) {
  return [f](const OpCase& c) {
    return std::vector<Array>{f(c.array(0), c.list("axes"), c.flag("keepdims"), Loc::current())};
  };
}
OpRunner scan(Scan f) {
  return [f](const OpCase& c) {
    return std::vector<Array>{
        f(c.array(0), c.integer("axis", -1), c.flag("reverse"), Loc::current())};
  };
}

std::vector<Array> run_reduce_precision(const OpCase& c) {
  if (c.has("format")) return {reduce_precision(c.array(0), c.dtype("format"))};
  return {reduce_precision(c.array(0), c.integer("exponent", 8), c.integer("mantissa", 23))};
}

std::vector<Array> run_top_k(const OpCase& c) {
  TopK top = top_k(c.array(0), c.integer("k", 1));
  return {top.values, top.indices};
}

const AddOps kUnary = {
    {"abs", unary(abs)},
    {"negative", unary(negative)},
    {"sign", unary(sign)},
    {"exp", unary(exp)},
    {"expm1", unary(expm1)},
    {"log", unary(log)},
    {"log1p", unary(log1p)},
    {"sqrt", unary(sqrt)},
    {"rsqrt", unary(rsqrt)},
    {"cbrt", unary(cbrt)},
    {"sin", unary(sin)},
    {"cos", unary(cos)},
    {"tan", unary(tan)},
    {"tanh", unary(tanh)},
    {"logistic", unary(logistic)},
    {"floor", unary(floor)},
    {"ceil", unary(ceil)},
    {"round", unary(round)},
    {"is_finite", unary(is_finite)},
    {"erf", unary(erf)},
    {"erf_inv", unary(erf_inv)},
    {"erfc", unary(erfc)},
    {"lgamma", unary(lgamma)},
    {"digamma", unary(digamma)},
    {"asin", unary(asin)},
    {"acos", unary(acos)},
    {"atan", unary(atan)},
    {"sinh", unary(sinh)},
    {"cosh", unary(cosh)},
    {"asinh", unary(asinh)},
    {"acosh", unary(acosh)},
    {"atanh", unary(atanh)},
    {"square", unary(square)},
    {"reciprocal", unary(reciprocal)},
    {"exp2", unary(exp2)},
    {"log2", unary(log2)},
    {"log10", unary(log10)},
    {"isnan", unary(isnan)},
    {"isinf", unary(isinf)},
    {"bitwise_not", unary(bitwise_not)},
    {"population_count", unary(population_count)},
    {"logical_not", unary(logical_not)},
    {"reduce_precision", run_reduce_precision},
    {"astype",
     [](const OpCase& c) { return std::vector<Array>{astype(c.array(0), c.dtype("dtype"))}; }},
    {"bitcast",
     [](const OpCase& c) { return std::vector<Array>{bitcast(c.array(0), c.dtype("dtype"))}; }},
};

const AddOps kBinary = {
    {"add", binary(add)},
    {"subtract", binary(subtract)},
    {"multiply", binary(multiply)},
    {"divide", binary(divide)},
    {"truncated_divide", binary(truncated_divide)},
    {"remainder", binary(remainder)},
    {"floor_divide", binary(floor_divide)},
    {"mod", binary(mod)},
    {"power", binary(power)},
    {"maximum", binary(maximum)},
    {"minimum", binary(minimum)},
    {"atan2", binary(atan2)},
    {"logaddexp", binary(logaddexp)},
    {"bitwise_and", binary(bitwise_and)},
    {"bitwise_or", binary(bitwise_or)},
    {"bitwise_xor", binary(bitwise_xor)},
    {"left_shift", binary(left_shift)},
    {"right_shift", binary(right_shift)},
    {"equal", binary(equal)},
    {"not_equal", binary(not_equal)},
    {"less", binary(less)},
    {"less_equal", binary(less_equal)},
    {"greater", binary(greater)},
    {"greater_equal", binary(greater_equal)},
    {"logical_and", logical(logical_and)},
    {"logical_or", logical(logical_or)},
    {"logical_xor", logical(logical_xor)},
    {"where",
     [](const OpCase& c) {
       return std::vector<Array>{where(c.array(0), c.inputs.at(1), c.inputs.at(2))};
     }},
    {"clip",
     [](const OpCase& c) {
       return std::vector<Array>{clip(c.array(0), c.inputs.at(1), c.inputs.at(2))};
     }},
};

const AddOps kReductions = {
    {"sum", reduction(sum)},
    {"mean", reduction(mean)},
    {"prod", reduction(prod)},
    {"max", reduction(max)},
    {"min", reduction(min)},
    {"all", reduction(all)},
    {"any", reduction(any)},
    {"logsumexp", reduction(logsumexp)},
    {"softmax",
     [](const OpCase& c) {
       return std::vector<Array>{softmax(c.array(0), c.integer("axis", -1))};
     }},
    {"cumsum", scan(cumsum)},
    {"cumprod", scan(cumprod)},
    {"cummax", scan(cummax)},
    {"cummin", scan(cummin)},
    {"cumlogsumexp", scan(cumlogsumexp)},
};

const AddOps kSorting = {
    {"sort",
     [](const OpCase& c) {
       return std::vector<Array>{sort(c.array(0), c.integer("axis", -1), c.flag("descending"))};
     }},
    {"argsort",
     [](const OpCase& c) {
       return std::vector<Array>{argsort(c.array(0), c.integer("axis", -1), c.flag("descending"))};
     }},
    {"sort_together",
     [](const OpCase& c) {
       return sort_together(c.arrays(), c.integer("axis", -1), c.integer("num_keys", 1),
                            c.flag("descending"));
     }},
    {"top_k", run_top_k},
    {"argmax",
     [](const OpCase& c) {
       return std::vector<Array>{argmax(c.array(0), c.integer("axis", -1), c.flag("keepdims"))};
     }},
    {"argmin",
     [](const OpCase& c) {
       return std::vector<Array>{argmin(c.array(0), c.integer("axis", -1), c.flag("keepdims"))};
     }},
    {"searchsorted",
     [](const OpCase& c) {
       return std::vector<Array>{searchsorted(c.array(0), c.array(1), c.flag("right"))};
     }},
};

}  // namespace
}  // namespace xylem
