#include "xylem/kernels/cpu/quant_blocks.h"

#include <algorithm>
#include <cstring>

#include "xylem/base/dtype.h"
#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_layout.h"

namespace xylem::kernels {
namespace {

uint16_t read_u16(const uint8_t* bytes) {
  uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

// The low nibbles of `half` bytes, then their high ones.
void read_nibbles(const uint8_t* bytes, int half, uint8_t* codes) {
  for (int i = 0; i < half; ++i) codes[i] = bytes[i] & 15;
  for (int i = 0; i < half; ++i) codes[half + i] = bytes[i] >> 4;
}

// Adds 2^`to` to the codes whose bit is set: bit i of bytes is of code i.
void read_bit_string(const uint8_t* bytes, int to, uint8_t* codes) {
  for (int i = 0; i < 4; ++i) {
    // Bit j of the byte goes to byte j: copies 7 bits apart, of which each keeps one.
    const uint64_t low = (bytes[i] & 0x7f) * 0x0002040810204081u & 0x0101010101010101u;
    const uint64_t spread = low | static_cast<uint64_t>(bytes[i] >> 7) << 56;
    uint64_t eight;
    std::memcpy(&eight, codes + 8 * i, sizeof eight);
    eight |= spread << to;
    std::memcpy(codes + 8 * i, &eight, sizeof eight);
  }
}

// Adds bits [from, from + count) of 32 bytes, shifted to `to`, to 32 codes.
void read_bits(const uint8_t* bytes, int from, int count, int to, uint8_t* codes) {
  const int mask = (1 << count) - 1;
  for (int i = 0; i < 32; ++i) codes[i] |= static_cast<uint8_t>(((bytes[i] >> from) & mask) << to);
}

// Q4_0, Q4_1, Q5_0, Q5_1, IQ4_NL: f16 d, f16 m if any, 32 high bits if any, nibbles.
void read_legacy(const uint8_t* bytes, bool mins, bool high, RawBlock& block) {
  block.d = read_u16(bytes);
  bytes += 2;
  if (mins) {
    block.m = read_u16(bytes);
    bytes += 2;
  }
  read_nibbles(high ? bytes + 4 : bytes, 16, block.codes);
  if (high) read_bit_string(bytes, 4, block.codes);
}

// int8 codes made unsigned.
void read_bytes(const uint8_t* bytes, int n, uint8_t* codes) {
  for (int i = 0; i < n; ++i) codes[i] = bytes[i] ^ 0x80;
}

// Two bits a code: 128 values from 32 bytes, twice.
void read_pairs(const uint8_t* bytes, uint8_t* codes) {
  std::memset(codes, 0, 256);
  for (int i = 0; i < 8; ++i) read_bits(bytes + i / 4 * 32, i % 4 * 2, 2, 0, codes + 32 * i);
}

void read_q2k(const uint8_t* bytes, RawBlock& block) {
  for (int i = 0; i < 16; ++i) {
    block.scales[i] = static_cast<int8_t>(bytes[i] & 15);
    block.mins[i] = static_cast<int8_t>(-(bytes[i] >> 4));
  }
  read_pairs(bytes + 16, block.codes);
  block.d = read_u16(bytes + 80);
  block.m = read_u16(bytes + 82);
}

void read_q3k(const uint8_t* bytes, RawBlock& block) {
  const uint8_t* scales = bytes + 96;
  read_pairs(bytes + 32, block.codes);
  for (int i = 0; i < 8; ++i) read_bits(bytes, i, 1, 2, block.codes + 32 * i);
  for (int i = 0; i < 16; ++i) {
    int low = i < 8 ? scales[i] & 15 : scales[i - 8] >> 4;
    int high = (scales[8 + i % 4] >> (i / 4 * 2)) & 3;
    block.scales[i] = static_cast<int8_t>((low | high << 4) - 32);
  }
  block.d = read_u16(bytes + 108);
}

// The eight 6-bit scales and minimums of Q4_K and Q5_K in 12 bytes.
void read_k4_scales(const uint8_t* bytes, RawBlock& block) {
  for (int i = 0; i < 4; ++i) {
    block.scales[i] = static_cast<int8_t>(bytes[i] & 63);
    block.mins[i] = static_cast<int8_t>(-(bytes[i + 4] & 63));
    block.scales[i + 4] = static_cast<int8_t>((bytes[i + 8] & 15) | (bytes[i] >> 6) << 4);
    block.mins[i + 4] = static_cast<int8_t>(-((bytes[i + 8] >> 4) | (bytes[i + 4] >> 6) << 4));
  }
}

void read_q45k(const uint8_t* bytes, bool high, RawBlock& block) {
  block.d = read_u16(bytes);
  block.m = read_u16(bytes + 2);
  read_k4_scales(bytes + 4, block);
  const uint8_t* bits = bytes + 16;
  const uint8_t* nibbles = high ? bits + 32 : bits;
  for (int i = 0; i < 4; ++i) read_nibbles(nibbles + 32 * i, 32, block.codes + 64 * i);
  if (!high) return;
  for (int i = 0; i < 8; ++i) read_bits(bits, i, 1, 4, block.codes + 32 * i);
}

void read_q6k(const uint8_t* bytes, RawBlock& block) {
  for (int half = 0; half < 2; ++half) {
    const uint8_t* high = bytes + 128 + 32 * half;
    uint8_t* codes = block.codes + 128 * half;
    read_nibbles(bytes + 64 * half, 64, codes);
    for (int i = 0; i < 4; ++i) read_bits(high, 2 * i, 2, 4, codes + 32 * i);
  }
  std::memcpy(block.scales, bytes + 192, 16);
  block.d = read_u16(bytes + 208);
}

void read_iq4xs(const uint8_t* bytes, RawBlock& block) {
  block.d = read_u16(bytes);
  const int high = read_u16(bytes + 2);
  for (int i = 0; i < 8; ++i) {
    int scale = ((bytes[4 + i / 2] >> (i % 2 * 4)) & 15) | ((high >> (2 * i)) & 3) << 4;
    block.scales[i] = static_cast<int8_t>(scale - 32);
    read_nibbles(bytes + 8 + 16 * i, 16, block.codes + 32 * i);
  }
}

// 2^(exponent - 128), subnormal for 0 and 1.
float e8m0_half(uint8_t exponent) {
  uint32_t bits = exponent < 2 ? 0x00200000u << exponent : (exponent - 1u) << 23;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

float sub_scale(const QuantFormat& format, const RawBlock& block, int sub) {
  switch (format.scale) {
    case ScaleKind::kF32:
      return block.d32;
    case ScaleKind::kE8M0:
      return e8m0_half(static_cast<uint8_t>(block.scales[0]));
    case ScaleKind::kSuper:
      return f16_to_float(block.d) * static_cast<float>(block.scales[sub]);
    default:
      return f16_to_float(block.d);
  }
}

float sub_min(const QuantFormat& format, const RawBlock& block, int sub) {
  float m = f16_to_float(block.m);
  return format.scale == ScaleKind::kSuper ? m * static_cast<float>(block.mins[sub]) : m;
}

}  // namespace

void read_block(BlockType type, const uint8_t* bytes, RawBlock& block) {
  switch (type) {
    case BlockType::kQ4_0:
    case BlockType::kIQ4NL:
      return read_legacy(bytes, false, false, block);
    case BlockType::kQ4_1:
      return read_legacy(bytes, true, false, block);
    case BlockType::kQ5_0:
      return read_legacy(bytes, false, true, block);
    case BlockType::kQ5_1:
      return read_legacy(bytes, true, true, block);
    case BlockType::kQ8_0:
      block.d = read_u16(bytes);
      return read_bytes(bytes + 2, 32, block.codes);
    case BlockType::kQ2K:
      return read_q2k(bytes, block);
    case BlockType::kQ3K:
      return read_q3k(bytes, block);
    case BlockType::kQ4K:
      return read_q45k(bytes, false, block);
    case BlockType::kQ5K:
      return read_q45k(bytes, true, block);
    case BlockType::kQ6K:
      return read_q6k(bytes, block);
    case BlockType::kQ8K:
      std::memcpy(&block.d32, bytes, 4);
      return read_bytes(bytes + 4, 256, block.codes);
    case BlockType::kIQ4XS:
      return read_iq4xs(bytes, block);
    case BlockType::kMXFP4:
      block.scales[0] = static_cast<int8_t>(bytes[0]);
      return read_nibbles(bytes + 1, 16, block.codes);
    default:
      fail(ErrorCode::kInternal, "block type {} is not quantised", static_cast<uint32_t>(type));
  }
}

void block_values(BlockType type, const RawBlock& block, float* out) {
  const QuantFormat format = quant_format(type);
  const uint8_t* table = format.table == CodeTable::kIQ4     ? kIQ4Table
                         : format.table == CodeTable::kMXFP4 ? kMXFP4Table
                                                             : nullptr;
  const int count = block_info(type).elements;
  for (int begin = 0; begin < count; begin += format.sub) {
    const float d = sub_scale(format, block, begin / format.sub);
    const float m = format.mins ? sub_min(format, block, begin / format.sub) : 0;
    for (int i = begin; i < begin + format.sub; ++i) {
      int code = table != nullptr ? table[block.codes[i]] : block.codes[i];
      float value = d * static_cast<float>(code - format.offset);
      out[i] = format.mins ? value + m : value;
    }
  }
}

}  // namespace xylem::kernels
