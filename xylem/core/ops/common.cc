#include "xylem/core/ops/common.h"

#include <limits>

#include "xylem/core/ops/creation.h"

namespace xylem::ops_internal {

const char* comparison_kind(DType dtype) {
  if (is_floating(dtype)) return "FLOAT";
  return is_unsigned(dtype) || dtype == DType::kBool ? "UNSIGNED" : "SIGNED";
}

std::string combiner_region(const std::string& combiner, DType dtype) {
  std::string type = scalar_type(dtype);
  std::string head = fmt::format("({{\n    ^bb0(%lhs: {}, %rhs: {}):\n", type, type);
  if (combiner == "second") {
    return fmt::format("{}      stablehlo.return %rhs : {}\n    }})", head, type);
  }
  return fmt::format(
      "{}      %both = stablehlo.{} %lhs, %rhs : {}\n      stablehlo.return %both : {}\n    }})",
      head, combiner, type, type);
}

DType accumulation_dtype(DType dtype) {
  if (dtype == DType::kBool) return DType::kS32;
  return is_floating(dtype) && bit_width(dtype) < 32 ? DType::kF32 : dtype;
}

Array extreme(DType dtype, bool lowest) {
  if (dtype == DType::kBool) return scalar(!lowest, dtype);
  if (is_floating(dtype)) {
    double most =
        dtype == DType::kF8E4M3FN ? 448 : std::numeric_limits<double>::infinity();  // has no inf
    return scalar(lowest ? -most : most, dtype);
  }
  int bits = bit_width(dtype);
  if (is_unsigned(dtype)) {
    return scalar(lowest ? uint64_t{0} : ~uint64_t{0} >> (64 - bits), dtype);
  }
  int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return scalar(lowest ? -most - 1 : most, dtype);
}

Array ordered_less(const Array& a, const Array& b) {
  if (!is_floating(a.dtype())) return a < b;
  return (a < b) | ((a == a) & (b != b));
}

Array wrap_indices(const Array& indices, int64_t size, const char* op, Loc loc) {
  if (!is_integer(indices.dtype())) {
    op_error(op, loc, "the indices are {}, expected integers", indices.aval().text());
  }
  if (size >= std::numeric_limits<int32_t>::max()) {
    op_error(op, loc, "an axis of size {} is too long to index", size);
  }
  Array index = bit_width(indices.dtype()) < 32 ? astype(indices, DType::kS32) : indices;
  if (is_unsigned(indices.dtype())) return astype(minimum(index, size), DType::kS32);
  index = astype(minimum(maximum(index, -size - 1), size), DType::kS32);
  return where(index < 0, index + size, index);
}

}  // namespace xylem::ops_internal
