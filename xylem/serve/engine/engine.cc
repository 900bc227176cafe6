#include "xylem/serve/engine/engine.h"

#include <algorithm>
#include <random>

#include "xylem/base/error.h"

namespace xylem::engine {
namespace {

constexpr int64_t kDefaultContext = 8192;

int64_t page_bytes(const models::ModelInfo& info, const EngineOptions& options) {
  return 2 * info.layers * info.kv_heads * info.head_dim * options.block_size *
         host_bytes(options.kv_cache_dtype, 1);
}

EngineOptions complete(EngineOptions options, const models::ModelInfo& info) {
  if (options.max_model_len == 0) {
    options.max_model_len = std::min(info.max_positions, kDefaultContext);
  }
  if (options.max_model_len < 1 || options.max_model_len > info.max_positions) {
    fail(ErrorCode::kInvalidArgument, "max_model_len is {}, expected 1 to {}, the model's limit",
         options.max_model_len, info.max_positions);
  }
  if (options.max_num_seqs < 1 || options.block_size < 1 ||
      options.max_num_batched_tokens < options.max_num_seqs) {
    fail(ErrorCode::kInvalidArgument,
         "max_num_seqs {}, block_size {} and max_num_batched_tokens {}: expected positive numbers, "
         "and no fewer tokens than sequences",
         options.max_num_seqs, options.block_size, options.max_num_batched_tokens);
  }
  return options;
}

int64_t count_pages(const EngineOptions& options, const models::ModelInfo& info) {
  int64_t per_sequence = (options.max_model_len + options.block_size - 1) / options.block_size;
  int64_t pages = per_sequence * options.max_num_seqs;
  if (options.kv_cache_memory_bytes > 0) {
    pages = std::min(pages, options.kv_cache_memory_bytes / page_bytes(info, options));
    if (pages < per_sequence) {
      fail(ErrorCode::kResourceExhausted,
           "kv_cache_memory_bytes is {}, but one sequence of max_model_len {} needs {}",
           options.kv_cache_memory_bytes, options.max_model_len,
           per_sequence * page_bytes(info, options));
    }
  }
  return pages;
}

uint64_t random_seed() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

double seconds_between(Clock::time_point a, Clock::time_point b) {
  return std::chrono::duration<double>(b - a).count();
}

}  // namespace

const char* finish_reason_name(FinishReason reason) {
  switch (reason) {
    case FinishReason::kNone:
      return "";
    case FinishReason::kStop:
      return "stop";
    case FinishReason::kLength:
      return "length";
    case FinishReason::kAbort:
      return "abort";
  }
  return "";
}

Engine::Engine(std::shared_ptr<const models::Model> model,
               std::shared_ptr<const text::Tokenizer> tokenizer, EngineOptions options)
    : model_(std::move(model)),
      tokenizer_(std::move(tokenizer)),
      options_(complete(options, model_->info())) {
  int64_t pages = count_pages(options_, model_->info());
  blocks_ = std::make_unique<BlockManager>(pages, options_.block_size);
  scheduler_ = std::make_unique<Scheduler>(
      SchedulerOptions{options_.max_num_seqs, options_.max_num_batched_tokens}, blocks_.get());
  runner_ = std::make_unique<StepRunner>(
      model_, StepRunnerOptions{options_.max_num_seqs, options_.max_num_batched_tokens,
                                options_.max_model_len, options_.block_size, pages,
                                options_.kv_cache_dtype});
}

RequestId Engine::add_request(std::vector<int32_t> prompt, SamplingParams params) {
  int64_t vocabulary = model_->info().vocabulary;
  params.validate(vocabulary);
  if (prompt.empty()) fail(ErrorCode::kInvalidArgument, "the prompt is empty, expected tokens");
  for (int32_t id : prompt) {
    if (id < 0 || id >= vocabulary) {
      fail(ErrorCode::kInvalidArgument, "the prompt holds token id {}, expected 0 to {}", id,
           vocabulary - 1);
    }
  }
  int64_t length = static_cast<int64_t>(prompt.size());
  if (length >= options_.max_model_len) {
    fail(ErrorCode::kInvalidArgument,
         "the prompt has {} tokens; a context of {} leaves no room for an answer. Shorten it, or "
         "raise --max-model-len (the model takes {})",
         length, options_.max_model_len, model_->info().max_positions);
  }
  params.max_tokens = std::min(params.max_tokens, options_.max_model_len - length);
  params.min_tokens = std::min(params.min_tokens, params.max_tokens);
  auto request = std::make_unique<Request>();
  request->id = next_id_++;
  request->seed = params.seed.value_or(random_seed());
  request->prompt_size = length;
  request->tokens = std::move(prompt);
  request->text = std::make_unique<OutputText>(*tokenizer_, params);
  request->params = std::move(params);
  request->added = Clock::now();
  RequestId id = request->id;
  requests_[id] = request.get();
  scheduler_->add(std::move(request));
  return id;
}

bool Engine::abort_request(RequestId id) {
  requests_.erase(id);
  return scheduler_->remove(id) != nullptr;
}

StepSequence Engine::describe(const ScheduledChunk& chunk) const {
  const Request& request = *chunk.request;
  StepSequence sequence;
  sequence.tokens =
      std::span(request.tokens)
          .subspan(static_cast<size_t>(request.computed), static_cast<size_t>(chunk.count));
  sequence.position = request.computed;
  sequence.page_table = request.page_table;
  sequence.last_logits = chunk.samples();
  return sequence;
}

std::vector<RequestOutput> Engine::step() {
  std::vector<ScheduledChunk> chunks = scheduler_->schedule();
  if (chunks.empty()) return {};
  ++steps_;
  std::vector<StepSequence> sequences;
  for (const ScheduledChunk& chunk : chunks) sequences.push_back(describe(chunk));
  StepLogits logits = runner_->run(sequences);
  std::vector<RequestOutput> outputs;
  int64_t row = 0;
  for (const ScheduledChunk& chunk : chunks) {
    Request& request = *chunk.request;
    bool samples = chunk.samples();
    request.computed += chunk.count;
    if (!samples) continue;
    SamplingContext context{&request.params, request.prompt(), request.output(),
                            tokenizer_->eos_ids(), request.seed};
    outputs.push_back(take_token(request, sample(logits.row(row++), context, scratch_)));
    if (outputs.back().finished()) {
      requests_.erase(request.id);
      scheduler_->remove(request.id);
    }
  }
  return outputs;
}

RequestOutput Engine::take_token(Request& request, const SampledToken& token) {
  Clock::time_point now = Clock::now();
  if (request.output_size() == 0) request.first_token = now;
  const SamplingParams& params = request.params;
  RequestOutput output;
  output.id = request.id;
  output.token_ids = {token.id};
  if (params.logprobs) output.logprobs = {token};
  request.tokens.push_back(token.id);
  const std::vector<int32_t>& eos = tokenizer_->eos_ids();
  bool enough = request.output_size() >= params.min_tokens;
  bool ended =
      !params.ignore_eos && enough && std::find(eos.begin(), eos.end(), token.id) != eos.end();
  bool stop_token = enough && std::find(params.stop_token_ids.begin(), params.stop_token_ids.end(),
                                        token.id) != params.stop_token_ids.end();
  if (ended || stop_token) {
    output.finish_reason = FinishReason::kStop;
    if (!ended) output.stop_reason = token.id;
  } else {
    output.text = request.text->push(token.id);
    if (request.text->stopped()) {
      output.finish_reason = FinishReason::kStop;
      output.stop_reason = *request.text->stopped();
    } else if (request.output_size() >= params.max_tokens) {
      output.finish_reason = FinishReason::kLength;
    }
  }
  if (output.finished()) output.text += request.text->finish();
  output.prompt_tokens = request.prompt_size;
  output.output_tokens = request.output_size();
  output.seconds_to_first_token = seconds_between(request.added, request.first_token);
  output.decode_seconds = seconds_between(request.first_token, now);
  return output;
}

std::vector<float> Engine::prompt_logits(std::span<const int32_t> ids) {
  if (has_unfinished_requests()) {
    fail(ErrorCode::kFailedPrecondition, "prompt logits are computed when no request runs");
  }
  if (static_cast<int64_t>(ids.size()) > options_.max_model_len || ids.empty()) {
    fail(ErrorCode::kInvalidArgument, "{} tokens given, expected 1 to {}", ids.size(),
         options_.max_model_len);
  }
  std::vector<int32_t> table;
  blocks_->grow(table, static_cast<int64_t>(ids.size()));
  std::vector<float> all;
  for (size_t done = 0; done < ids.size();) {
    size_t count =
        std::min(ids.size() - done, static_cast<size_t>(options_.max_num_batched_tokens));
    StepSequence sequence;
    sequence.tokens = ids.subspan(done, count);
    sequence.position = static_cast<int64_t>(done);
    sequence.page_table = table;
    sequence.all_logits = true;
    StepLogits logits = runner_->run(std::span(&sequence, 1));
    all.insert(all.end(), logits.data, logits.data + logits.rows * logits.vocabulary);
    done += count;
  }
  blocks_->release(table);
  return all;
}

void Engine::warm_up(int64_t prompt_tokens) {
  int64_t chunk = std::min(prompt_tokens, options_.max_num_batched_tokens);
  if (chunk > 0) runner_->prepare(chunk, 1);
  runner_->prepare(1, 1);
}

EngineStats Engine::stats() const {
  return {scheduler_->num_running(), scheduler_->num_waiting(),     blocks_->num_free(),
          blocks_->num_pages(),      scheduler_->num_preemptions(), steps_,
          runner_->device_seconds()};
}

}  // namespace xylem::engine
