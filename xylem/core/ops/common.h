// Helpers shared by the files of operations; not for users.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "xylem/core/emitter.h"
#include "xylem/core/node.h"
#include "xylem/core/ops/elementwise.h"

namespace xylem::ops_internal {

// "(2,3)"
inline std::string shape_text(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape, ","));
}

// "[0, 1]"
inline std::string list_text(const std::vector<int64_t>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

inline std::string type_of(const Array& array) { return tensor_type(array.aval()); }
inline std::string out_type(const Node& node) { return tensor_type(node.outputs[0]); }

// "tensor<f32>"
inline std::string scalar_type(DType dtype) { return tensor_type({{}, dtype, {}}); }

// FLOAT, SIGNED or UNSIGNED: how StableHLO compares values of the dtype.
const char* comparison_kind(DType dtype);

// The region of a reduction or scatter: `({ ^bb0(%lhs, %rhs): return OP(%lhs, %rhs) })`; "second"
// in place of an operation returns %rhs.
std::string combiner_region(const std::string& combiner, DType dtype);

// Both sides of a binary operation with one dtype and one shape.
struct Pair {
  Array a, b;
};
Pair unify(const char* op, const Operand& a, const Operand& b);

// The dtype that sums and products accumulate in: f32 for the 16- and 8-bit floats, int32 for
// bool.
DType accumulation_dtype(DType dtype);
// The identity of max (`lowest`) or min, as a scalar array: integers have no infinity.
Array extreme(DType dtype, bool lowest);
// a < b with NaN above all numbers, as sorting wants it.
Array ordered_less(const Array& a, const Array& b);
// Indices as int32 for an axis of this size: negative ones wrap once, and what lies outside
// afterwards is -1 or size. Unsigned indices never wrap.
Array wrap_indices(const Array& indices, int64_t size, const char* op, Loc loc);

}  // namespace xylem::ops_internal
