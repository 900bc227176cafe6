// Rotary position embeddings: the angles of each kind of scaling that configs name
// (rope_parameters.rope_type), and the tables that the kernels read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "xylem/kernels/attention.h"

namespace xylem::nn {

// Fields as in Hugging Face's rope_parameters.
struct RopeConfig {
  std::string type = "default";  // default, linear, llama3, yarn
  double theta = 10000;
  int64_t rotary_dim = 0;
  double factor = 1;
  // llama3
  double low_freq_factor = 1;
  double high_freq_factor = 4;
  int64_t original_max_position_embeddings = 0;
  // yarn
  double beta_fast = 32;
  double beta_slow = 1;
  double mscale = 0;
  double mscale_all_dim = 0;
  double attention_factor = 0;  // 0: computed
  bool truncate = true;
  // GGUF's rope_freqs.weight: a divisor for each angle; empty means ones.
  std::vector<float> divisors;
};

// Angle per position of each of the rotary_dim / 2 channel pairs; an Error names an unknown type.
std::vector<double> inverse_frequencies(const RopeConfig& config);
// What cosines and sines are multiplied with (1 but for yarn).
double attention_factor(const RopeConfig& config);
// cos and sin [positions, rotary_dim / 2], computed in double.
kernels::RopeTables rope_tables(const RopeConfig& config, int64_t positions);

}  // namespace xylem::nn
