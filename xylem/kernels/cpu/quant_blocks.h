// GGUF blocks taken apart into the codes, scales and minimums of quant_layout.h, and back into
// floats: the one place that knows ggml's bit fiddling (ggml-common.h, ggml-quants.c).
#pragma once

#include <cstdint>

#include "xylem/kernels/block_types.h"

namespace xylem::kernels {

// One block of a quantised type: 32 or 256 values of a row.
struct RawBlock {
  uint8_t codes[256];      // before the table of IQ4 and MXFP4 types
  int8_t scales[16] = {};  // of each sub-block; scales[0] is the exponent of MXFP4
  int8_t mins[16] = {};    // of each sub-block, negated
  uint16_t d = 0;          // f16 scale or super scale
  uint16_t m = 0;          // f16 minimum or super minimum
  float d32 = 0;           // the scale of Q8_K
};

// Takes apart a block of block_info(type).bytes bytes.
void read_block(BlockType type, const uint8_t* bytes, RawBlock& block);

// The block's values, in the order of operations of ggml's dequantize_row_*.
void block_values(BlockType type, const RawBlock& block, float* out);

}  // namespace xylem::kernels
