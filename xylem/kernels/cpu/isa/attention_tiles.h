// What the AMX attention kernels share. For .inc files of the amx level only.
#pragma once

#include "xylem/kernels/cpu/isa/attention_rows.h"
#include "xylem/kernels/cpu/isa/transpose16.h"

namespace xylem::kernels::XYLEM_ISA {
namespace {

constexpr int64_t kTileKeys = 16;   // rows of a tile of keys
constexpr int64_t kTileDepth = 32;  // bf16 elements of a tile's row
constexpr float kLog2E = 1.44269504088896341f;

// The memory image that LDTILECFG reads.
struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

// The compiler does not know that tile instructions read and write memory.
inline void memory_barrier() { __asm__ volatile("" ::: "memory"); }

// 2^x to 3e-6 of it (a minimax polynomial), far finer than the bf16 it becomes; 0 from 2^-126 down:
// subnormal results would take the processor's slow path.
inline Vec fast_exp2(Vec x) {
  __mmask16 normal = _mm512_cmp_ps_mask(x, set1(-126), _CMP_GT_OQ);
  Vec n = round_to_int(x), f = sub(x, n);
  Vec p = set1(9.582852948e-3f);
  p = fma(p, f, set1(5.590642481e-2f));
  p = fma(p, f, set1(2.402409861e-1f));
  p = fma(p, f, set1(6.931241934e-1f));
  return _mm512_maskz_scalef_ps(normal, fma(p, f, set1(1)), n);
}

// Where the words of two rows of `lanes` bf16 values go, so that each lane's pair becomes a dword.
inline __m512i pair_order(int64_t lanes) {
  alignas(64) uint16_t order[32];
  for (int64_t i = 0; i < 32; ++i) {
    int64_t pair = i / 2 / lanes, lane = i / 2 % lanes;
    order[i] = static_cast<uint16_t>((2 * pair + i % 2) * lanes + lane);
  }
  return _mm512_load_si512(order);
}

// The bf16 pairs of the rows of probabilities that x and then y hold.
inline __m512i pack_pairs(Vec x, Vec y, __m512i order) {
  return _mm512_permutexvar_epi16(order, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(y, x)));
}

// Whether tiles can be loaded from the pages themselves: 16 keys lie in one page, and rows have
// no remainder. Otherwise keys are copied first.
inline bool tiles_in_place(const PagedAttention& a) {
  return a.page_size % kTileKeys == 0 && a.head_dim % kTileDepth == 0;
}

// Copies one row, zeros behind it up to `width` (a multiple of kTileDepth); null gives zeros.
inline void copy_row(const uint16_t* from, int64_t head_dim, int64_t width, uint16_t* to) {
  for (int64_t d = 0; d < width; d += kTileDepth) {
    int64_t left = from ? smaller(kTileDepth, head_dim - d) : 0;
    __mmask32 mask = left >= 32 ? 0xffffffffu : (1u << left) - 1;
    _mm512_storeu_si512(to + d, _mm512_maskz_loadu_epi16(mask, from + d));
  }
}

// Copies keys or values [tile, tile + 16); those out of [begin, end) become zeros.
inline void copy_tile(const PagedAttention& a, Part part, int64_t sequence, int64_t kv_head,
                      int64_t tile, int64_t begin, int64_t end, uint16_t* to) {
  int64_t width = round_up(a.head_dim, kTileDepth);
  for (int64_t key = tile; key < tile + kTileKeys; ++key, to += width) {
    const uint16_t* from = nullptr;
    if (key >= begin && key < end) {
      from = run_at<uint16_t>(a, part, sequence, kv_head, key, end).rows;
    }
    copy_row(from, a.head_dim, width, to);
  }
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
