// The vector code behind gemm.h, one copy a level (see dispatch.h). Not for use outside gemm_*.cc.
//
// Operands are packed before they are multiplied. A packed panel covers `width` rows of A or 16
// columns of B over all of k:
//   f32:  panel[k][width]
//   bf16: steps of 32 values of k, each step one tile (AMX's) of 1 KiB: 16 rows of 32 values for A,
//         16 pairs of k for 16 columns ([16][16][2]) for B. k is padded with zeros to whole steps.
#pragma once

#include <cstdint>

#include "xylem/kernels/cpu/dispatch.h"
#include "xylem/kernels/cpu/matmul_types.h"

namespace xylem::kernels {

inline constexpr int kPanelColumns = 16;
inline constexpr int kTileRows = 16;  // rows of an AMX tile
inline constexpr int kStep = 32;      // values of k in an AMX tile

enum class Element : uint8_t { kF32, kBF16, kF16 };

// Elements (i, p), i along the panel and p along k. The innermost dimension is contiguous: p when
// k_contiguous, else i; the other advances by `stride` bytes. Pointers need no alignment.
struct PackSource {
  const char* data;
  int64_t stride;
  Element type;
  bool k_contiguous;
};

// Where a finished tile goes: out(i, j) for the first row and column of the tile.
struct TileOutput {
  char* data;
  int64_t stride;  // bytes
  bool bf16;       // otherwise f32
  Epilogue epilogue;
  const float* add;    // nullptr, or the element to add to out(0, 0)
  int64_t add_stride;  // elements
};

// A tile whose sums over k are complete: [rows][pitch], of which `columns` count.
struct FinishedTile {
  const float* sums;
  int pitch;
  int rows;
  int columns;
  TileOutput out;
};

// Products of packed f32 panels. They exist at two levels; AVX-512 serves those above it.
#define XYLEM_GEMM_F32(level)                                                                      \
  namespace level {                                                                                \
  /* dst[kc][width] from `count` <= width < 16 rows of the source, or, with width 16, panels */    \
  /* dst[kc][16] `stride` floats apart from any number of rows or columns; zeros fill the rest. */ \
  /* When width is not 16, up to 15 floats past the end are overwritten. */                        \
  void pack_f32(const PackSource& source, int count, int64_t kc, int width, float* dst,            \
                int64_t stride);                                                                   \
  /* to[rows][16 * panels] = from + a[kc][rows] times panels of b[kc][16], `b_stride` floats */    \
  /* apart. `from` has rows of 16 * panels floats, those of `to` are to_stride floats apart; */    \
  /* nullptr stands for zeros. */                                                                  \
  void tile_f32(int rows, int panels, int64_t kc, const float* a, const float* b,                  \
                int64_t b_stride, const float* from, float* to, int64_t to_stride);                \
  /* Through the epilogue to memory. */                                                            \
  void finish_tile(const FinishedTile& tile);                                                      \
  /* f32 out(i, j) = x row i . w row j over k values; count_w <= 4 rows of w; strides in bytes. */ \
  void dot_rows(Element type, const char* w, int64_t w_stride, int count_w, const char* x,         \
                int64_t x_stride, int count_x, int64_t k, char* out, int64_t out_stride);          \
  }
XYLEM_GEMM_F32(avx2)
XYLEM_GEMM_F32(avx512)
#undef XYLEM_GEMM_F32

// Products of packed bf16 tiles, at the levels from kAvx512Bf16 on.
namespace avx512bf16 {
// `count` rows of A (as_rows) or columns of B, kc values of k, rounded to bf16, as panels of 16
// rows or columns `stride` elements apart; zeros fill the rest.
void pack_bf16(const PackSource& source, bool as_rows, int count, int64_t kc, uint16_t* dst,
               int64_t stride);
}  // namespace avx512bf16

// to[16 * row_tiles][16 * panels] = from + a b over `steps` of k, with `from` and `to` as for
// tile_f32. row_tiles and panels are 1 or 2.
struct TileWork {
  int row_tiles, panels;
  int64_t steps;
  const uint16_t* a;
  int64_t a_tile;  // elements from a tile to the one below
  const uint16_t* b;
  int64_t b_panel;  // elements from a panel to the next
  bool b_passes;    // b must not displace a in L1, otherwise a not b
  const float* from;
  float* to;
  int64_t to_stride;
  // What the vector units do while the tile unit works: fetch the lines of `out` (unless null) that
  // will soon be written and `next_lines` a step of either tile of a wanted next, and finish a
  // tile (unless null).
  const TileOutput* out;
  const char* next;
  int next_lines;
  const FinishedTile* finished;
};

namespace avx512bf16 {
void tile_bf16(const TileWork& work);  // on vectors
}  // namespace avx512bf16

namespace amx {
// Between tile_begin and tile_end a thread may call tile_bf16.
void tile_begin();
void tile_end();
void tile_bf16(const TileWork& work);
}  // namespace amx

// The level to take f32 code from.
#define XYLEM_DISPATCH_F32(function)                                                  \
  ::xylem::kernels::pick_level(&avx2::function, &avx512::function, &avx512::function, \
                               &avx512::function)

}  // namespace xylem::kernels
