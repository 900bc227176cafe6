#include "xylem/cli/session.h"

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/base/thread_pool.h"
#include "xylem/cli/chat_source.h"
#include "xylem/cli/progress_note.h"
#include "xylem/models/catalogue.h"
#include "xylem/models/registry.h"
#include "xylem/runtime/client.h"

namespace xylem::cli {

void add_model_options(CLI::App& command, ModelOptions& options) {
  command
      .add_option("MODEL", options.model,
                  "a .gguf file, a Hugging Face folder, or a name (smollm2)")
      ->required();
  command.add_option("--threads", options.threads, "processors to use (default: all)")
      ->check(CLI::Range(1, 1024));
  command
      .add_option("--precision", options.precision,
                  "fast: activations rounded to int8 or bf16 in the matrix kernels; f32: exact")
      ->check(CLI::IsMember({"fast", "f32"}))
      ->capture_default_str();
  command.add_option(
      "--device", options.device,
      "cpu, cuda, tpu or the path of a PJRT plugin (default: $XYLEM_DEVICE, else the "
      "best that answers)");
  command
      .add_option("--max-model-len", options.engine.max_model_len,
                  "longest prompt and answer, in tokens (default: the model's, at most 8192)")
      ->check(CLI::Range(int64_t{2}, int64_t{1} << 24));
  command.add_option("--max-num-seqs", options.engine.max_num_seqs, "sequences in a step")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--max-num-batched-tokens", options.engine.max_num_batched_tokens,
                  "tokens in a step; longer prompts run in chunks")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--block-size", options.engine.block_size, "tokens in a page of the KV cache")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command
      .add_option("--kv-cache-memory-bytes", options.engine.kv_cache_memory_bytes,
                  "memory for keys and values (default: what --max-num-seqs sequences need)")
      ->check(CLI::NonNegativeNumber);
  command
      .add_option("--kv-cache-dtype", options.kv_cache_dtype,
                  "auto (bf16, or f32 with --precision f32), bf16 or f32")
      ->check(CLI::IsMember({"auto", "bf16", "f32"}))
      ->capture_default_str();
}

void add_sampling_options(CLI::App& command, engine::SamplingParams& params) {
  command.add_option("--temperature", params.temperature, "0: always the likeliest token")
      ->capture_default_str();
  command.add_option("--top-k", params.top_k, "sample among the k likeliest (0: all)")
      ->capture_default_str();
  command.add_option("--top-p", params.top_p, "sample among the likeliest that hold this mass")
      ->capture_default_str();
  command.add_option("--min-p", params.min_p, "drop tokens below this part of the best's mass")
      ->capture_default_str();
  command.add_option("--repetition-penalty", params.repetition_penalty)->capture_default_str();
  command.add_option("--presence-penalty", params.presence_penalty)->capture_default_str();
  command.add_option("--frequency-penalty", params.frequency_penalty)->capture_default_str();
  command.add_option("--seed", params.seed, "the same seed gives the same answer");
  command.add_option("--max-tokens", params.max_tokens, "longest answer")->capture_default_str();
  command.add_option("--min-tokens", params.min_tokens, "shortest answer")->capture_default_str();
  command.add_option("--stop", params.stop, "a text that ends the answer (may be given again)");
  command.add_option("--stop-token-ids", params.stop_token_ids, "token ids that end the answer");
  command.add_option_function<std::vector<std::string>>(
      "--logit-bias",
      [&params](const std::vector<std::string>& pairs) {
        for (const std::string& pair : pairs) {
          size_t colon = pair.find(':');
          char* end = nullptr;
          float bias = colon == std::string::npos ? 0 : std::strtof(pair.c_str() + colon + 1, &end);
          char* id_end = nullptr;
          long id = std::strtol(pair.c_str(), &id_end, 10);
          if (colon == std::string::npos || *end != '\0' || id_end != pair.c_str() + colon) {
            throw CLI::ValidationError("--logit-bias", pair + " is not ID:BIAS");
          }
          params.logit_bias[static_cast<int32_t>(id)] = bias;
        }
      },
      "ID:BIAS added to a token's logit (may be given again)");
  command.add_flag("--ignore-eos", params.ignore_eos, "go on after an end-of-sequence token");
}

std::string Session::render_chat(const nlohmann::ordered_json& messages) const {
  if (chat.templates.empty()) {
    fail(ErrorCode::kFailedPrecondition,
         "the model has no chat template; use 'xylem generate --raw' to continue plain text");
  }
  nlohmann::ordered_json context = chat.special_tokens;
  context["messages"] = messages;
  context["add_generation_prompt"] = true;
  return chat.templates.choose(/*has_tools=*/false).render(context);
}

Session open_session(const ModelOptions& options) {
  auto start = std::chrono::steady_clock::now();
  if (options.threads > 0) {
    ThreadPool::set_global_threads(options.threads);
    runtime::limit_host_threads(options.threads);
  }
  if (!options.device.empty()) ::setenv("XYLEM_DEVICE", options.device.c_str(), 1);
  std::string path = models::resolve_model(options.model);
  engine::EngineOptions engine_options = options.engine;
  bool exact = options.precision == "f32";
  bool wide_cache = options.kv_cache_dtype == "f32" || (options.kv_cache_dtype == "auto" && exact);
  engine_options.kv_cache_dtype = wide_cache ? DType::kF32 : DType::kBF16;
  engine_options.max_num_batched_tokens =
      std::max(engine_options.max_num_batched_tokens, engine_options.max_num_seqs);

  ProgressNote note("loading " + options.model + " ...");
  Session session;
  session.tokenizer = load_tokenizer(path);
  session.chat = load_chat_format(path);
  models::LoadOptions load;
  load.precision = exact ? nn::Precision::kF32 : nn::Precision::kFast;
  load.host_kernels = runtime::default_client()->platform_name() == "cpu";
  load.max_positions = engine_options.max_model_len > 0 ? engine_options.max_model_len : 8192;
  session.engine = std::make_unique<engine::Engine>(models::load_model(path, load),
                                                    session.tokenizer, engine_options);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  session.load_seconds = seconds.count();
  return session;
}

}  // namespace xylem::cli
