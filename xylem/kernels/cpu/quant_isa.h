// The functions of isa/quant_*.inc, declared for every instruction set level, and what they share
// with quant_matmul.cc.
#pragma once

#include <cstdint>

#include "xylem/kernels/block_types.h"
#include "xylem/kernels/cpu/dispatch.h"
#include "xylem/kernels/cpu/quant_layout.h"

namespace xylem::kernels {

// 32 activations of a row rounded to int8: x = scale * codes. What the kernel needs of the sums
// of codes depends on the weights' format and is worked out once: for formats with minimums,
// sums[h] = scale * sum of sub-block h; else corrections[h] = -offset * sum of sub-block h.
struct ActBlock {
  int8_t codes[32];
  float scale;
  union {
    float sums[2];
    int32_t corrections[2];
  };
  int32_t unused;
};

// A call of quant_matmul, for the threads that share it.
struct QuantCall {
  BlockType type;
  QuantLayout layout;
  const uint8_t* packed;
  const ActBlock* acts;  // [k / 32][m], null in the f32 path
  const float* x;        // [m, k]
  int64_t m, n, k;
  float* y;          // [m, ldy]
  const float* add;  // as y, or null
  int64_t ldy;
  bool silu_mul;  // units are pairs of groups, else single groups
};

// clang-format off
XYLEM_FOR_EACH_ISA(
    // Rounds x[k] to acts[b * stride], b in [0, k / 32).
    void quant_activations(const float* x, int64_t k, int sub, bool mins, int offset,
                           ActBlock* acts, int64_t stride);
    // Units [begin, end) of a call's output columns.
    void quant_units_int8(const QuantCall& call, int64_t begin, int64_t end);
    void quant_units_f32(const QuantCall& call, int64_t begin, int64_t end);
    // See quant_pack.h; `group` points to the group.
    void quant_panel_f32(BlockType type, const QuantLayout& layout, const uint8_t* group,
                         int64_t k0, int64_t kc, float* dst);
    void quant_panel_bf16(BlockType type, const QuantLayout& layout, const uint8_t* group,
                          int64_t k0, int64_t kc, uint16_t* dst);)
// clang-format on

}  // namespace xylem::kernels
