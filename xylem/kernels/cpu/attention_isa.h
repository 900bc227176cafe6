// What attention.cc and cpu/isa/attention_*.inc share: the tasks a step is cut into.
#pragma once

#include "xylem/kernels/cpu/attention.h"
#include "xylem/kernels/cpu/dispatch.h"

namespace xylem::kernels {

// Keys of one decode task. Fixed, so that how a sequence is cut depends on its length alone.
inline constexpr int64_t kPartition = 256;
// Keys that a prefill task takes at a time.
inline constexpr int64_t kKeyBlock = 64;
// The largest head_dim.
inline constexpr int64_t kMaxHeadDim = 1024;

// One new token's attention to the keys [begin, end) through the heads of one kv head.
struct DecodeTask {
  int64_t sequence = 0;
  int64_t kv_head = 0;
  int64_t begin = 0;
  int64_t end = 0;
  // [group, head_dim] outputs, [group] maxima and [group] sums, where group = heads / kv_heads;
  // null when these are all the keys, and the result goes to `out`.
  float* partial = nullptr;
};

// The attention of `queries` consecutive tokens of a sequence through one kv head.
struct PrefillTask {
  int64_t sequence = 0;
  int64_t kv_head = 0;
  int64_t first = 0;  // counted from the sequence's first new token
  int64_t queries = 0;
};

using DecodeKernel = void(const PagedAttention&, const DecodeTask&, float* scratch);
using PrefillKernel = void(const PagedAttention&, const PrefillTask&, float* scratch);

XYLEM_FOR_EACH_ISA(
    // Rotates and stores the keys and values of rows [first, last) of one sequence, all heads.
    void attention_write(const PagedAttention&, int64_t sequence, int64_t first, int64_t last);
    DecodeKernel attention_decode;
    // Joins `parts` partial results of one (sequence, kv head), `stride` floats apart, into `out`.
    void attention_merge(const PagedAttention&, int64_t sequence, int64_t kv_head,
                         const float* partials, int64_t parts, int64_t stride);
    PrefillKernel attention_prefill;
    // Floats of scratch for a task.
    int64_t attention_decode_scratch(const PagedAttention&);
    int64_t attention_prefill_scratch(const PagedAttention&, int64_t queries);)

// Over a bf16 cache, with tiles: for processors with AMX only.
namespace amx {
DecodeKernel attention_decode_bf16;
PrefillKernel attention_prefill_bf16;
int64_t attention_decode_bf16_scratch(const PagedAttention&);
int64_t attention_prefill_bf16_scratch(const PagedAttention&, int64_t queries);
}  // namespace amx

}  // namespace xylem::kernels
