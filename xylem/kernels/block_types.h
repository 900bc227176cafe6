// The tensor element types of GGUF files: plain floats and the block-quantised types, with their
// block geometry. Layouts: ggml's block structs (ggml-common.h), documented in docs/formats.md.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace xylem::kernels {

// Values are those stored in GGUF files.
enum class BlockType : uint32_t {
  kF32 = 0,
  kF16 = 1,
  kQ4_0 = 2,
  kQ4_1 = 3,
  kQ5_0 = 6,
  kQ5_1 = 7,
  kQ8_0 = 8,
  kQ2K = 10,
  kQ3K = 11,
  kQ4K = 12,
  kQ5K = 13,
  kQ6K = 14,
  kQ8K = 15,
  kIQ4NL = 20,
  kIQ4XS = 23,
  kI8 = 24,
  kI16 = 25,
  kI32 = 26,
  kI64 = 27,
  kF64 = 28,
  kBF16 = 30,
  kMXFP4 = 39,
};

struct BlockInfo {
  BlockType type;
  std::string_view name;  // "Q4_K", as GGUF tools print it
  int elements;           // values in a block; 1 for plain types
  int bytes;              // bytes of a block
  bool quantised;
};

// Nothing for numbers that are no known type (the file's number is hostile).
std::optional<BlockInfo> block_info(uint32_t type);
const BlockInfo& block_info(BlockType type);

}  // namespace xylem::kernels
