// The blocking behind gemm.h: who packs what, when, and which thread multiplies which block. Not
// for use outside gemm*.cc.
//
// The method is that of Goto and van de Geijn ("Anatomy of High-Performance Matrix Multiplication",
// 2008): both operands are packed into panels, a block of A stays in the L2 cache while panels of
// B pass by, and a register tile of C is updated from one panel of each. Every element of C is one
// running sum over k in ascending order, so that block sizes, the number of rows and the number of
// threads do not change a bit of it.
#pragma once

#include <cstdint>

#include "xylem/base/thread_pool.h"
#include "xylem/kernels/cpu/gemm_isa.h"

namespace xylem::kernels {

// Panels of 16 columns of B, `count` from `first` on, over k0 .. k0 + kc. They go to dst, `stride`
// elements apart.
struct PanelRange {
  int64_t first;
  int count;
  int64_t k0, kc;
  void* dst;
  int64_t stride;
};

// Pack a part of an operand in the layout of gemm_isa.h: rows [row, row + count) of A over all of
// k, two tiles one after the other; or panels of B. Called from several threads.
using FillRows = FunctionRef<void(int64_t row, int count, void* dst)>;
using FillPanels = FunctionRef<void(const PanelRange& range)>;

struct Product {
  int64_t m, n, k;
  bool tiles;  // bf16 panels; otherwise f32 panels
  FillRows rows;
  FillPanels panels;
  TileOutput out;  // of element (0, 0)
};

void multiply(const Product& product, ThreadPool& pool);

}  // namespace xylem::kernels
