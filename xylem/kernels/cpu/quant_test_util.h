// Random GGUF blocks for the tests of quantised kernels.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "xylem/base/cpu.h"
#include "xylem/base/dtype.h"
#include "xylem/kernels/block_types.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::kernels {

inline constexpr BlockType kQuantisedTypes[] = {
    BlockType::kQ4_0, BlockType::kQ4_1,  BlockType::kQ5_0,  BlockType::kQ5_1,  BlockType::kQ8_0,
    BlockType::kQ2K,  BlockType::kQ3K,   BlockType::kQ4K,   BlockType::kQ5K,   BlockType::kQ6K,
    BlockType::kQ8K,  BlockType::kIQ4NL, BlockType::kIQ4XS, BlockType::kMXFP4,
};
inline constexpr BlockType kPlainTypes[] = {BlockType::kF32, BlockType::kF16, BlockType::kBF16};

// Runs `body` at every level of the machine, then goes back to the first one.
template <typename Body>
void at_each_level(const Body& body) {
  const CpuLevel before = cpu_level();
  for (CpuLevel level : cpu_levels()) {
    set_cpu_level(level);
    SCOPED_TRACE(cpu_level_name(level));
    body();
  }
  set_cpu_level(before);
}

inline void put_f16(float value, uint8_t* at) {
  const uint16_t bits = float_to_f16(value);
  std::memcpy(at, &bits, sizeof bits);
}

// Gives a block of random bytes scales of about 0.02.
inline void set_scales(BlockType type, std::mt19937& rng, uint8_t* block) {
  std::normal_distribution<float> normal(0.0f, 0.02f);
  const float d = normal(rng), m = normal(rng);
  switch (type) {
    case BlockType::kQ4_1:
    case BlockType::kQ5_1:
    case BlockType::kQ4K:
    case BlockType::kQ5K:
      put_f16(d, block);
      return put_f16(m, block + 2);
    case BlockType::kQ2K:
      put_f16(d, block + 80);
      return put_f16(m, block + 82);
    case BlockType::kQ3K:
      return put_f16(d, block + 108);
    case BlockType::kQ6K:
      return put_f16(d, block + 208);
    case BlockType::kQ8K:
      std::memcpy(block, &d, sizeof d);
      return;
    case BlockType::kMXFP4:
      block[0] = static_cast<uint8_t>(118 + rng() % 8);
      return;
    default:
      return put_f16(d, block);
  }
}

// A random [n, k] matrix in GGUF's bytes.
inline std::vector<uint8_t> random_matrix(BlockType type, int64_t n, int64_t k, uint32_t seed) {
  const BlockInfo& info = block_info(type);
  std::mt19937 rng(seed);
  std::vector<uint8_t> bytes(n * k / info.elements * info.bytes);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(rng());
  std::normal_distribution<float> normal(0.0f, 0.5f);
  for (size_t at = 0; at < bytes.size(); at += info.bytes) {
    if (info.quantised) {
      set_scales(type, rng, &bytes[at]);
    } else if (type == BlockType::kF16) {
      put_f16(normal(rng), &bytes[at]);
    } else if (type == BlockType::kBF16) {
      const uint16_t bits = float_to_bf16(normal(rng));
      std::memcpy(&bytes[at], &bits, sizeof bits);
    } else {
      const float value = normal(rng);
      std::memcpy(&bytes[at], &value, sizeof value);
    }
  }
  return bytes;
}

inline std::vector<float> random_floats(int64_t n, uint32_t seed) {
  std::mt19937 rng(seed);
  std::normal_distribution<float> normal(0.0f, 1.0f);
  std::vector<float> values(n);
  for (float& value : values) value = normal(rng);
  return values;
}

// 64-byte aligned memory for a packed matrix.
class PackedMemory {
 public:
  explicit PackedMemory(size_t bytes) : memory_(bytes + 64) {}
  uint8_t* data() {
    const auto at = reinterpret_cast<uintptr_t>(memory_.data());
    return memory_.data() + (64 - at % 64) % 64;
  }

 private:
  std::vector<uint8_t> memory_;
};

inline PackedMemory packed_matrix(BlockType type, int64_t n, int64_t k,
                                  const std::vector<uint8_t>& blocks) {
  PackedMemory memory(packed_bytes(type, n, k));
  pack(type, n, k, blocks.data(), memory.data());
  return memory;
}

}  // namespace xylem::kernels
