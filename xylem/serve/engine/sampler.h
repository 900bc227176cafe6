// Choosing the next token from a row of logits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "xylem/serve/engine/sampling_params.h"

namespace xylem::engine {

struct TokenLogprob {
  int32_t id = 0;
  float logprob = 0;
};

struct SampledToken {
  int32_t id = 0;
  // When logprobs were asked: the sampled token's, then the best ones in falling order.
  float logprob = 0;
  std::vector<TokenLogprob> top;
};

// What sampling reads of a request.
struct SamplingContext {
  const SamplingParams* params = nullptr;
  std::span<const int32_t> prompt;
  std::span<const int32_t> output;
  std::span<const int32_t> end_ids;  // not sampled before min_tokens
  uint64_t seed = 0;                 // the token depends on seed and output.size() alone
};

// The order is vLLM's: log-probabilities from the raw logits; bias, minimum length and penalties;
// temperature; min-p; top-k; top-p; draw. Throws kInternal when a logit is NaN or the largest is
// not finite. Uses `scratch` to avoid allocation.
SampledToken sample(std::span<const float> logits, const SamplingContext& context,
                    std::vector<float>& scratch);

}  // namespace xylem::engine
