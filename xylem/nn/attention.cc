#include "xylem/nn/attention.h"

#include "xylem/core/ops.h"

namespace xylem::nn {

Array PagedAttentionContext::attend(const kernels::AttentionSpec& spec,
                                    const std::vector<Array>& qkv,
                                    const std::optional<kernels::RopeTables>& rope) {
  // The kernel takes q, k and v as one array or as exactly three.
  bool three = qkv.size() == 3 && qkv[0].dim(1) == spec.heads * spec.head_dim;
  std::vector<Array> parts = three ? qkv : std::vector<Array>{concatenate(qkv, 1)};
  auto [out, cache] = kernels::paged_attention(parts, kv_cache_, batch_, spec, rope);
  kv_cache_ = cache;
  return out;
}

}  // namespace xylem::nn
