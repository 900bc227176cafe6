// Ragged paged attention as an array operation. On the CPU a custom call into cpu/attention.h that
// updates the cache in place; elsewhere a composition.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/tree.h"

namespace xylem::kernels {

// What differs from layer to layer.
struct AttentionSpec {
  int64_t layer = 0;
  int64_t heads = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  float scale = 1;             // of q·k
  float softcap = 0;           // 0: none
  int64_t sliding_window = 0;  // 0: none; else query i sees key j when i - j < sliding_window
};

// The rotary tables [positions, rotary_dim / 2] f32 that turn q and k by absolute position.
struct RopeTables {
  Array cos;
  Array sin;
  XYLEM_FIELDS(cos, sin)
};

// The batch of a step: which rows belong to which sequence and where its pages are. All int32.
struct PagedBatch {
  Array cu_q_lens;   // [seqs + 1] rows where each sequence starts; the last is the rows in use
  Array kv_lens;     // [seqs] tokens in the cache after this step; 0 for an unused slot
  Array page_table;  // [seqs, max_pages]
  // True when every sequence has one row, row i of sequence i (a decode step): the composition
  // is cheaper then.
  bool one_row_each = false;
};

// qkv: one array [tokens, (heads + 2 kv_heads) head_dim] f32, or three: q [tokens, heads head_dim],
// k and v [tokens, kv_heads head_dim]. kv_cache: [layers, 2, pages, kv_heads, page_size, head_dim]
// bf16 or f32. Returns the attention output [tokens, heads head_dim] f32 (rows that belong to no
// sequence are zero) and the cache with this step's keys and values written.
std::pair<Array, Array> paged_attention(const std::vector<Array>& qkv, const Array& kv_cache,
                                        const PagedBatch& batch, const AttentionSpec& spec,
                                        const std::optional<RopeTables>& rope,
                                        Loc loc = Loc::current());

void register_attention_handlers();

}  // namespace xylem::kernels
