// What the matrix products of gemm.h and quant_matmul.h share: how exact they are and what happens
// to a result on its way to memory.
#pragma once

#include <cstdint>

namespace xylem::kernels {

enum class Precision : uint8_t {
  // Activations may be rounded: to int8 with a scale for each 32 values where weights are
  // quantised and rows few, to bf16 where the processor multiplies bf16 tiles. Sums are exact
  // integers or f32.
  kFast,
  // Activations stay f32, weights are expanded exactly, products and sums are f32.
  kF32,
};

enum class Epilogue : uint8_t {
  kNone,
  // Weight rows come in groups of 16, group 2g the gate's and group 2g + 1 the up projection's:
  // the result is silu(gate) * up. n counts both, a multiple of 32; y is [m, n / 2].
  kSiluMul,
};

struct MatmulOptions {
  Precision precision = Precision::kFast;
  Epilogue epilogue = Epilogue::kNone;
  const float* add = nullptr;  // shaped as y and added to it last; may be y itself
};

}  // namespace xylem::kernels
