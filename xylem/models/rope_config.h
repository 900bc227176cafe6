// Rotary settings out of model files, in every spelling that they come in.
#pragma once

#include "xylem/io/gguf.h"
#include "xylem/io/hf_config.h"
#include "xylem/nn/rope.h"

namespace xylem::models {

// From "rope_parameters" (new) or "rope_theta" and "rope_scaling" (old).
nn::RopeConfig rope_from_hf(const io::HfConfig& config, int64_t head_dim, int64_t max_positions,
                            double default_theta);
// From "<arch>.rope.*" and the tensor rope_freqs.weight.
nn::RopeConfig rope_from_gguf(const io::GgufFile& file, const std::string& arch, int64_t head_dim,
                              int64_t max_positions);

}  // namespace xylem::models
