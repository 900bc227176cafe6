// The engine: requests in, tokens out, many sequences in a step.
//
//   Engine engine(model, tokenizer, {});
//   engine.add_request(tokenizer->encode("Hello", true), {.temperature = 0, .max_tokens = 64});
//   while (engine.has_unfinished_requests()) {
//     for (const RequestOutput& output : engine.step()) fmt::print("{}", output.text);
//   }
//
// Not thread-safe: one thread adds, steps and aborts (the server has a thread of its own for it).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "xylem/models/model.h"
#include "xylem/serve/engine/block_manager.h"
#include "xylem/serve/engine/request.h"
#include "xylem/serve/engine/sampler.h"
#include "xylem/serve/engine/scheduler.h"
#include "xylem/serve/engine/step_runner.h"
#include "xylem/text/tokenizer.h"

namespace xylem::engine {

struct EngineOptions {
  int64_t max_model_len = 0;  // 0: as the model was trained for, and at most 8192
  int64_t max_num_seqs = 16;
  int64_t max_num_batched_tokens = 512;
  int64_t block_size = 32;  // tokens in a page of the cache
  // Bytes for keys and values; 0: enough for max_num_seqs sequences of max_model_len.
  int64_t kv_cache_memory_bytes = 0;
  DType kv_cache_dtype = DType::kBF16;
};

enum class FinishReason { kNone, kStop, kLength, kAbort };
// OpenAI's word: "stop", "length", "abort"; "" for kNone.
const char* finish_reason_name(FinishReason reason);

// What a step brought a request.
struct RequestOutput {
  RequestId id = 0;
  std::string text;                    // to show now; the pieces joined are the answer
  std::vector<int32_t> token_ids;      // sampled in this step
  std::vector<SampledToken> logprobs;  // beside token_ids when asked
  FinishReason finish_reason = FinishReason::kNone;
  // The stop string or token that ended it; nothing for an end-of-sequence token.
  std::variant<std::monostate, std::string, int32_t> stop_reason;
  int64_t prompt_tokens = 0;
  int64_t output_tokens = 0;
  double seconds_to_first_token = 0;  // from add_request
  double decode_seconds = 0;          // from the first token to this one

  bool finished() const { return finish_reason != FinishReason::kNone; }
};

struct EngineStats {
  int64_t running = 0;
  int64_t waiting = 0;
  int64_t free_pages = 0;
  int64_t total_pages = 0;
  int64_t preemptions = 0;
  int64_t steps = 0;
  double device_seconds = 0;  // inside the steps' programs
};

class Engine {
 public:
  Engine(std::shared_ptr<const models::Model> model,
         std::shared_ptr<const text::Tokenizer> tokenizer, EngineOptions options);

  const EngineOptions& options() const { return options_; }
  const models::Model& model() const { return *model_; }
  const text::Tokenizer& tokenizer() const { return *tokenizer_; }

  // Throws kInvalidArgument for parameters out of range, an empty prompt, ids outside the
  // vocabulary and prompts that leave no room in the context. max_tokens is cut to that room.
  RequestId add_request(std::vector<int32_t> prompt, SamplingParams params);
  // Ends a request at once; true when it was there. It brings no further output.
  bool abort_request(RequestId id);
  bool has_unfinished_requests() const { return !requests_.empty(); }

  // Runs one step and gives the outputs of the requests that got a token.
  std::vector<RequestOutput> step();

  // Logits [ids, vocabulary] of every position of one prompt, by itself.
  std::vector<float> prompt_logits(std::span<const int32_t> ids);
  // Compiles the programs for prompts of this many tokens and for decoding, before they are needed.
  void warm_up(int64_t prompt_tokens);

  EngineStats stats() const;
  double compile_seconds() const { return runner_->compile_seconds(); }

 private:
  StepSequence describe(const ScheduledChunk& chunk) const;
  RequestOutput take_token(Request& request, const SampledToken& token);

  std::shared_ptr<const models::Model> model_;
  std::shared_ptr<const text::Tokenizer> tokenizer_;
  EngineOptions options_;
  std::unique_ptr<BlockManager> blocks_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<StepRunner> runner_;
  std::unordered_map<RequestId, Request*> requests_;
  RequestId next_id_ = 1;
  int64_t steps_ = 0;
  std::vector<float> scratch_;
};

}  // namespace xylem::engine
