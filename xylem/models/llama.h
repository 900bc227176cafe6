// The Llama family: Llama 2 and 3 (arXiv 2307.09288, 2407.21783), SmolLM 2 and 3, Mistral
// (arXiv 2310.06825). Pre-norm blocks of grouped-query attention with rotary positions and a gated
// MLP; SmolLM3 leaves the rotation out of every fourth layer.
#pragma once

#include "xylem/models/registry.h"

namespace xylem::models {

Family llama_family();

}  // namespace xylem::models
