#include "xylem/kernels/cpu/quant_pack.h"

#include <algorithm>
#include <cstring>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_blocks.h"
#include "xylem/kernels/cpu/quant_isa.h"
#include "xylem/kernels/cpu/quant_layout.h"

namespace xylem::kernels {
namespace {

constexpr int kQuads = 8;       // in a block of 32
constexpr int kQuadBytes = 64;  // 16 rows of 4 codes
using Quads = uint8_t[kQuads][kQuadBytes];

// The planes of one group.
struct Planes {
  uint8_t* low;
  uint8_t* high;
  uint8_t* scales;
  uint8_t* mins;
  uint8_t* supers;
  uint8_t* super_mins;
};

Planes planes_of(const QuantLayout& layout, uint8_t* group) {
  return {group,
          group + layout.high,
          group + layout.scales,
          group + layout.mins,
          group + layout.supers,
          group + layout.super_mins};
}

void write_low(int bits, const Quads& quads, uint8_t* low) {
  if (bits == 8) {
    std::memcpy(low, quads, sizeof quads);
    return;
  }
  const int mask = (1 << bits) - 1;
  for (int v = 0; v < bits; ++v, low += kQuadBytes) {
    if (bits == 4) {
      for (int i = 0; i < kQuadBytes; ++i) {
        low[i] = static_cast<uint8_t>((quads[v][i] & mask) | (quads[v + 4][i] & mask) << 4);
      }
    } else {
      for (int i = 0; i < kQuadBytes; ++i) {
        low[i] = static_cast<uint8_t>((quads[4 * v][i] & mask) | (quads[4 * v + 1][i] & mask) << 2 |
                                      (quads[4 * v + 2][i] & mask) << 4 |
                                      (quads[4 * v + 3][i] & mask) << 6);
      }
    }
  }
}

void write_high(int low_bits, int bits, const Quads& quads, uint8_t* high) {
  const int per_byte = 8 / bits;
  std::memset(high, 0, static_cast<size_t>(bits) * kQuadBytes);
  for (int j = 0; j < kQuads; ++j) {
    uint8_t* to = high + j / per_byte * kQuadBytes;
    const int shift = j % per_byte * bits;
    for (int i = 0; i < kQuadBytes; ++i) {
      to[i] |= static_cast<uint8_t>(quads[j][i] >> low_bits << shift);
    }
  }
}

void write_codes(const QuantFormat& format, const RawBlock* rows, int begin, int64_t block,
                 const Planes& planes) {
  Quads quads;
  for (int row = 0; row < kGroupRows; ++row) {
    for (int j = 0; j < kQuads; ++j) {
      std::memcpy(&quads[j][4 * row], rows[row].codes + begin + 4 * j, 4);
    }
  }
  write_low(format.low_bits, quads, planes.low + kQuadBytes * format.low_bits * block);
  if (format.high_bits == 0) return;
  write_high(format.low_bits, format.high_bits, quads,
             planes.high + kQuadBytes * format.high_bits * block);
}

// Stores one field of each row's block as entry `at` of a plane.
template <typename Value, typename Field>
void write_entry(const RawBlock* rows, int64_t at, uint8_t* plane, Field field) {
  Value values[kGroupRows];
  for (int row = 0; row < kGroupRows; ++row) values[row] = field(rows[row]);
  std::memcpy(plane + at * static_cast<int64_t>(sizeof values), values, sizeof values);
}

// The scales of block number `index` of a row, which covers `subs` sub-blocks.
void write_scales(const QuantFormat& format, const RawBlock* rows, int64_t index, int subs,
                  const Planes& planes) {
  const int64_t at = index * subs;
  const auto d = [](const RawBlock& block) { return block.d; };
  const auto m = [](const RawBlock& block) { return block.m; };
  switch (format.scale) {
    case ScaleKind::kF16:
      write_entry<uint16_t>(rows, at, planes.scales, d);
      if (format.mins) write_entry<uint16_t>(rows, at, planes.mins, m);
      return;
    case ScaleKind::kF32:
      for (int s = 0; s < subs; ++s) {
        write_entry<float>(rows, at + s, planes.scales, [](const RawBlock& b) { return b.d32; });
      }
      return;
    case ScaleKind::kSuper:
      write_entry<uint16_t>(rows, index, planes.supers, d);
      if (format.mins) write_entry<uint16_t>(rows, index, planes.super_mins, m);
      [[fallthrough]];
    default:
      for (int s = 0; s < subs; ++s) {
        write_entry<int8_t>(rows, at + s, planes.scales,
                            [s](const RawBlock& b) { return b.scales[s]; });
        if (!format.mins) continue;
        write_entry<int8_t>(rows, at + s, planes.mins,
                            [s](const RawBlock& b) { return b.mins[s]; });
      }
  }
}

// Source rows of one group; null beyond the matrix.
using SourceRows = const uint8_t* [kGroupRows];

void pack_quantised_group(const BlockInfo& info, const QuantLayout& layout, int64_t k,
                          const SourceRows& source, uint8_t* group) {
  const QuantFormat format = quant_format(info.type);
  const Planes planes = planes_of(layout, group);
  const int blocks = info.elements / 32;
  RawBlock rows[kGroupRows];
  for (RawBlock& row : rows) std::memset(row.codes, 0, sizeof row.codes);
  for (int64_t i = 0; i < k / info.elements; ++i) {
    for (int row = 0; row < kGroupRows; ++row) {
      if (source[row] != nullptr) read_block(info.type, source[row] + i * info.bytes, rows[row]);
    }
    for (int b = 0; b < blocks; ++b) write_codes(format, rows, 32 * b, i * blocks + b, planes);
    write_scales(format, rows, i, info.elements / format.sub, planes);
  }
}

// [k][16 rows] of values, or [k / 2][16 rows] of pairs of bf16: `Unit` is what stays together.
template <typename Unit>
void interleave(int64_t units, const SourceRows& source, uint8_t* group) {
  for (int64_t i = 0; i < units; ++i) {
    Unit values[kGroupRows] = {};
    for (int row = 0; row < kGroupRows; ++row) {
      if (source[row] == nullptr) continue;
      std::memcpy(&values[row], source[row] + i * int64_t{sizeof(Unit)}, sizeof(Unit));
    }
    std::memcpy(group + i * int64_t{sizeof values}, values, sizeof values);
  }
}

void pack_plain_group(BlockType type, int64_t k, const SourceRows& source, uint8_t* group) {
  if (type == BlockType::kF32) return interleave<uint32_t>(k, source, group);
  if (type == BlockType::kF16) return interleave<uint16_t>(k, source, group);
  interleave<uint32_t>(k / 2, source, group);
  if (k % 2 == 0) return;
  for (int row = 0; row < kGroupRows; ++row) {  // a last value without its pair
    if (source[row] == nullptr) continue;
    std::memcpy(group + (k / 2 * kGroupRows + row) * 4, source[row] + (k - 1) * 2, 2);
  }
}

void check_panel(BlockType type, int64_t n, int64_t k, int64_t group, int64_t k0, int64_t kc) {
  const int64_t groups = (n + kGroupRows - 1) / kGroupRows;
  if (group < 0 || group >= groups || k0 < 0 || kc < 0 || k0 > k || kc > k - k0 || k0 % 32 != 0 ||
      (kc % 32 != 0 && k0 + kc != k)) {
    fail(ErrorCode::kInternal, "[unpack_panel] group {}, values {} + {} of a [{}, {}] {} matrix",
         group, k0, kc, n, k, block_info(type).name);
  }
}

}  // namespace

void pack(BlockType type, int64_t n, int64_t k, const void* blocks, void* packed,
          const PackOptions& options, ThreadPool& pool) {
  const BlockInfo& info = block_info(type);
  const QuantLayout layout = quant_layout(type, k);
  const int64_t row_bytes = k / info.elements * info.bytes;
  const auto* source = static_cast<const uint8_t*>(blocks);
  for (int64_t i = 0; options.rows != nullptr && i < n; ++i) {
    if (options.rows[i] < 0 || options.rows[i] >= n) {
      fail(ErrorCode::kInvalidArgument, "[pack] row {} of {} does not exist", options.rows[i], n);
    }
  }
  const int64_t groups = (n + kGroupRows - 1) / kGroupRows;
  pool.parallel_for(groups, 4, [&](int64_t begin, int64_t end, int) {
    for (int64_t g = begin; g < end; ++g) {
      SourceRows rows;
      for (int i = 0; i < kGroupRows; ++i) {
        const int64_t row = g * kGroupRows + i;
        const int64_t from = row < n && options.rows != nullptr ? options.rows[row] : row;
        rows[i] = row < n ? source + from * row_bytes : nullptr;
      }
      auto* group = static_cast<uint8_t*>(packed) +
                    (options.first_group + g * options.group_step) * layout.group_bytes;
      std::memset(group, 0, layout.group_bytes);
      if (info.quantised) {
        pack_quantised_group(info, layout, k, rows, group);
      } else {
        pack_plain_group(type, k, rows, group);
      }
    }
  });
}

void embed_rows(BlockType type, int64_t n, int64_t k, const void* packed, const int32_t* ids,
                int64_t count, float* out) {
  // Unpacking all 16 rows of a group in vector code is cheaper than picking one row's bits.
  constexpr int64_t kStep = 128;
  alignas(64) float panel[kStep * kGroupRows];
  for (int64_t i = 0; i < count; ++i, out += k) {
    if (ids[i] < 0 || ids[i] >= n) {
      fail(ErrorCode::kInvalidArgument, "[embed_rows] id {} is outside [0, {})", ids[i], n);
    }
    for (int64_t k0 = 0; k0 < k; k0 += kStep) {
      const int64_t kc = std::min(kStep, k - k0);
      unpack_panel_f32(type, n, k, packed, ids[i] / kGroupRows, k0, kc, panel);
      for (int64_t j = 0; j < kc; ++j) out[k0 + j] = panel[j * kGroupRows + ids[i] % kGroupRows];
    }
  }
}

void unpack_panel_f32(BlockType type, int64_t n, int64_t k, const void* packed, int64_t group,
                      int64_t k0, int64_t kc, float* dst) {
  check_panel(type, n, k, group, k0, kc);
  const QuantLayout layout = quant_layout(type, k);
  XYLEM_DISPATCH(quant_panel_f32)
  (type, layout, static_cast<const uint8_t*>(packed) + group * layout.group_bytes, k0, kc, dst);
}

void unpack_panel_bf16(BlockType type, int64_t n, int64_t k, const void* packed, int64_t group,
                       int64_t k0, int64_t kc, uint16_t* dst) {
  check_panel(type, n, k, group, k0, kc);
  const QuantLayout layout = quant_layout(type, k);
  XYLEM_DISPATCH(quant_panel_bf16)
  (type, layout, static_cast<const uint8_t*>(packed) + group * layout.group_bytes, k0, kc, dst);
}

}  // namespace xylem::kernels
