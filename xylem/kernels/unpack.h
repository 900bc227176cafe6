// Packed quantised weights as array code: the readable form of cpu/quant_layout.h, used where no
// native kernel exists and to test the ones that do.
#pragma once

#include "xylem/core/array.h"
#include "xylem/kernels/block_types.h"

namespace xylem::kernels {

// The f32 [rows, cols] matrix that a packed uint8 [bytes] array holds.
Array unpack_reference(const Array& packed, BlockType type, int64_t rows, int64_t cols);

}  // namespace xylem::kernels
