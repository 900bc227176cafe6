// How decoding reads rows and sums values: shared by the kernels with and without AMX. For .inc
// files only.
#pragma once

#include "xylem/kernels/cpu/isa/attention_rows.h"

namespace xylem::kernels::XYLEM_ISA {
namespace {

// Head elements are taken in chunks of two vectors. Over a bf16 cache the first vector holds the
// even and the second the odd elements, which saves the interleaving; queries and outputs lie in
// that order while the kernel runs.
constexpr int64_t kChunk = 2 * kLanes;
#ifdef XYLEM_ISA_avx2
constexpr int kMostHeads = 3;  // of one pass: what 16 registers hold
#else
constexpr int kMostHeads = 4;
#endif

inline int64_t padded(int64_t head_dim) { return round_up(head_dim, kChunk); }

// [width] floats into chunk order and back, for a cache of T.
inline void to_chunks(const uint16_t*, const float* x, int64_t width, float* y) {
  for (int64_t i = 0; i < width; i += kChunk) {
    Vec even, odd;
    load_pairs(x + i, even, odd);
    store(y + i, even);
    store(y + i + kLanes, odd);
  }
}
inline void to_chunks(const float*, const float* x, int64_t width, float* y) {
  for (int64_t i = 0; i < width; i += kLanes) store(y + i, load(x + i));
}
inline void from_chunks(const uint16_t*, const float* x, int64_t width, float* y) {
  for (int64_t i = 0; i < width; i += kChunk) {
    store_pairs(y + i, load(x + i), load(x + i + kLanes));
  }
}
inline void from_chunks(const float*, const float* x, int64_t width, float* y) {
  to_chunks(x, x, width, y);
}

// Reads chunks of a row; Tail reads the last one, of `elements` < kChunk.
struct Full {
  static constexpr int64_t elements = kChunk;
  void operator()(const uint16_t* p, Vec& x, Vec& y) const { load_pairs(p, x, y); }
  void operator()(const float* p, Vec& x, Vec& y) const {
    x = load(p);
    y = load(p + kLanes);
  }
};
struct Tail {
  explicit Tail(int64_t elements)
      : pairs(first_lanes(elements / 2)),
        low(first_lanes(elements)),
        high(first_lanes(elements - kLanes)) {}
  void operator()(const uint16_t* p, Vec& x, Vec& y) const { load_pairs(p, pairs, x, y); }
  void operator()(const float* p, Vec& x, Vec& y) const {
    x = load(p, low);
    y = load(p + kLanes, high);
  }
  Mask pairs, low, high;
};

// Walks some rows ahead of a run's rows, on into the run that comes next, and asks for them. The
// sums hold up the reading of rows otherwise, and the processor cannot foresee the next page.
template <typename T>
class Ahead {
 public:
  Ahead(const Run<T>& run, const T* next, int64_t head_dim) : next_(next), head_dim_(head_dim) {
    int64_t rows = kBytes / (head_dim * static_cast<int64_t>(sizeof(T)));
    left_ = run.count - rows;
    row_ = left_ > 0 ? run.rows + rows * head_dim : next;
  }
  // The elements [at, at + N) of the next row, whose row is complete when `at` has gone through.
  template <int64_t N>
  void fetch(int64_t at) {
    constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
#pragma GCC unroll 4
    for (int64_t i = 0; i < N; i += kLine) _mm_prefetch(row_ + at + i, _MM_HINT_T0);
    row_ = --left_ == 0 ? next_ : row_ + head_dim_;
  }

 private:
  static constexpr int64_t kBytes = 2048;
  const T* next_;
  const T* row_;
  int64_t head_dim_;
  int64_t left_;
};

// The probabilities of one pass of heads: p[k * key_stride + h * head_stride].
struct Weights {
  const float* p;
  int64_t key_stride, head_stride;
};

// out[h] += sum over the run's k of weight[k, h] * values[k], for H heads and C chunks from `at`.
template <int H, int C, typename T, typename Read>
inline void add_chunks(const Run<T>& run, Ahead<T> ahead, int64_t head_dim, int64_t at, Read read,
                       Weights weights, float* out) {
  int64_t stride = padded(head_dim);
  Vec sum[H][2 * C];
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
#pragma GCC unroll 4
    for (int c = 0; c < 2 * C; ++c) sum[h][c] = load(out + h * stride + at + c * kLanes);
  }
  const T* row = run.rows + at;
  const float* p = weights.p;
  for (int64_t k = 0; k < run.count; ++k, row += head_dim, p += weights.key_stride) {
    ahead.template fetch<C * kChunk>(at);
    Vec x[2 * C];
#pragma GCC unroll 2
    for (int c = 0; c < C; ++c) read(row + c * kChunk, x[2 * c], x[2 * c + 1]);
#pragma GCC unroll 4
    for (int h = 0; h < H; ++h) {
      Vec weight = set1(p[h * weights.head_stride]);
#pragma GCC unroll 4
      for (int c = 0; c < 2 * C; ++c) sum[h][c] = fma(weight, x[c], sum[h][c]);
    }
  }
#pragma GCC unroll 4
  for (int h = 0; h < H; ++h) {
#pragma GCC unroll 4
    for (int c = 0; c < 2 * C; ++c) store(out + h * stride + at + c * kLanes, sum[h][c]);
  }
}

// The same for whole rows; `out` is [H, padded(head_dim)], in chunk order.
template <int H, typename T>
void add_run(const Run<T>& run, const T* next, int64_t head_dim, Weights weights, float* out) {
  const Ahead<T> ahead(run, next, head_dim);
  int64_t at = 0;
  for (; at + 2 * kChunk <= head_dim; at += 2 * kChunk) {
    add_chunks<H, 2>(run, ahead, head_dim, at, Full(), weights, out);
  }
  if (at + kChunk <= head_dim) {
    add_chunks<H, 1>(run, ahead, head_dim, at, Full(), weights, out);
    at += kChunk;
  }
  if (at < head_dim) add_chunks<H, 1>(run, ahead, head_dim, at, Tail(head_dim - at), weights, out);
}

// Calls body<H>(first head) so that `group` heads are covered by passes of nearly equal H.
template <typename Body>
inline void for_head_passes(int64_t group, Body body) {
  int64_t passes = (group + kMostHeads - 1) / kMostHeads;
  for (int64_t pass = 0; pass < passes; ++pass) {
    int64_t first = group * pass / passes, count = group * (pass + 1) / passes - first;
    if (count == 1) body.template operator()<1>(first);
    if (count == 2) body.template operator()<2>(first);
    if (count == 3) body.template operator()<3>(first);
    if constexpr (kMostHeads == 4) {
      if (count == 4) body.template operator()<4>(first);
    }
  }
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
