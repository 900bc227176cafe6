#include "xylem/kernels/attention.h"

#include <cstring>

#include "xylem/core/node.h"
#include "xylem/core/ops.h"
#include "xylem/core/ops/kernel.h"
#include "xylem/kernels/cpu/attention.h"
#include "xylem/kernels/ffi.h"
#include "xylem/kernels/paged_reference.h"

namespace xylem::kernels {
namespace {

void check_cache(const Array& cache, const Attrs& attrs, Loc loc) {
  int64_t kv_heads = attrs.integer("kv_heads"), head_dim = attrs.integer("head_dim");
  bool good = cache.ndim() == 6 && cache.dim(1) == 2 && cache.dim(3) == kv_heads &&
              cache.dim(5) == head_dim && attrs.integer("layer") < cache.dim(0) &&
              (cache.dtype() == DType::kF32 || cache.dtype() == DType::kBF16);
  if (good) return;
  op_error("paged_attention", loc,
           "the cache is {}, expected bfloat16 or float32(layers,2,pages,{},page_size,{})",
           cache.aval().text(), kv_heads, head_dim);
}

void check_batch(const Array& starts, const Array& lens, const Array& table, Loc loc) {
  auto is = [](const Array& x, int ndim) { return x.dtype() == DType::kS32 && x.ndim() == ndim; };
  if (is(starts, 1) && is(lens, 1) && is(table, 2) && starts.dim(0) == lens.dim(0) + 1 &&
      table.dim(0) == lens.dim(0)) {
    return;
  }
  op_error("paged_attention", loc,
           "cu_q_lens {}, kv_lens {} and page_table {} must be int32 (s+1), (s) and (s,pages)",
           starts.aval().text(), lens.aval().text(), table.aval().text());
}

// inputs: kv_cache, cu_q_lens, kv_lens, page_table, then qkv or q, k, v (attribute "fused"), then
// the rotary cosines and sines if any (attribute "rope").
std::vector<Aval> infer_attention(const std::vector<Array>& inputs, const Attrs& attrs, Loc loc) {
  int64_t heads = attrs.integer("heads"), kv_heads = attrs.integer("kv_heads");
  int64_t head_dim = attrs.integer("head_dim");
  if (kv_heads < 1 || heads % kv_heads != 0) {
    op_error("paged_attention", loc, "{} heads do not divide among {} key-value heads", heads,
             kv_heads);
  }
  check_cache(inputs[0], attrs, loc);
  check_batch(inputs[1], inputs[2], inputs[3], loc);
  bool fused = attrs.boolean("fused");
  for (size_t i = 0; i < (fused ? 1 : 3); ++i) {
    int64_t width = (fused ? heads + 2 * kv_heads : i == 0 ? heads : kv_heads) * head_dim;
    const Array& x = inputs[4 + i];
    if (x.dtype() != DType::kF32 || x.ndim() != 2 || x.dim(1) != width ||
        x.dim(0) != inputs[4].dim(0)) {
      op_error("paged_attention", loc, "{} is {}, expected float32({},{})",
               fused    ? "qkv"
               : i == 0 ? "q"
               : i == 1 ? "k"
                        : "v",
               x.aval().text(), inputs[4].dim(0), width);
    }
  }
  return {{{inputs[4].dim(0), heads * head_dim}, DType::kF32, {}}, inputs[0].aval()};
}

constexpr const char* kName = "xylem_paged_attention";
const KernelDef kAttention = {kName, infer_attention, paged_attention_reference, {{1, 0}}};

void set_queries(PagedAttention& call, const ffi::RemainingArgs& rest, bool fused) {
  const ffi::AnyBuffer q = argument(rest, 0);
  call.tokens = q.dimensions()[0];
  call.q = q.typed_data<float>();
  call.q_stride = q.dimensions()[1];
  if (fused) {
    call.k = call.q + call.heads * call.head_dim;
    call.v = call.k + call.kv_heads * call.head_dim;
    call.k_stride = call.v_stride = call.q_stride;
  } else {
    call.k = argument(rest, 1).typed_data<float>();
    call.v = argument(rest, 2).typed_data<float>();
    call.k_stride = call.v_stride = call.kv_heads * call.head_dim;
  }
}

void set_rope(PagedAttention& call, const ffi::RemainingArgs& rest, bool fused) {
  const ffi::AnyBuffer cos = argument(rest, fused ? 1 : 3), sin = argument(rest, fused ? 2 : 4);
  call.rope_cos = cos.typed_data<float>();
  call.rope_sin = sin.typed_data<float>();
  call.rope_positions = cos.dimensions()[0];
  call.rotary_dim = 2 * cos.dimensions()[1];
}

ffi::Error attention_handler(ffi::AnyBuffer cache, ffi::AnyBuffer cu_q_lens, ffi::AnyBuffer kv_lens,
                             ffi::AnyBuffer page_table, ffi::RemainingArgs rest,
                             ffi::Result<ffi::AnyBuffer> out, ffi::Result<ffi::AnyBuffer> new_cache,
                             bool fused, int64_t head_dim, int64_t heads, int64_t kv_heads,
                             int64_t layer, bool /*one_row_each*/, bool rope, float scale,
                             int64_t sliding_window, float softcap) {
  return guarded([&] {
    PagedAttention call;
    call.heads = heads;
    call.kv_heads = kv_heads;
    call.head_dim = head_dim;
    call.layer = layer;
    call.layers = cache.dimensions()[0];
    call.num_pages = cache.dimensions()[2];
    call.page_size = cache.dimensions()[4];
    call.num_seqs = kv_lens.dimensions()[0];
    call.max_pages_per_seq = page_table.dimensions()[1];
    call.kv_cache = new_cache->untyped_data();
    call.cache_dtype = host_dtype(cache);
    call.cu_q_lens = cu_q_lens.typed_data<int32_t>();
    call.kv_lens = kv_lens.typed_data<int32_t>();
    call.page_table = page_table.typed_data<int32_t>();
    call.scale = scale;
    call.softcap = softcap;
    call.sliding_window = sliding_window;
    call.out = out->typed_data<float>();
    set_queries(call, rest, fused);
    if (rope) set_rope(call, rest, fused);
    // XLA gives the result the cache's memory unless the old value is still needed.
    if (cache.untyped_data() != call.kv_cache) {
      std::memcpy(call.kv_cache, cache.untyped_data(), cache.size_bytes());
    }
    paged_attention(call, ThreadPool::global());
  });
}

XLA_FFI_DEFINE_HANDLER(kAttentionHandler, attention_handler,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .RemainingArgs()
                           .Ret<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<bool>("fused")
                           .Attr<int64_t>("head_dim")
                           .Attr<int64_t>("heads")
                           .Attr<int64_t>("kv_heads")
                           .Attr<int64_t>("layer")
                           .Attr<bool>("one_row_each")
                           .Attr<bool>("rope")
                           .Attr<float>("scale")
                           .Attr<int64_t>("sliding_window")
                           .Attr<float>("softcap"));

}  // namespace

std::pair<Array, Array> paged_attention(const std::vector<Array>& qkv, const Array& kv_cache,
                                        const PagedBatch& batch, const AttentionSpec& spec,
                                        const std::optional<RopeTables>& rope, Loc loc) {
  if (qkv.size() != 1 && qkv.size() != 3) {
    op_error("paged_attention", loc, "{} arrays given for q, k and v, expected 1 or 3", qkv.size());
  }
  Attrs attrs = {{"layer", spec.layer},
                 {"heads", spec.heads},
                 {"kv_heads", spec.kv_heads},
                 {"head_dim", spec.head_dim},
                 {"scale", static_cast<double>(spec.scale)},
                 {"softcap", static_cast<double>(spec.softcap)},
                 {"sliding_window", spec.sliding_window},
                 {"one_row_each", batch.one_row_each},
                 {"fused", qkv.size() == 1},
                 {"rope", rope.has_value()}};
  std::vector<Array> inputs = {kv_cache, batch.cu_q_lens, batch.kv_lens, batch.page_table};
  inputs.insert(inputs.end(), qkv.begin(), qkv.end());
  if (rope) inputs.insert(inputs.end(), {rope->cos, rope->sin});
  std::vector<Array> results = call_kernel(kAttention, inputs, attrs, loc);
  return {results[0], results[1]};
}

void register_attention_handlers() { runtime::add_ffi_handler(kName, kAttentionHandler); }

}  // namespace xylem::kernels
