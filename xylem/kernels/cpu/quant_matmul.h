// Products of float activations with packed quantised weights, for the few rows of a decode step.
//
//   quant_matmul(BlockType::kQ4_1, n, k, packed, x, m, y, ThreadPool::global());   // y = x W^T
//
// The weights are those of quant_pack.h. With Precision::kFast the activations are rounded once a
// call to int8 with a scale for each 32 values (ggml's Q8_0), sums are exact integers within a
// block and f32 across blocks. With Precision::kF32 activations stay f32 and weights are expanded
// in registers. F32, F16 and BF16 weights always take the f32 path.
//
// A row's result is bit-identical whatever m, its place in the batch, and the number of threads.
#pragma once

#include <cstdint>

#include "xylem/base/thread_pool.h"
#include "xylem/kernels/block_types.h"
#include "xylem/kernels/cpu/matmul_types.h"

namespace xylem::kernels {

// y[m, n] = x[m, k] W[n, k]^T, for any m >= 0; meant for m up to about 32, where decoding the
// weights costs less than a GEMM's panels. x and y may be unaligned and must not overlap.
// Allocates only when the calling thread's scratch must grow.
void quant_matmul(BlockType type, int64_t n, int64_t k, const void* packed, const float* x,
                  int64_t m, float* y, ThreadPool& pool, const MatmulOptions& options = {});

}  // namespace xylem::kernels
