// Tensor parallelism for serving: which axis of a weight, and of the KV cache, is split.
#pragma once

#include <memory>
#include <string>

#include "xylem/core/sharding.h"
#include "xylem/models/model.h"

namespace xylem::models {

// The mesh axis that tensor parallelism splits over.
inline constexpr const char* kModelAxis = "model";

// As Megatron-LM splits (arXiv:1909.08053, section 3): by rows what makes heads or inner features
// (q, k, v, gate, up, the vocabulary), by columns what consumes them (o_proj, down); vectors stay
// whole. An axis that the devices do not divide gives way to the other one.
Sharding weight_sharding(const std::shared_ptr<const Mesh>& mesh, const std::string& name,
                         const Shape& shape);

// The cache [layers, 2, pages, kv_heads, page, head_dim] by heads, else by head_dim.
Sharding cache_sharding(const std::shared_ptr<const Mesh>& mesh, const Shape& shape);

}  // namespace xylem::models
