// Ragged paged attention: the attention of one layer for every token of a serving step. Sequences
// of any lengths, some prefilling and some decoding, lie one after another in the rows of q, k and
// v; their earlier keys and values lie in pages of a shared cache, which the call extends.
//
//   PagedAttention a;
//   a.tokens = 7; a.heads = 9; a.kv_heads = 3; a.head_dim = 64; a.num_seqs = 2; ...
//   a.cu_q_lens = (int32_t[]){0, 1, 7};   // sequence 0 decodes one token, sequence 1 prefills six
//   a.kv_lens = (int32_t[]){100, 6};      // lengths including these tokens
//   paged_attention(a, ThreadPool::global());
//
// The result of a sequence depends neither on the other sequences of the call nor on the number
// of threads, bit for bit; nor, as long as each chunk has two tokens or more, on how its prompt is
// cut into chunks. A single token takes another path, whose sums run in another order.
// Arithmetic is f32 over an f32 cache and over a bf16 cache below the AMX level; there, queries
// and probabilities over a bf16 cache are rounded to bf16 and the sums are f32.
#pragma once

#include <cstdint>

#include "xylem/base/dtype.h"
#include "xylem/base/thread_pool.h"

namespace xylem::kernels {

struct PagedAttention {
  int64_t tokens = 0;    // rows of q, k, v and out; those from cu_q_lens[num_seqs] on are padding
  int64_t heads = 0;     // a multiple of kv_heads
  int64_t kv_heads = 0;  // each serves heads / kv_heads consecutive query heads
  int64_t head_dim = 0;  // a multiple of 8
  int64_t page_size = 0;
  int64_t num_pages = 0;
  int64_t max_pages_per_seq = 0;
  int64_t num_seqs = 0;
  int64_t layer = 0;  // below layers
  int64_t layers = 0;

  const float* q = nullptr;  // [tokens, heads, head_dim], not yet rotated if rope_cos is given
  const float* k = nullptr;  // [tokens, kv_heads, head_dim], the same
  const float* v = nullptr;  // [tokens, kv_heads, head_dim]
  int64_t q_stride = 0;      // floats from one row to the next
  int64_t k_stride = 0;
  int64_t v_stride = 0;

  void* kv_cache = nullptr;          // [layers, 2, num_pages, kv_heads, page_size, head_dim]
  DType cache_dtype = DType::kBF16;  // or kF32

  const int32_t* cu_q_lens = nullptr;   // [num_seqs + 1]: rows where each sequence starts, rising
  const int32_t* kv_lens = nullptr;     // [num_seqs]: tokens in the cache after this step
  const int32_t* page_table = nullptr;  // [num_seqs, max_pages_per_seq]

  float scale = 1;             // of the products q·k
  float softcap = 0;           // scores become softcap * tanh(score / softcap); 0: as they are
  int64_t sliding_window = 0;  // query i sees key j when 0 <= i - j < sliding_window; 0: all j <= i

  // Rotary embedding by halves of the first rotary_dim elements (NeoX, Llama in Hugging Face's
  // layout): the cosine and sine of each position, [rope_positions, rotary_dim / 2].
  const float* rope_cos = nullptr;
  const float* rope_sin = nullptr;
  int64_t rotary_dim = 0;
  int64_t rope_positions = 0;

  float* out = nullptr;  // [tokens, heads, head_dim], dense; padding rows become 0
};

// Writes the new keys and values to positions kv_len - q_len.. of each sequence's pages, then
// attends causally. Throws an Error (invalid argument) for impossible shapes, lengths out of the
// page table's reach, and page ids out of the cache. Sequences must not share a page that is
// written to. Allocates only scratch that stays for later calls of this thread.
void paged_attention(const PagedAttention& attention, ThreadPool& pool);

}  // namespace xylem::kernels
