// Matrix products.
#pragma once

#include <vector>

#include "xylem/core/array.h"

namespace xylem {

// Axes of a general product: result is batch axes, then the free axes of a, then those of b.
struct DotDims {
  std::vector<int64_t> a_contract, b_contract;
  std::vector<int64_t> a_batch = {}, b_batch = {};
};

// How inputs may be rounded: kDefault lets a TPU multiply f32 in bf16.
enum class Precision { kDefault, kHigh, kHighest };

// Products accumulate in `result` (f32 for the 16-bit floats unless said otherwise).
Array dot_general(const Array& a, const Array& b, const DotDims& dims, DType result,
                  Precision precision = Precision::kDefault, Loc loc = Loc::current());
// NumPy's matmul: 1-d operands are vectors, leading axes broadcast. The result has the promoted
// dtype of the inputs.
Array matmul(const Array& a, const Array& b, Loc loc = Loc::current());

}  // namespace xylem
