#include "xylem/kernels/cpu/dequantize.h"

#include <cstring>

#include "xylem/base/dtype.h"
#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_blocks.h"

namespace xylem::kernels {
namespace {

void dequantize_plain(const uint8_t* bytes, float (*convert)(uint16_t), float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * i, sizeof bits);
    out[i] = convert(bits);
  }
}

void dequantize_blocks(const BlockInfo& info, const uint8_t* bytes, float* out, int64_t n) {
  RawBlock block;
  for (int64_t i = 0; i < n; i += info.elements, bytes += info.bytes) {
    read_block(info.type, bytes, block);
    block_values(info.type, block, out + i);
  }
}

}  // namespace

void dequantize(BlockType type, const void* blocks, float* out, int64_t n) {
  const BlockInfo& info = block_info(type);
  const auto* bytes = static_cast<const uint8_t*>(blocks);
  if (n < 0 || n % info.elements != 0) {
    fail(ErrorCode::kInvalidArgument,
         "[dequantize] {} values of {}, expected a multiple of the block size {}", n, info.name,
         info.elements);
  }
  if (n == 0) return;
  if (info.quantised) return dequantize_blocks(info, bytes, out, n);
  switch (type) {
    case BlockType::kF32:
      std::memcpy(out, bytes, static_cast<size_t>(n) * sizeof(float));
      return;
    case BlockType::kF16:
      return dequantize_plain(bytes, f16_to_float, out, n);
    case BlockType::kBF16:
      return dequantize_plain(bytes, bf16_to_float, out, n);
    default:
      fail(ErrorCode::kInvalidArgument, "[dequantize] type {} holds no floats", info.name);
  }
}

}  // namespace xylem::kernels
