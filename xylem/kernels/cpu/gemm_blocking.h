// How large the pieces of a product are, by the caches and the shape. None of it changes a result.
// Not for use outside gemm_*.cc.
#pragma once

#include <cstdint>

#include "xylem/kernels/cpu/gemm_isa.h"

namespace xylem::kernels {

inline constexpr int kTilePanels = 2;  // panels of B in a tile of C
inline constexpr int64_t kTileColumns = kTilePanels * kPanelColumns;

inline int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
inline int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

struct Blocking {
  // `tiles`: bf16 panels; otherwise f32 panels of the current level.
  Blocking(int64_t m, int64_t n, int64_t k, bool tiles, int threads);

  int sliver_rows;          // most rows of a register tile
  int64_t element;          // bytes of a packed value
  int64_t depth;            // k as packed
  int64_t sliver_elements;  // from one packed sliver of A to the next
  int64_t k_block;          // values of k for which the operand at rest stays in L1
  int64_t k_blocks;         // of which k has so many,
  int64_t outer_blocks;     // and the operand that stays in L2 so many at a time
  int64_t chunk_rows;       // rows of A packed at once, by all threads
  // Few rows: all of A stays in L2 while panels of B pass, each unpacked just before. Many rows:
  // a thread keeps a range of B in L2 while slivers of A pass.
  bool few_rows;
  int64_t range_tiles;  // tiles' columns that a thread takes at once
  int64_t range_rows;   // rows that it takes, within a chunk
};

}  // namespace xylem::kernels
