// The way of a finished tile to memory, for the .inc files of gemm.
#pragma once

#include "xylem/kernels/cpu/isa/gemm_vector.h"

namespace xylem::kernels::XYLEM_ISA {
namespace {

template <bool kBF16>
inline void put(const TileOutput& out, int row, int column, Vec v, int n) {
  if (out.add != nullptr) {
    const float* add = out.add + row * out.add_stride + column;
    v = vec_add(v, vec_load_up_to<Element::kF32>(reinterpret_cast<const char*>(add), n));
  }
  char* p = out.data + row * out.stride + int64_t{column} * (kBF16 ? 2 : 4);
  if constexpr (kBF16) {
    vec_store_bf16(p, v, n < kLanes ? n : kLanes);
  } else if (n >= kLanes) {
    vec_store(reinterpret_cast<float*>(p), v);
  } else {
    vec_store_some(p, v, n);
  }
}

template <bool kBF16>
inline void finish_row(const FinishedTile& tile, int row) {
  const float* c = tile.sums + row * tile.pitch;
  if (tile.out.epilogue == Epilogue::kSiluMul) {
    for (int j = 0; j < kPanelColumns; j += kLanes) {
      const Vec gate = vec_load(c + j), up = vec_load(c + kPanelColumns + j);
      put<kBF16>(tile.out, row, j, vec_mul(vec_silu(gate), up), kLanes);
    }
  } else {
    for (int j = 0; j < tile.columns; j += kLanes) {
      put<kBF16>(tile.out, row, j, vec_load(c + j), tile.columns - j);
    }
  }
}

inline void finish_rows(const FinishedTile& tile, int begin, int end) {
  if (tile.out.bf16) {
    for (int row = begin; row < end; ++row) finish_row<true>(tile, row);
  } else {
    for (int row = begin; row < end; ++row) finish_row<false>(tile, row);
  }
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
