#include "xylem/core/ops/sort.h"

#include <limits>

#include "xylem/core/ops/common.h"
#include "xylem/core/ops/creation.h"
#include "xylem/core/ops/index.h"
#include "xylem/core/ops/math.h"
#include "xylem/core/ops/shape.h"

namespace xylem {
namespace {

using namespace ops_internal;  // NOLINT(google-build-using-namespace)

// Region text with numbered values of its own.
class RegionText {
 public:
  std::string add(const std::string& right_hand_side) {
    std::string name = fmt::format("%r{}", next_++);
    text_ += fmt::format("      {} = {}\n", name, right_hand_side);
    return name;
  }
  std::string compare(const char* direction, const std::string& a, const std::string& b,
                      DType dtype) {
    std::string type = scalar_type(dtype);
    return add(fmt::format("stablehlo.compare {}, {}, {}, {} : ({}, {}) -> tensor<i1>", direction,
                           a, b, comparison_kind(dtype), type, type));
  }
  std::string logic(const char* op, const std::string& a, const std::string& b) {
    return add(fmt::format("stablehlo.{} {}, {} : tensor<i1>", op, a, b));
  }
  // a before b in ascending order, NaN last.
  std::string before(const std::string& a, const std::string& b, DType dtype) {
    std::string less = compare("LT", a, b, dtype);
    if (!is_floating(dtype)) return less;
    std::string number = compare("EQ", a, a, dtype), nan = compare("NE", b, b, dtype);
    return logic("or", less, logic("and", number, nan));
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
  int next_ = 0;
};

std::string lower_sort(Emitter& e, const Node& node) {
  RegionText region;
  std::vector<std::string> arguments;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    std::string type = scalar_type(node.inputs[i].dtype());
    arguments.push_back(fmt::format("%a{}: {}, %b{}: {}", i, type, i, type));
  }
  bool descending = node.attrs.boolean("descending");
  auto key_before = [&](int64_t key) {
    std::string a = fmt::format("%a{}", key), b = fmt::format("%b{}", key);
    if (descending) std::swap(a, b);
    return region.before(a, b, node.inputs[static_cast<size_t>(key)].dtype());
  };
  // From the least important key up: before on a key, or level on it and before on the rest.
  int64_t last = node.attrs.integer("num_keys") - 1;
  std::string result = key_before(last);
  for (int64_t key = last - 1; key >= 0; --key) {
    std::string before = key_before(key);
    std::string a = fmt::format("%a{}", key), b = fmt::format("%b{}", key);
    DType dtype = node.inputs[static_cast<size_t>(key)].dtype();
    if (descending) std::swap(a, b);
    std::string after = region.before(b, a, dtype);
    std::string level = region.add(fmt::format("stablehlo.not {} : tensor<i1>", after));
    result = region.logic("or", before, region.logic("and", level, result));
  }
  return fmt::format(
      "\"stablehlo.sort\"({}) <{{dimension = {} : i64, is_stable = true}}> ({{\n    ^bb0({}):\n{}"
      "      stablehlo.return {} : tensor<i1>\n    }}) : {}",
      e.values(node.inputs), node.attrs.integer("axis"), fmt::join(arguments, ", "), region.text(),
      result, e.function_type(node));
}

std::string lower_top_k(Emitter& e, const Node& node) {
  return fmt::format("chlo.top_k({}, k = {}) : {} -> ({}, {})", e.values(node.inputs),
                     node.attrs.integer("k"), type_of(node.inputs[0]), tensor_type(node.outputs[0]),
                     tensor_type(node.outputs[1]));
}

// inputs: values, indices, their initial values. Takes the better value, of equals the lower index.
std::string lower_arg_reduce(Emitter& e, const Node& node) {
  DType dtype = node.inputs[0].dtype();
  const char* direction = node.attrs.boolean("largest") ? "GT" : "LT";
  RegionText region;
  std::string better = region.compare(direction, "%a", "%b", dtype);
  std::string level = region.compare("EQ", "%a", "%b", dtype);
  if (is_floating(dtype)) {
    std::string a_nan = region.compare("NE", "%a", "%a", dtype);
    std::string b_number = region.compare("EQ", "%b", "%b", dtype);
    std::string b_nan = region.compare("NE", "%b", "%b", dtype);
    better = region.logic("or", better, region.logic("and", a_nan, b_number));
    level = region.logic("or", level, region.logic("and", a_nan, b_nan));
  }
  std::string lower = region.compare("LT", "%i", "%j", DType::kS32);
  std::string pick = region.logic("or", better, region.logic("and", level, lower));
  std::string type = scalar_type(dtype);
  std::string value =
      region.add(fmt::format("stablehlo.select {}, %a, %b : tensor<i1>, {}", pick, type));
  std::string index =
      region.add(fmt::format("stablehlo.select {}, %i, %j : tensor<i1>, "
                             "tensor<i32>",
                             pick));
  return fmt::format(
      "\"stablehlo.reduce\"({}) <{{dimensions = array<i64: {}>}}> ({{\n    ^bb0(%a: {}, %i: "
      "tensor<i32>, %b: {}, %j: tensor<i32>):\n{}      stablehlo.return {}, {} : {}, "
      "tensor<i32>\n    }}) : {}",
      e.values(node.inputs), node.attrs.integer("axis"), type, type, region.text(), value, index,
      type, e.function_type(node));
}

const OpDef kSort = {"sort", lower_sort};
const OpDef kTopK = {"top_k", lower_top_k};
const OpDef kArgReduce = {"arg_reduce", lower_arg_reduce};

Array arg_reduce(const char* op, bool largest, const Array& x, int64_t axis, bool keepdims,
                 Loc loc) {
  axis = normalize_axis(axis, x.ndim(), op, loc);
  Shape shape = x.shape();
  if (shape[static_cast<size_t>(axis)] == 0) {
    op_error(op, loc, "axis {} of {} is empty and has no {}", axis, x.aval().text(), op);
  }
  shape.erase(shape.begin() + axis);
  Array positions = iota(x.shape(), axis, DType::kS32, loc);
  Array out = make_node(kArgReduce,
                        {x, positions, extreme(x.dtype(), largest), scalar(0, DType::kS32, loc)},
                        {{"axis", axis}, {"largest", largest}},
                        {{shape, x.dtype(), {}}, {shape, DType::kS32, {}}})[1];
  return keepdims ? expand_dims(out, axis, loc) : out;
}

}  // namespace

std::vector<Array> sort_together(const std::vector<Array>& arrays, int64_t axis, int64_t num_keys,
                                 bool descending, Loc loc) {
  if (num_keys < 1 || num_keys > static_cast<int64_t>(arrays.size())) {
    op_error("sort", loc, "{} keys of {} arrays", num_keys, arrays.size());
  }
  axis = normalize_axis(axis, arrays[0].ndim(), "sort", loc);
  std::vector<Aval> outputs;
  for (const Array& array : arrays) {
    if (array.shape() != arrays[0].shape()) {
      op_error("sort", loc, "{} and {} are sorted together: their shapes must be equal",
               arrays[0].aval().text(), array.aval().text());
    }
    outputs.push_back({array.shape(), array.dtype(), {}});
  }
  return make_node(kSort, arrays,
                   {{"axis", axis}, {"num_keys", num_keys}, {"descending", descending}}, outputs);
}

Array sort(const Array& x, int64_t axis, bool descending, Loc loc) {
  return sort_together({x}, axis, 1, descending, loc)[0];
}

Array argsort(const Array& x, int64_t axis, bool descending, Loc loc) {
  axis = normalize_axis(axis, x.ndim(), "argsort", loc);
  return sort_together({x, iota(x.shape(), axis, DType::kS32, loc)}, axis, 1, descending, loc)[1];
}

TopK top_k(const Array& x, int64_t k, Loc loc) {
  int64_t axis = normalize_axis(-1, x.ndim(), "top_k", loc);
  int64_t size = x.shape()[static_cast<size_t>(axis)];
  if (k < 0 || k > size) {
    op_error("top_k", loc, "k is {} for the last axis of {}, expected 0 to {}", k, x.aval().text(),
             size);
  }
  Array values = x;
  if (is_floating(x.dtype())) {
    // The compiler orders NaN by its sign bit (openxla/xla#48119): give all NaN the same one.
    values = where(isnan(x), std::numeric_limits<double>::quiet_NaN(), x, loc);
  }
  Shape shape = x.shape();
  shape.back() = k;
  std::vector<Array> out =
      make_node(kTopK, {values}, {{"k", k}}, {{shape, x.dtype(), {}}, {shape, DType::kS32, {}}});
  return {out[0], out[1]};
}

Array argmax(const Array& x, int64_t axis, bool keepdims, Loc loc) {
  return arg_reduce("argmax", true, x, axis, keepdims, loc);
}

Array argmin(const Array& x, int64_t axis, bool keepdims, Loc loc) {
  return arg_reduce("argmin", false, x, axis, keepdims, loc);
}

Array searchsorted(const Array& sorted, const Array& values, bool right, Loc loc) {
  if (sorted.ndim() != 1) {
    op_error("searchsorted", loc, "{} is searched, expected 1 dimension", sorted.aval().text());
  }
  DType dtype = promote_types(sorted.dtype(), values.dtype());
  Array keys = astype(sorted, dtype, loc), wanted = astype(values, dtype, loc);
  int64_t size = sorted.size();
  // Binary search, unrolled: [low, high) holds the answer.
  Array low = zeros(values.shape(), DType::kS32, loc);
  Array high = full(values.shape(), size, DType::kS32, loc);
  for (int64_t width = size; width > 0; width /= 2) {
    Array middle = low + right_shift(high - low, 1);
    Array key = take(keys, middle, 0, IndexMode::kClip, loc);
    Array below = right ? logical_not(ordered_less(wanted, key)) : ordered_less(key, wanted);
    Array open = low < high;
    low = where(open & below, middle + 1, low);
    high = where(open & logical_not(below), middle, high);
  }
  return low;
}

}  // namespace xylem
