// Dense matrix products on the CPU, and products of activations with weights as files store them.
//
//   // c[m, n] = a[m, k] b[k, n], all row-major f32
//   gemm(m, n, k, {a, DType::kF32, k}, {b, DType::kF32, n}, {c, DType::kF32, n}, pool);
//   // y[m, n] = x[m, k] W[n, k]^T, W bf16 in a mapped safetensors file
//   linear(m, n, k, x, {w, DType::kBF16, k}, y, pool);
//
// An element of a result depends only on its row, its column, the level of the processor, the
// precision and the path: never on the other rows, their number within a path, or the threads.
// Calls allocate only when a thread's scratch must grow. Bad arguments are an Error
// (kInvalidArgument).
#pragma once

#include <cstdint>

#include "xylem/base/dtype.h"
#include "xylem/base/thread_pool.h"
#include "xylem/kernels/block_types.h"
#include "xylem/kernels/cpu/matmul_types.h"

namespace xylem::kernels {

// A matrix to read: f32, bf16 or f16, rows `stride` elements apart, at any address. `transposed`:
// the memory holds the transposed matrix, and stride is between the rows stored.
struct MatrixView {
  const void* data;
  DType dtype;
  int64_t stride;
  bool transposed = false;
};

// A matrix to write: f32 or bf16.
struct MatrixOut {
  void* data;
  DType dtype;
  int64_t stride;
};

// c[m, n] = a[m, k] b[k, n]. c must not overlap a or b.
//
// Products of bf16 values are exact in f32, in which they are summed: on AMX tiles where present,
// otherwise by f32 multiply-adds. Other types are multiplied as f32, or, with Precision::kFast and
// AMX, rounded to bf16. options.add has c's shape and stride and is f32; it may be c itself.
// options.epilogue must be kNone.
void gemm(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b,
          const MatrixOut& c, ThreadPool& pool, const MatmulOptions& options = {Precision::kF32});

// Up to this many rows, linear reads the weights once as they lie, in dot products of f32; above,
// it packs panels of them for the register tiles of gemm. A row's bits differ between the two.
inline constexpr int64_t kLinearDotRows = 16;

// y[m, n] = x[m, k] W[n, k]^T through the epilogue; w.data holds [n, k] and w.transposed is not
// set. x and y are contiguous. Weights are expanded exactly and summed in f32, but with more than
// kLinearDotRows rows, AMX, Precision::kFast and 16-bit weights both sides are rounded to bf16.
// Epilogue::kSiluMul needs more than kLinearDotRows rows or a multiple of 32 weight rows all the
// same: n % 32 == 0.
void linear(int64_t m, int64_t n, int64_t k, const float* x, const MatrixView& w, float* y,
            ThreadPool& pool, const MatmulOptions& options = {});

// Above this many rows quant_linear leaves quant_matmul (which see) for gemm's tiles over weights
// dequantised panel by panel: to bf16 with AMX and Precision::kFast, else to f32.
int64_t quant_linear_crossover(Precision precision);

// y[m, n] = x[m, k] W[n, k]^T for weights packed by quant_pack.h, through the epilogue.
void quant_linear(BlockType type, int64_t n, int64_t k, const void* packed, const float* x,
                  int64_t m, float* y, ThreadPool& pool, const MatmulOptions& options = {});

}  // namespace xylem::kernels
