// Weight matrices re-laid out once at load for the CPU kernels, keeping their bit width: sixteen
// rows interleaved so that one 64-byte load feeds an int8 dot-product instruction for all of them.
// The layout is described in quant_layout.h.
//
//   void* w = std::aligned_alloc(64, packed_bytes(BlockType::kQ4_1, n, k));
//   pack(BlockType::kQ4_1, n, k, gguf_data, w);
//   quant_matmul(BlockType::kQ4_1, n, k, w, x, m, y, pool);  // quant_matmul.h
//
// All block types of block_types.h but the integer ones and F64 can be packed. Rows of quantised
// types have a multiple of 32 values (256 for the K types and IQ4_XS), as in GGUF files; rows of
// F32, F16 and BF16 any number. Anything else is an Error (kInvalidArgument).
#pragma once

#include <cstddef>
#include <cstdint>

#include "xylem/base/thread_pool.h"
#include "xylem/kernels/block_types.h"

namespace xylem::kernels {

// Rows in a group. A packed matrix is a sequence of groups of equal size; n is padded with zero
// rows to whole groups.
inline constexpr int kGroupRows = 16;

// Whether matrices of this type can be packed.
bool packable(BlockType type);
// Bytes of a packed group of 16 rows of k values: a multiple of 64.
size_t packed_group_bytes(BlockType type, int64_t k);
// Bytes of a packed [n, k] matrix: whole groups.
size_t packed_bytes(BlockType type, int64_t n, int64_t k);

// Where pack puts its rows.
struct PackOptions {
  // When not null, packed row i is source row rows[i], i in [0, n).
  const int32_t* rows = nullptr;
  // Source group j goes to group first_group + j * group_step of `packed`. Matrices of one type
  // and width are concatenated by rows with first_group (all but the last need n % 16 == 0), and
  // gate and up matrices are interleaved for Epilogue::kSiluMul with group_step 2 and first_group
  // 0 and 1.
  int64_t first_group = 0;
  int64_t group_step = 1;
};

// Packs blocks [n, k] in GGUF's order (rows one after another) into `packed`, 64-byte aligned.
void pack(BlockType type, int64_t n, int64_t k, const void* blocks, void* packed,
          const PackOptions& options = {}, ThreadPool& pool = ThreadPool::global());

// Rows ids[0..count) of a packed [n, k] matrix as floats: out[count, k]. An id outside [0, n) is
// an Error.
void embed_rows(BlockType type, int64_t n, int64_t k, const void* packed, const int32_t* ids,
                int64_t count, float* out);

// A slice of one group, dequantised for a GEMM: dst[kc][16] = values k0 .. k0+kc of the 16 rows,
// transposed. k0 is a multiple of 32; kc too, unless k0 + kc == k. Single-threaded.
void unpack_panel_f32(BlockType type, int64_t n, int64_t k, const void* packed, int64_t group,
                      int64_t k0, int64_t kc, float* dst);
// The same rounded to bf16 in pairs of k, as AMX and vdpbf16ps take them:
// dst[(kc + 1) / 2][16][2]; the second of an odd last pair is zero.
void unpack_panel_bf16(BlockType type, int64_t n, int64_t k, const void* packed, int64_t group,
                       int64_t k0, int64_t kc, uint16_t* dst);

}  // namespace xylem::kernels
