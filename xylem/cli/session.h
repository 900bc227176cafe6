// What the commands that run a model share: its options, and the model, tokenizer, chat template
// and engine they make.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xylem/cli/chat_source.h"
#include "xylem/serve/engine/engine.h"

namespace CLI {
class App;
}

namespace xylem::cli {

struct ModelOptions {
  std::string model;
  int threads = 0;  // 0: every processor
  std::string precision = "fast";
  std::string device;
  engine::EngineOptions engine;
  std::string kv_cache_dtype = "auto";
};

// Adds MODEL and the flags that every command running a model takes.
void add_model_options(CLI::App& command, ModelOptions& options);
// Adds the sampling flags.
void add_sampling_options(CLI::App& command, engine::SamplingParams& params);

// A model ready to answer.
struct Session {
  std::shared_ptr<const text::Tokenizer> tokenizer;
  std::unique_ptr<engine::Engine> engine;
  ChatFormat chat;
  double load_seconds = 0;

  // The prompt of a conversation (an array of {"role", "content"}), ready for the answer.
  std::string render_chat(const nlohmann::ordered_json& messages) const;
};

// Loads the model; shows progress on a terminal.
Session open_session(const ModelOptions& options);

}  // namespace xylem::cli
