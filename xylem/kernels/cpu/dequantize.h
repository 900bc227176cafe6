// GGUF blocks to floats, in scalar code: what the packed kernels are tested against, and how the
// loader reads small tensors.
//
//   std::vector<float> w(n);
//   dequantize(BlockType::kQ4K, tensor_bytes, w.data(), n);
#pragma once

#include <cstdint>

#include "xylem/kernels/block_types.h"

namespace xylem::kernels {

// n values from n / elements blocks of block_info(type).bytes bytes each, exactly as ggml's
// dequantize_row_* gives them. All block types but the integer ones and F64; those, and n that is
// no whole number of blocks, are Errors.
void dequantize(BlockType type, const void* blocks, float* out, int64_t n);

}  // namespace xylem::kernels
