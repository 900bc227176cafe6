// A request inside the engine, from its prompt to its last token.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "xylem/serve/engine/output_text.h"
#include "xylem/serve/engine/sampling_params.h"

namespace xylem::engine {

using RequestId = uint64_t;
using Clock = std::chrono::steady_clock;

struct Request {
  RequestId id = 0;
  SamplingParams params;
  uint64_t seed = 0;
  std::vector<int32_t> tokens;  // prompt and output
  int64_t prompt_size = 0;
  int64_t computed = 0;  // tokens whose keys and values are in the cache
  std::vector<int32_t> page_table;
  std::unique_ptr<OutputText> text;

  Clock::time_point added;
  Clock::time_point first_token;
  int64_t preemptions = 0;

  std::span<const int32_t> prompt() const {
    return {tokens.data(), static_cast<size_t>(prompt_size)};
  }
  std::span<const int32_t> output() const {
    return std::span(tokens).subspan(static_cast<size_t>(prompt_size));
  }
  int64_t output_size() const { return static_cast<int64_t>(tokens.size()) - prompt_size; }
};

}  // namespace xylem::engine
