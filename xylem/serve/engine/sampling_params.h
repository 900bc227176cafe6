// How one request samples. Names, defaults and meanings are vLLM's.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace xylem::engine {

struct SamplingParams {
  double temperature = 1.0;         // 0: greedy
  int64_t top_k = 0;                // 0 or -1: all
  double top_p = 1.0;               // (0, 1]
  double min_p = 0.0;               // [0, 1]: relative to the best token's probability
  double repetition_penalty = 1.0;  // > 0: on tokens of the prompt and the output
  double presence_penalty = 0.0;    // [-2, 2]: once, on tokens of the output
  double frequency_penalty = 0.0;   // [-2, 2]: times the count in the output
  std::map<int32_t, float> logit_bias;
  std::optional<uint64_t> seed;  // the same tokens whatever else is in the batch

  int64_t max_tokens = 16;
  int64_t min_tokens = 0;  // before which end-of-sequence and stop tokens are not sampled
  std::vector<std::string> stop;
  std::vector<int32_t> stop_token_ids;
  bool include_stop_str_in_output = false;
  bool ignore_eos = false;
  bool skip_special_tokens = true;

  // The log-probabilities of the sampled token and of this many best ones, from the raw logits.
  std::optional<int64_t> logprobs;

  // Throws kInvalidArgument naming the field, its value and what was expected.
  void validate(int64_t vocabulary) const;
};

}  // namespace xylem::engine
