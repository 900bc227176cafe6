// Rows of queries, keys and values as the attention kernels read and write them: rotation, the
// cache's two element types, pages. For .inc files only.
#pragma once

#include "xylem/kernels/cpu/attention_isa.h"
#include "xylem/kernels/cpu/isa/float_vector.h"

namespace xylem::kernels::XYLEM_ISA {
namespace {

inline int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
inline int64_t round_up(int64_t n, int64_t to) { return (n + to - 1) / to * to; }

// The first key that the query at `position` sees.
inline int64_t first_visible(const PagedAttention& a, int64_t position) {
  return a.sliding_window > 0 ? larger(0, position - a.sliding_window + 1) : 0;
}

// The position of a sequence's first new token.
inline int64_t first_position(const PagedAttention& a, int64_t sequence) {
  return a.kv_lens[sequence] - (a.cu_q_lens[sequence + 1] - a.cu_q_lens[sequence]);
}

// y = x rotated to `position`, times `scale`; [head_dim].
inline void rotate(const PagedAttention& a, const float* x, int64_t position, float scale,
                   float* y) {
  int64_t half = a.rope_cos ? a.rotary_dim / 2 : 0;
  const float* cosine = a.rope_cos + position * half;
  const float* sine = a.rope_sin + position * half;
  const Vec factor = set1(scale);
  for (int64_t i = 0; i < half; i += kLanes) {
    Mask mask = first_lanes(half - i);
    Vec c = load(cosine + i, mask), s = load(sine + i, mask);
    Vec low = load(x + i, mask), high = load(x + half + i, mask);
    store(y + i, mul(sub(mul(low, c), mul(high, s)), factor), mask);
    store(y + half + i, mul(add(mul(high, c), mul(low, s)), factor), mask);
  }
  for (int64_t i = 2 * half; i < a.head_dim; i += kLanes) {
    Mask mask = first_lanes(a.head_dim - i);
    store(y + i, mul(load(x + i, mask), factor), mask);
  }
}

// n values, a multiple of 8, as the cache keeps them.
inline void convert(const float* x, int64_t n, uint16_t* y) {
  for (int64_t i = 0; i < n; i += 8) store8_bf16(y + i, _mm256_loadu_ps(x + i));
}
inline void convert(const float* x, int64_t n, float* y) {
  for (int64_t i = 0; i < n; i += 8) _mm256_storeu_ps(y + i, _mm256_loadu_ps(x + i));
}

enum Part : int64_t { kKeys = 0, kValues = 1 };

// [page_size, head_dim] of one page and kv head.
template <typename T>
inline T* page_rows(const PagedAttention& a, Part part, int64_t page, int64_t kv_head) {
  int64_t index = ((a.layer * 2 + part) * a.num_pages + page) * a.kv_heads + kv_head;
  return static_cast<T*>(a.kv_cache) + index * a.page_size * a.head_dim;
}

// The rows of keys that lie one after another in a page.
template <typename T>
struct Run {
  const T* rows;
  int64_t begin;  // key
  int64_t count;
};

// The run that starts at key `begin` and ends at `end` or at its page's end.
template <typename T>
inline Run<T> run_at(const PagedAttention& a, Part part, int64_t sequence, int64_t kv_head,
                     int64_t begin, int64_t end) {
  int64_t slot = begin / a.page_size, row = begin % a.page_size;
  int64_t page = a.page_table[sequence * a.max_pages_per_seq + slot];
  const T* rows = page_rows<T>(a, part, page, kv_head) + row * a.head_dim;
  return {rows, begin, smaller(end - begin, a.page_size - row)};
}

// Stores the rotated key and the value of one new token for one kv head.
template <typename T>
inline void store_token(const PagedAttention& a, int64_t sequence, int64_t kv_head, int64_t row,
                        int64_t position, float* scratch) {
  int64_t slot = position / a.page_size, offset = position % a.page_size * a.head_dim;
  int64_t page = a.page_table[sequence * a.max_pages_per_seq + slot];
  rotate(a, a.k + row * a.k_stride + kv_head * a.head_dim, position, 1, scratch);
  convert(scratch, a.head_dim, page_rows<T>(a, kKeys, page, kv_head) + offset);
  convert(a.v + row * a.v_stride + kv_head * a.head_dim, a.head_dim,
          page_rows<T>(a, kValues, page, kv_head) + offset);
}

}  // namespace
}  // namespace xylem::kernels::XYLEM_ISA
