#include "xylem/kernels/cpu/attention.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/attention_isa.h"

namespace xylem::kernels {
namespace {

constexpr int64_t kTaskRows = 192;    // (query, head) rows of a prefill task, when there are many
constexpr int64_t kLeastRows = 48;    // and when that leaves threads without one
constexpr int64_t kWriteTokens = 16;  // tokens whose keys and values one task stores

struct Kernels {
  decltype(&avx2::attention_write) write;
  decltype(&avx2::attention_merge) merge;
  DecodeKernel* decode;
  PrefillKernel* prefill;
  decltype(&avx2::attention_decode_scratch) decode_scratch;
  decltype(&avx2::attention_prefill_scratch) prefill_scratch;
};

Kernels pick_kernels(const PagedAttention& a) {
  Kernels kernels = {
      XYLEM_DISPATCH(attention_write),          XYLEM_DISPATCH(attention_merge),
      XYLEM_DISPATCH(attention_decode),         XYLEM_DISPATCH(attention_prefill),
      XYLEM_DISPATCH(attention_decode_scratch), XYLEM_DISPATCH(attention_prefill_scratch)};
  if (cpu_level() == CpuLevel::kAmx && a.cache_dtype == DType::kBF16) {
    kernels.decode = amx::attention_decode_bf16;
    kernels.prefill = amx::attention_prefill_bf16;
    kernels.decode_scratch = amx::attention_decode_bf16_scratch;
    kernels.prefill_scratch = amx::attention_prefill_bf16_scratch;
  }
  return kernels;
}

// The partial results of one (sequence, kv head), and how many of them are still missing.
struct Join {
  int64_t sequence = 0;
  int64_t kv_head = 0;
  int64_t parts = 0;
  int64_t first_part = 0;
  int missing = 0;
};

struct DecodeEntry {
  DecodeTask task;
  int64_t join = -1;  // none: the task has all keys
  int64_t part = 0;
};

struct WriteTask {
  int64_t sequence, first, last;
};

// The tasks of a call. One a thread that calls, kept with its memory for the next call.
struct Plan {
  std::vector<PrefillTask> prefills;
  std::vector<WriteTask> writes;
  std::vector<DecodeEntry> decodes;
  std::vector<Join> joins;
  int64_t parts = 0;
  int64_t most_queries = 0;

  void clear() {
    prefills.clear();
    writes.clear();
    decodes.clear();
    joins.clear();
    parts = most_queries = 0;
  }
};

// Memory of this thread that grows to the largest call, aligned to cache lines.
float* thread_scratch(int64_t floats) {
  struct Free {
    void operator()(float* p) const { std::free(p); }
  };
  thread_local std::unique_ptr<float, Free> memory;
  thread_local int64_t size = 0;
  if (floats > size) {
    size_t bytes = (static_cast<size_t>(floats) * sizeof(float) + 63) / 64 * 64;
    memory.reset(static_cast<float*>(std::aligned_alloc(64, bytes)));
    size = memory ? floats : 0;
    if (!memory) {
      fail(ErrorCode::kResourceExhausted, "[paged_attention] no memory for {} bytes of scratch",
           bytes);
    }
  }
  return memory.get();
}

void check(bool good, const char* what, int64_t value) {
  if (!good) fail(ErrorCode::kInvalidArgument, "[paged_attention] {}, got {}", what, value);
}

void check_shapes(const PagedAttention& a) {
  check(a.kv_heads > 0 && a.heads > 0 && a.heads % a.kv_heads == 0,
        "heads must be a positive multiple of kv_heads", a.heads);
  check(a.head_dim > 0 && a.head_dim % 8 == 0 && a.head_dim <= kMaxHeadDim,
        "head_dim must be a multiple of 8 up to 1024", a.head_dim);
  check(a.page_size > 0, "page_size must be positive", a.page_size);
  check(a.layer >= 0 && a.layer < a.layers, "layer must be below layers", a.layer);
  check(a.cache_dtype == DType::kBF16 || a.cache_dtype == DType::kF32,
        "the cache must be bf16 or f32; dtype", static_cast<int64_t>(a.cache_dtype));
  check(a.sliding_window >= 0, "sliding_window must not be negative", a.sliding_window);
  if (a.rope_cos) {
    check(a.rotary_dim >= 0 && a.rotary_dim % 2 == 0 && a.rotary_dim <= a.head_dim,
          "rotary_dim must be even and at most head_dim", a.rotary_dim);
  }
}

int64_t first_visible_key(const PagedAttention& a, int64_t position) {
  return a.sliding_window > 0 ? std::max<int64_t>(0, position - a.sliding_window + 1) : 0;
}

// Lengths and the page ids that the sequence's new tokens reach.
void check_sequence(const PagedAttention& a, int64_t sequence) {
  int64_t begin = a.cu_q_lens[sequence], end = a.cu_q_lens[sequence + 1];
  check(begin <= end && end <= a.tokens, "cu_q_lens must rise up to the number of tokens", end);
  if (begin == end) return;
  int64_t length = a.kv_lens[sequence], first = length - (end - begin);
  check(first >= 0, "kv_len must count the new tokens", length);
  check(length <= a.max_pages_per_seq * a.page_size, "kv_len must fit the page table", length);
  if (a.rope_cos) {
    check(length <= a.rope_positions, "kv_len must be within the rope tables", length);
  }
  const int32_t* pages = a.page_table + sequence * a.max_pages_per_seq;
  for (int64_t i = first_visible_key(a, first) / a.page_size; i * a.page_size < length; ++i) {
    check(pages[i] >= 0 && pages[i] < a.num_pages, "page ids must be below num_pages", pages[i]);
  }
}

void plan_decode(const PagedAttention& a, int64_t sequence, Plan& plan) {
  int64_t length = a.kv_lens[sequence], begin = first_visible_key(a, length - 1);
  int64_t first = begin / kPartition, parts = (length - 1) / kPartition + 1 - first;
  for (int64_t head = 0; head < a.kv_heads; ++head) {
    int64_t join = -1;
    if (parts > 1) {
      join = static_cast<int64_t>(plan.joins.size());
      plan.joins.push_back({sequence, head, parts, plan.parts, static_cast<int>(parts)});
      plan.parts += parts;
    }
    for (int64_t part = 0; part < parts; ++part) {
      int64_t start = (first + part) * kPartition;
      DecodeTask task = {sequence, head, std::max(begin, start),
                         std::min(length, start + kPartition)};
      plan.decodes.push_back({task, join, part});
    }
  }
}

// Late queries see the most keys, so their tasks come first.
void plan_prefill(const PagedAttention& a, int64_t sequence, int64_t queries, Plan& plan) {
  int64_t count = a.cu_q_lens[sequence + 1] - a.cu_q_lens[sequence];
  for (int64_t block = (count - 1) / queries; block >= 0; --block) {
    int64_t first = block * queries, size = std::min(queries, count - first);
    for (int64_t head = 0; head < a.kv_heads; ++head) {
      plan.prefills.push_back({sequence, head, first, size});
    }
    plan.most_queries = std::max(plan.most_queries, size);
  }
  for (int64_t first = 0; first < count; first += kWriteTokens) {
    plan.writes.push_back({sequence, first, std::min(count, first + kWriteTokens)});
  }
}

// Queries of a prefill task: many share the repacking of a key block, but no thread may idle.
int64_t queries_per_task(const PagedAttention& a, int threads) {
  int64_t group = a.heads / a.kv_heads, rows = kTaskRows;
  auto tasks = [&](int64_t queries) {
    int64_t total = 0;
    for (int64_t s = 0; s < a.num_seqs; ++s) {
      int64_t count = a.cu_q_lens[s + 1] - a.cu_q_lens[s];
      if (count > 1) total += (count + queries - 1) / queries * a.kv_heads;
    }
    return total;
  };
  while (rows > kLeastRows && tasks(std::max<int64_t>(1, rows / group)) < 4 * threads) rows /= 2;
  return std::max<int64_t>(1, rows / group);
}

void make_plan(const PagedAttention& a, int threads, Plan& plan) {
  plan.clear();
  int64_t queries = queries_per_task(a, threads);
  for (int64_t sequence = 0; sequence < a.num_seqs; ++sequence) {
    int64_t count = a.cu_q_lens[sequence + 1] - a.cu_q_lens[sequence];
    if (count == 1) plan_decode(a, sequence, plan);
    if (count > 1) plan_prefill(a, sequence, queries, plan);
  }
}

void run_decode(const PagedAttention& a, const Kernels& kernels, Plan& plan, DecodeEntry& entry,
                float* partials, int64_t stride, float* scratch) {
  if (entry.join < 0) {
    kernels.decode(a, entry.task, scratch);
    return;
  }
  Join& join = plan.joins[entry.join];
  float* first = partials + join.first_part * stride;
  entry.task.partial = first + entry.part * stride;
  kernels.decode(a, entry.task, scratch);
  // Whoever finishes last joins the parts, always in the order of the keys.
  if (std::atomic_ref<int>(join.missing).fetch_sub(1, std::memory_order_acq_rel) == 1) {
    kernels.merge(a, join.sequence, join.kv_head, first, join.parts, stride);
  }
}

void run_plan(const PagedAttention& a, Plan& plan, ThreadPool& pool) {
  auto line = [](int64_t floats) { return (floats + 15) / 16 * 16; };
  Kernels kernels = pick_kernels(a);
  int64_t stride = line(a.heads / a.kv_heads * (a.head_dim + 2));
  int64_t work = kernels.decode_scratch(a);
  if (plan.most_queries > 0) {
    work = std::max(work, kernels.prefill_scratch(a, plan.most_queries));
  }
  work = line(work);
  float* partials = thread_scratch(plan.parts * stride + pool.size() * work);
  float* scratch = partials + plan.parts * stride;

  pool.parallel_for(static_cast<int64_t>(plan.writes.size()), 1,
                    [&](int64_t begin, int64_t end, int) {
                      for (int64_t i = begin; i < end; ++i) {
                        const WriteTask& task = plan.writes[i];
                        kernels.write(a, task.sequence, task.first, task.last);
                      }
                    });
  int64_t prefills = static_cast<int64_t>(plan.prefills.size());
  int64_t tasks = prefills + static_cast<int64_t>(plan.decodes.size());
  pool.parallel_for(tasks, 1, [&](int64_t begin, int64_t end, int worker) {
    float* own = scratch + worker * work;
    for (int64_t i = begin; i < end; ++i) {
      if (i < prefills) {
        kernels.prefill(a, plan.prefills[i], own);
      } else {
        run_decode(a, kernels, plan, plan.decodes[i - prefills], partials, stride, own);
      }
    }
  });
}

}  // namespace

void paged_attention(const PagedAttention& a, ThreadPool& pool) {
  check_shapes(a);
  check(a.num_seqs == 0 || a.cu_q_lens[0] == 0, "cu_q_lens must start at 0",
        a.num_seqs == 0 ? 0 : a.cu_q_lens[0]);
  for (int64_t sequence = 0; sequence < a.num_seqs; ++sequence) check_sequence(a, sequence);
  thread_local Plan plan;
  make_plan(a, pool.size(), plan);
  run_plan(a, plan, pool);
  int64_t used = a.num_seqs == 0 ? 0 : a.cu_q_lens[a.num_seqs];
  int64_t row = a.heads * a.head_dim;
  std::fill(a.out + used * row, a.out + a.tokens * row, 0.0f);
}

}  // namespace xylem::kernels
