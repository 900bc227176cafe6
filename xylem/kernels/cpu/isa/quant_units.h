// The outer loops of the quantised products: groups of weights, tiles of activation rows, and
// what is done with a finished tile.
#pragma once

#include "xylem/kernels/cpu/isa/quant_decode.h"

namespace xylem::kernels::XYLEM_ISA {

inline constexpr int kMaxTileRows = 16;
// Results of some rows of x times the 16 rows of a group.
using TileOut = float[kMaxTileRows][16];

XYLEM_INLINE VecF silu(VecF x) {
  const VecF minus = from_bits(add_32(bits(x), splat_i(INT32_MIN)));  // flips the sign
  return div(x, add(splat_f(1.0f), exp(minus)));
}

// Writes rows row0 .. row0 + rows of unit's 16 columns; `up` is used by silu(gate) * up alone.
[[maybe_unused]] static void finish_tile(const QuantCall& call, int64_t unit, int64_t row0,
                                         int rows, TileOut& tile, const TileOut& up) {
  const int64_t column = 16 * unit;
  const int64_t columns = call.ldy - column < 16 ? call.ldy - column : 16;
  for (int r = 0; r < rows; ++r) {
    const int64_t at = (row0 + r) * call.ldy + column;
    for (int c = 0; call.silu_mul && c < 16; c += kLanes) {
      store_f(tile[r] + c, mul(silu(load_f(tile[r] + c)), load_f(up[r] + c)));
    }
    for (int64_t c = 0; call.add != nullptr && c < columns; ++c) tile[r][c] += call.add[at + c];
    for (int64_t c = 0; c < columns; ++c) call.y[at + c] = tile[r][c];
  }
}

// Tiles::run<R>(call, group, row0, out) computes R rows of x times a group, for R 1, 2, 4 ... up to
// Tiles::kRows: calls the largest that fits and returns R.
template <typename Tiles>
XYLEM_INLINE int run_largest(const QuantCall& call, const uint8_t* group, int64_t row0,
                             TileOut& out) {
  const int64_t left = call.m - row0;
  if constexpr (Tiles::kRows >= 8) {
    if (left >= 8) return Tiles::template run<8>(call, group, row0, out), 8;
  }
  if constexpr (Tiles::kRows >= 4) {
    if (left >= 4) return Tiles::template run<4>(call, group, row0, out), 4;
  }
  if (left >= 2) return Tiles::template run<2>(call, group, row0, out), 2;
  return Tiles::template run<1>(call, group, row0, out), 1;
}

// step(call, group, row0, out) computes some rows of x from row0 on times a group and says how
// many. A row's result does not depend on that: its sums are its own, in the same order.
template <typename Step>
XYLEM_INLINE void run_units(const QuantCall& call, int64_t begin, int64_t end, const Step& step) {
  alignas(64) TileOut tile, up;
  const size_t bytes = call.layout.group_bytes;
  for (int64_t unit = begin; unit < end; ++unit) {
    const uint8_t* group = call.packed + bytes * (call.silu_mul ? 2 * unit : unit);
    for (int64_t row0 = 0; row0 < call.m;) {
      const int rows = step(call, group, row0, tile);
      if (call.silu_mul) step(call, group + bytes, row0, up);
      finish_tile(call, unit, row0, rows, tile, up);
      row0 += rows;
    }
  }
}

}  // namespace xylem::kernels::XYLEM_ISA
