// The one way in which models attend: a context decides whether keys and values live in a paged
// cache (serving) or in the batch itself (training).
#pragma once

#include <optional>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/kernels/attention.h"

namespace xylem::nn {

class AttentionContext {
 public:
  virtual ~AttentionContext() = default;

  // q, k and v before rotation, f32, side by side in one array [tokens, (heads + 2 kv_heads)
  // head_dim] or in several that concatenate to it → [tokens, heads head_dim].
  virtual Array attend(const kernels::AttentionSpec& spec, const std::vector<Array>& qkv,
                       const std::optional<kernels::RopeTables>& rope) = 0;
};

// Attention through the paged cache of a serving step. The cache is a value: read it back when the
// forward pass is done.
class PagedAttentionContext : public AttentionContext {
 public:
  PagedAttentionContext(kernels::PagedBatch batch, Array kv_cache)
      : batch_(std::move(batch)), kv_cache_(std::move(kv_cache)) {}

  Array attend(const kernels::AttentionSpec& spec, const std::vector<Array>& qkv,
               const std::optional<kernels::RopeTables>& rope) override;

  const Array& kv_cache() const { return kv_cache_; }

 private:
  kernels::PagedBatch batch_;
  Array kv_cache_;
};

}  // namespace xylem::nn
