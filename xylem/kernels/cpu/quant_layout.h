// The packed layout of quantised weights: what quant_pack.cc writes and the kernels of
// isa/quant_*.inc read.
//
// Every type is reduced to unsigned codes and, for each sub-block of 16 or 32 values of a row, an
// effective scale d and minimum m:
//
//   w = d * code + m                where m = -offset * d for the types without minimums
//
// A group is 16 rows of k values, stored as planes one after another, each holding its part of
// all the blocks (32 values of k) of the group in order:
//
//   low     64 * low_bits bytes a block: the low bits of the codes. "Quad j" of a block is 64
//   bytes,
//           [16 rows][4 k]: codes 4j .. 4j+3 of each row, one a byte. Several quads share 64 bytes:
//             8 bits: quad j is vector j
//             4 bits: vector i holds quad i in its low nibbles and quad i + 4 in its high ones
//             2 bits: vector i holds quads 4i .. 4i+3, lowest bits first
//   high    64 * high_bits bytes a block: the bits above those.
//             1 bit: bit j of a byte belongs to quad j
//             2 bits: vector i holds quads 4i .. 4i+3, lowest bits first
//   scales  a value for each row and block or sub-block, [.][16 rows]:
//             kF16, kF32: the scale of a block of 32; kE8M0: its exponent, d = 2^(e - 128)
//             kSuper: int8 for each sub-block, d = super scale * it
//   mins    only when the type has minimums: f16 m of a block (kF16), or int8 (negated, so that
//           m = super minimum * it) of each sub-block (kSuper)
//   super   kSuper: f16 for each 256 values, [k / 256][16 rows]; then the same for minimums
//
// Groups are padded to 64 bytes. Plain types have one plane: F32 and F16 [k][16 rows], BF16
// [k / 2][16 rows][2 k].
#pragma once

#include <cstddef>
#include <cstdint>

#include "xylem/kernels/block_types.h"

namespace xylem::kernels {

enum class ScaleKind : uint8_t { kPlain, kF16, kF32, kE8M0, kSuper };
enum class CodeTable : uint8_t { kNone, kIQ4, kMXFP4 };

// What differs between the types, known at compile time in the kernels.
struct QuantFormat {
  int low_bits;
  int high_bits;
  int sub;  // values that share a scale
  ScaleKind scale;
  bool mins;
  int offset;       // subtracted from a code (after the table); 0 with minimums
  int max_code;     // the largest code (after the table)
  CodeTable table;  // maps 4-bit codes to unsigned values
};

constexpr QuantFormat quant_format(BlockType type) {
  constexpr auto kNone = CodeTable::kNone;
  switch (type) {
    case BlockType::kQ4_0:
      return {4, 0, 32, ScaleKind::kF16, false, 8, 15, kNone};
    case BlockType::kQ4_1:
      return {4, 0, 32, ScaleKind::kF16, true, 0, 15, kNone};
    case BlockType::kQ5_0:
      return {4, 1, 32, ScaleKind::kF16, false, 16, 31, kNone};
    case BlockType::kQ5_1:
      return {4, 1, 32, ScaleKind::kF16, true, 0, 31, kNone};
    case BlockType::kQ8_0:
      return {8, 0, 32, ScaleKind::kF16, false, 128, 255, kNone};
    case BlockType::kQ2K:
      return {2, 0, 16, ScaleKind::kSuper, true, 0, 3, kNone};
    case BlockType::kQ3K:
      return {2, 1, 16, ScaleKind::kSuper, false, 4, 7, kNone};
    case BlockType::kQ4K:
      return {4, 0, 32, ScaleKind::kSuper, true, 0, 15, kNone};
    case BlockType::kQ5K:
      return {4, 1, 32, ScaleKind::kSuper, true, 0, 31, kNone};
    case BlockType::kQ6K:
      return {4, 2, 16, ScaleKind::kSuper, false, 32, 63, kNone};
    case BlockType::kQ8K:
      return {8, 0, 32, ScaleKind::kF32, false, 128, 255, kNone};
    case BlockType::kIQ4NL:
      return {4, 0, 32, ScaleKind::kF16, false, 128, 241, CodeTable::kIQ4};
    case BlockType::kIQ4XS:
      return {4, 0, 32, ScaleKind::kSuper, false, 128, 241, CodeTable::kIQ4};
    case BlockType::kMXFP4:
      return {4, 0, 32, ScaleKind::kE8M0, false, 12, 24, CodeTable::kMXFP4};
    case BlockType::kF32:
      return {32, 0, 1, ScaleKind::kPlain, false, 0, 0, kNone};
    default:
      return {16, 0, 1, ScaleKind::kPlain, false, 0, 0, kNone};
  }
}

// The tables of ggml (kvalues_iq4nl, kvalues_mxfp4) plus the format's offset.
inline constexpr uint8_t kIQ4Table[16] = {1,   24,  45,  63,  79,  93,  106, 118,
                                          129, 141, 153, 166, 181, 197, 217, 241};
inline constexpr uint8_t kMXFP4Table[16] = {12, 13, 14, 15, 16, 18, 20, 24,
                                            12, 11, 10, 9,  8,  6,  4,  0};

// Byte offsets of the planes within a group of 16 rows of k values.
struct QuantLayout {
  size_t high = 0;
  size_t scales = 0;
  size_t mins = 0;
  size_t supers = 0;
  size_t super_mins = 0;
  size_t group_bytes = 0;
};

// An Error when the type cannot be packed or k does not fit it.
QuantLayout quant_layout(BlockType type, int64_t k);

}  // namespace xylem::kernels
