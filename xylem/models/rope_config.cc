#include "xylem/models/rope_config.h"

#include <cmath>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/dequantize.h"

namespace xylem::models {
namespace {

constexpr io::HfConfig::Range kPositions = {1, 1 << 24};

void read_scaling(const io::HfConfig& scaling, nn::RopeConfig& rope) {
  rope.type = scaling.string_key_or("rope_type", scaling.string_key_or("type", "default"));
  if (rope.type == "default") return;
  rope.factor = scaling.float_key_or("factor", 1);
  rope.low_freq_factor = scaling.float_key_or("low_freq_factor", 1);
  rope.high_freq_factor = scaling.float_key_or("high_freq_factor", 4);
  rope.original_max_position_embeddings = scaling.int_key_or(
      "original_max_position_embeddings", rope.original_max_position_embeddings, kPositions);
  rope.beta_fast = scaling.float_key_or("beta_fast", 32);
  rope.beta_slow = scaling.float_key_or("beta_slow", 1);
  rope.mscale = scaling.float_key_or("mscale", 0);
  rope.mscale_all_dim = scaling.float_key_or("mscale_all_dim", 0);
  rope.attention_factor = scaling.float_key_or("attention_factor", 0);
  rope.truncate = scaling.bool_key_or("truncate", true);
  if (!(rope.factor > 0)) {
    fail(ErrorCode::kInvalidArgument, "{}: factor is {}, expected a positive number",
         scaling.name(), rope.factor);
  }
}

void set_rotary_dim(nn::RopeConfig& rope, int64_t head_dim, double fraction,
                    const std::string& file) {
  rope.rotary_dim = static_cast<int64_t>(static_cast<double>(head_dim) * fraction);
  if (rope.rotary_dim < 2 || rope.rotary_dim > head_dim || rope.rotary_dim % 2 != 0) {
    fail(ErrorCode::kInvalidArgument, "{}: {} of {} channels cannot rotate", file, rope.rotary_dim,
         head_dim);
  }
}

}  // namespace

nn::RopeConfig rope_from_hf(const io::HfConfig& config, int64_t head_dim, int64_t max_positions,
                            double default_theta) {
  nn::RopeConfig rope;
  rope.original_max_position_embeddings = max_positions;
  rope.theta = config.float_key_or("rope_theta", default_theta);
  double fraction = config.float_key_or("partial_rotary_factor", 1);
  if (std::optional<io::HfConfig> parameters = config.object_key("rope_parameters")) {
    rope.theta = parameters->float_key_or("rope_theta", rope.theta);
    fraction = parameters->float_key_or("partial_rotary_factor", fraction);
    read_scaling(*parameters, rope);
  } else if (std::optional<io::HfConfig> scaling = config.object_key("rope_scaling")) {
    read_scaling(*scaling, rope);
  }
  set_rotary_dim(rope, head_dim, fraction, config.name());
  return rope;
}

nn::RopeConfig rope_from_gguf(const io::GgufFile& file, const std::string& arch, int64_t head_dim,
                              int64_t max_positions) {
  nn::RopeConfig rope;
  rope.theta = file.get_f32(arch + ".rope.freq_base", 10000.0f);
  rope.type = std::string(file.get_string(arch + ".rope.scaling.type", "default"));
  if (rope.type == "none") rope.type = "default";
  rope.factor = file.get_f32(arch + ".rope.scaling.factor", 1.0f);
  rope.original_max_position_embeddings =
      file.get_i64(arch + ".rope.scaling.original_context_length", max_positions);
  double rotary = static_cast<double>(file.get_i64(arch + ".rope.dimension_count", head_dim));
  set_rotary_dim(rope, head_dim, rotary / static_cast<double>(head_dim), file.name());
  if (std::optional<io::TensorView> divisors = file.find_tensor("rope_freqs.weight")) {
    rope.divisors.resize(static_cast<size_t>(divisors->elements()));
    kernels::dequantize(*divisors->type.block(), divisors->data.data(), rope.divisors.data(),
                        divisors->elements());
  }
  return rope;
}

}  // namespace xylem::models
