#include "xylem/kernels/block_types.h"

#include <array>

#include "xylem/base/error.h"

namespace xylem::kernels {
namespace {

constexpr std::array kTypes = {
    BlockInfo{BlockType::kF32, "F32", 1, 4, false},
    BlockInfo{BlockType::kF16, "F16", 1, 2, false},
    BlockInfo{BlockType::kQ4_0, "Q4_0", 32, 18, true},
    BlockInfo{BlockType::kQ4_1, "Q4_1", 32, 20, true},
    BlockInfo{BlockType::kQ5_0, "Q5_0", 32, 22, true},
    BlockInfo{BlockType::kQ5_1, "Q5_1", 32, 24, true},
    BlockInfo{BlockType::kQ8_0, "Q8_0", 32, 34, true},
    BlockInfo{BlockType::kQ2K, "Q2_K", 256, 84, true},
    BlockInfo{BlockType::kQ3K, "Q3_K", 256, 110, true},
    BlockInfo{BlockType::kQ4K, "Q4_K", 256, 144, true},
    BlockInfo{BlockType::kQ5K, "Q5_K", 256, 176, true},
    BlockInfo{BlockType::kQ6K, "Q6_K", 256, 210, true},
    BlockInfo{BlockType::kQ8K, "Q8_K", 256, 292, true},
    BlockInfo{BlockType::kIQ4NL, "IQ4_NL", 32, 18, true},
    BlockInfo{BlockType::kIQ4XS, "IQ4_XS", 256, 136, true},
    BlockInfo{BlockType::kI8, "I8", 1, 1, false},
    BlockInfo{BlockType::kI16, "I16", 1, 2, false},
    BlockInfo{BlockType::kI32, "I32", 1, 4, false},
    BlockInfo{BlockType::kI64, "I64", 1, 8, false},
    BlockInfo{BlockType::kF64, "F64", 1, 8, false},
    BlockInfo{BlockType::kBF16, "BF16", 1, 2, false},
    BlockInfo{BlockType::kMXFP4, "MXFP4", 32, 17, true},
};

}  // namespace

std::optional<BlockInfo> block_info(uint32_t type) {
  for (const BlockInfo& info : kTypes) {
    if (static_cast<uint32_t>(info.type) == type) return info;
  }
  return std::nullopt;
}

const BlockInfo& block_info(BlockType type) {
  for (const BlockInfo& info : kTypes) {
    if (info.type == type) return info;
  }
  fail(ErrorCode::kInternal, "block type {} has no entry", static_cast<uint32_t>(type));
}

}  // namespace xylem::kernels
