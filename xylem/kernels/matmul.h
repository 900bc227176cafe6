// Products with weight matrices as array operations: y = x W^T, and rows of W for embeddings.
// On the CPU a custom call into cpu/gemm.h; elsewhere a composition.
#pragma once

#include <optional>

#include "xylem/core/array.h"
#include "xylem/kernels/block_types.h"
#include "xylem/kernels/cpu/matmul_types.h"

namespace xylem::kernels {

// How a weight matrix [rows, cols] lies in its array.
struct WeightFormat {
  int64_t rows = 0;
  int64_t cols = 0;
  BlockType type = BlockType::kF32;
  // Packed: the array is uint8 [bytes] in the layout of cpu/quant_pack.h. Otherwise it is
  // [rows, cols] of f32, bf16 or f16.
  bool packed = false;

  friend bool operator==(const WeightFormat&, const WeightFormat&) = default;
};

// y [m, rows] f32 = x [m, cols] f32 times W^T, through the epilogue (kSiluMul: y is
// [m, rows / 2]), plus `add` [m, y's columns] when given.
Array weight_matmul(const Array& x, const Array& weight, const WeightFormat& format,
                    Precision precision = Precision::kFast, Epilogue epilogue = Epilogue::kNone,
                    const std::optional<Array>& add = std::nullopt, Loc loc = Loc::current());

// Rows ids [m] int32 of the weight as f32 [m, cols]. Ids must be in [0, rows).
Array weight_rows(const Array& ids, const Array& weight, const WeightFormat& format,
                  Loc loc = Loc::current());

// The whole matrix as f32 [rows, cols], in array code.
Array unpack_weight(const Array& weight, const WeightFormat& format);

void register_matmul_handlers();

}  // namespace xylem::kernels
