// Reading packed weights (quant_layout.h) into vectors of kLanes rows.
#pragma once

#include "xylem/kernels/cpu/isa/quant_lanes.h"
#include "xylem/kernels/cpu/quant_isa.h"

namespace xylem::kernels::XYLEM_ISA {

// Rows of a group are split in this many vectors, "parts".
inline constexpr int kParts = 16 / kLanes;
inline constexpr int kPartBytes = 4 * kLanes;  // of the 64 bytes of a quad

// Where one block of 32 values of a group lies, with the part's offset added.
struct BlockPointers {
  const uint8_t* low;
  const uint8_t* high;
};

template <QuantFormat F>
XYLEM_INLINE BlockPointers block_at(const QuantLayout& layout, const uint8_t* group, int64_t block,
                                    int part) {
  const int64_t offset = part * kPartBytes;
  return {group + 64 * F.low_bits * block + offset,
          group + layout.high + 64 * F.high_bits * block + offset};
}

// Bits `From` and up of each byte moved to bit `To`; bits of the neighbour come in at the ends.
template <int From, int To>
XYLEM_INLINE VecI move_bits(VecI v) {
  if constexpr (From > To) return right_16<From - To>(v);
  if constexpr (From < To) return left_16<To - From>(v);
  return v;
}

// Quad J of a block as bytes: codes after the table.
template <QuantFormat F, int J>
XYLEM_INLINE VecI decode_quad(const BlockPointers& at) {
  VecI code;
  if constexpr (F.low_bits == 8) {
    code = load_i(at.low + 64 * J);
  } else if constexpr (F.low_bits == 4) {
    code = and_(move_bits<J / 4 * 4, 0>(load_i(at.low + 64 * (J % 4))), splat_8(15));
  } else {
    code = and_(move_bits<J % 4 * 2, 0>(load_i(at.low + 64 * (J / 4))), splat_8(3));
  }
  if constexpr (F.high_bits == 1) {
    const VecI high = move_bits<J, F.low_bits>(load_i(at.high));
    code = and_or(high, splat_8(1 << F.low_bits), code);
  } else if constexpr (F.high_bits == 2) {
    const VecI high = move_bits<J % 4 * 2, F.low_bits>(load_i(at.high + 64 * (J / 4)));
    code = and_or(high, splat_8(3 << F.low_bits), code);
  }
  if constexpr (F.table == CodeTable::kIQ4) code = lookup(kIQ4Table, code);
  if constexpr (F.table == CodeTable::kMXFP4) code = lookup(kMXFP4Table, code);
  return code;
}

// 2^(e - 128) for exponent bytes e, subnormal for 0 and 1.
XYLEM_INLINE VecF load_e8m0(const uint8_t* p) {
  const VecI e = load_u8(p);
  const VecI normal = left_32<23>(add_32(max_u32(e, splat_i(1)), splat_i(-1)));
  // e = 0 and 1 give 2^-128 and 2^-127, which as bits are below every normal number's.
  const VecI tiny = left_32<21>(add_32(min_u32(e, splat_i(1)), splat_i(1)));
  return from_bits(max_u32(normal, tiny));
}

// The scale of sub-block H of a block: d of the formula.
template <QuantFormat F, int H>
XYLEM_INLINE VecF load_scale(const QuantLayout& layout, const uint8_t* group, int64_t block,
                             int part) {
  const int64_t row = part * kLanes;
  const int64_t at = (block * (32 / F.sub) + H) * 16 + row;
  const uint8_t* scales = group + layout.scales;
  if constexpr (F.scale == ScaleKind::kF16) return load_f16(scales + 2 * at);
  if constexpr (F.scale == ScaleKind::kF32) {
    return load_f(reinterpret_cast<const float*>(scales) + at);
  }
  if constexpr (F.scale == ScaleKind::kE8M0) return load_e8m0(scales + at);
  if constexpr (F.scale == ScaleKind::kSuper) {
    const VecF super = load_f16(group + layout.supers + 2 * (block / 8 * 16 + row));
    return mul(super, load_i8(scales + at));
  }
}

// The minimum of sub-block H of a block: m of the formula, for formats that have one.
template <QuantFormat F, int H>
XYLEM_INLINE VecF load_min(const QuantLayout& layout, const uint8_t* group, int64_t block,
                           int part) {
  const int64_t row = part * kLanes;
  const int64_t at = (block * (32 / F.sub) + H) * 16 + row;
  const uint8_t* mins = group + layout.mins;
  if constexpr (F.scale == ScaleKind::kF16) return load_f16(mins + 2 * at);
  if constexpr (F.scale == ScaleKind::kSuper) {
    const VecF super = load_f16(group + layout.super_mins + 2 * (block / 8 * 16 + row));
    return mul(super, load_i8(mins + at));
  }
}

// As load_min, and -offset * d for the formats without minimums (exact in f32).
template <QuantFormat F, int H>
XYLEM_INLINE VecF load_shift(const QuantLayout& layout, const uint8_t* group, int64_t block,
                             int part, VecF scale) {
  if constexpr (F.mins) {
    return load_min<F, H>(layout, group, block, part);
  } else {
    return mul(scale, splat_f(-static_cast<float>(F.offset)));
  }
}

// Byte I of each lane as a float.
template <int I>
XYLEM_INLINE VecF byte_to_float(VecI quad) {
  VecI v = I == 0 ? quad : right_32<8 * I>(quad);
  return to_float(I == 3 ? v : and_(v, splat_i(255)));
}

// Calls body(format) with the type's format as a template argument: body.operator()<F>().
template <typename Body>
XYLEM_INLINE void with_format(BlockType type, const Body& body) {
  switch (type) {
#define XYLEM_CASE(name) \
  case BlockType::name:  \
    return body.template operator()<quant_format(BlockType::name)>()
    XYLEM_CASE(kQ4_0);
    XYLEM_CASE(kQ4_1);
    XYLEM_CASE(kQ5_0);
    XYLEM_CASE(kQ5_1);
    XYLEM_CASE(kQ8_0);
    XYLEM_CASE(kQ2K);
    XYLEM_CASE(kQ3K);
    XYLEM_CASE(kQ4K);
    XYLEM_CASE(kQ5K);
    XYLEM_CASE(kQ6K);
    XYLEM_CASE(kQ8K);
    XYLEM_CASE(kIQ4NL);
    XYLEM_CASE(kIQ4XS);
    XYLEM_CASE(kMXFP4);
#undef XYLEM_CASE
    default:
      return;
  }
}

// A value of 16 rows of a plain matrix at k as floats.
XYLEM_INLINE VecF load_plain(BlockType type, const uint8_t* group, int64_t k, int part) {
  const int64_t row = part * kLanes;
  if (type == BlockType::kF32) return load_f(reinterpret_cast<const float*>(group) + 16 * k + row);
  if (type == BlockType::kF16) return load_f16(group + 2 * (16 * k + row));
  const VecI pair = load_i(group + 4 * (16 * (k / 2) + row));
  return from_bits(k % 2 == 0 ? left_32<16>(pair) : and_(pair, splat_i(-65536)));
}

}  // namespace xylem::kernels::XYLEM_ISA
