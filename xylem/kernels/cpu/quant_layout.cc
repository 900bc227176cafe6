#include "xylem/kernels/cpu/quant_layout.h"

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::kernels {
namespace {

constexpr size_t kLine = 64;
constexpr int64_t kMaxSide = int64_t{1}
                             << 31;  // rows or values in a row: keeps products in 64 bits

size_t whole_lines(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

// Bytes of one plane entry: a value for each of the 16 rows.
size_t scale_bytes(ScaleKind kind) {
  switch (kind) {
    case ScaleKind::kF32:
      return 4 * kGroupRows;
    case ScaleKind::kF16:
      return 2 * kGroupRows;
    default:
      return kGroupRows;
  }
}

}  // namespace

bool packable(BlockType type) {
  return block_info(type).quantised || type == BlockType::kF32 || type == BlockType::kF16 ||
         type == BlockType::kBF16;
}

QuantLayout quant_layout(BlockType type, int64_t k) {
  const BlockInfo& info = block_info(type);
  if (!packable(type)) {
    fail(ErrorCode::kInvalidArgument, "[pack] type {} cannot be packed", info.name);
  }
  if (k <= 0 || k > kMaxSide || k % info.elements != 0) {
    fail(ErrorCode::kInvalidArgument,
         "[pack] rows have {} values, expected a multiple of {} for {}", k, info.elements,
         info.name);
  }
  const QuantFormat format = quant_format(type);
  QuantLayout layout;
  if (format.scale == ScaleKind::kPlain) {
    const size_t padded = type == BlockType::kBF16 ? (k + 1) / 2 * 2 : k;
    layout.group_bytes = whole_lines(padded * kGroupRows * info.bytes);
    return layout;
  }
  const size_t blocks = k / 32, subs = k / format.sub, supers = k / 256;
  layout.high = kLine * format.low_bits * blocks;
  layout.scales = layout.high + kLine * format.high_bits * blocks;
  layout.mins = layout.scales + scale_bytes(format.scale) * subs;
  layout.supers = layout.mins + (format.mins ? scale_bytes(format.scale) * subs : 0);
  const bool super = format.scale == ScaleKind::kSuper;
  layout.super_mins = layout.supers + (super ? 2 * kGroupRows * supers : 0);
  layout.group_bytes =
      whole_lines(layout.super_mins + (super && format.mins ? 2 * kGroupRows * supers : 0));
  return layout;
}

size_t packed_group_bytes(BlockType type, int64_t k) { return quant_layout(type, k).group_bytes; }

size_t packed_bytes(BlockType type, int64_t n, int64_t k) {
  if (n < 0 || n > kMaxSide) {
    fail(ErrorCode::kInvalidArgument, "[pack] a matrix of {} rows, expected 0 to {}", n, kMaxSide);
  }
  size_t groups = (n + kGroupRows - 1) / kGroupRows;
  size_t bytes = 0;
  if (__builtin_mul_overflow(groups, packed_group_bytes(type, k), &bytes)) {
    fail(ErrorCode::kInvalidArgument, "[pack] a matrix of {} x {} values is too large", n, k);
  }
  return bytes;
}

}  // namespace xylem::kernels
