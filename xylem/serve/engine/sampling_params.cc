#include "xylem/serve/engine/sampling_params.h"

#include "xylem/base/error.h"

namespace xylem::engine {
namespace {

template <typename T>
void require(bool good, const char* field, T value, const char* expected) {
  if (!good) {
    fail(ErrorCode::kInvalidArgument, "{} is {}, expected {}", field, value, expected);
  }
}

}  // namespace

void SamplingParams::validate(int64_t vocabulary) const {
  require(temperature >= 0 && temperature <= 100, "temperature", temperature, "0 to 100");
  require(top_k >= -1, "top_k", top_k, "-1, 0 or a positive number");
  require(top_p > 0 && top_p <= 1, "top_p", top_p, "a number above 0 and up to 1");
  require(min_p >= 0 && min_p <= 1, "min_p", min_p, "0 to 1");
  require(repetition_penalty > 0 && repetition_penalty <= 100, "repetition_penalty",
          repetition_penalty, "a number above 0 and up to 100");
  require(presence_penalty >= -2 && presence_penalty <= 2, "presence_penalty", presence_penalty,
          "-2 to 2");
  require(frequency_penalty >= -2 && frequency_penalty <= 2, "frequency_penalty", frequency_penalty,
          "-2 to 2");
  require(max_tokens >= 1, "max_tokens", max_tokens, "at least 1");
  require(min_tokens >= 0 && min_tokens <= max_tokens, "min_tokens", min_tokens, "0 to max_tokens");
  if (logprobs) require(*logprobs >= 0 && *logprobs <= 1000, "logprobs", *logprobs, "0 to 1000");
  for (const std::string& text : stop) {
    require(!text.empty(), "stop", "an empty string", "strings that are not empty");
  }
  for (const auto& [id, bias] : logit_bias) {
    require(id >= 0 && id < vocabulary, "logit_bias", id, "token ids of the vocabulary");
    require(bias >= -100 && bias <= 100, "logit_bias", bias, "biases from -100 to 100");
  }
  for (int32_t id : stop_token_ids) {
    require(id >= 0 && id < vocabulary, "stop_token_ids", id, "token ids of the vocabulary");
  }
}

}  // namespace xylem::engine
