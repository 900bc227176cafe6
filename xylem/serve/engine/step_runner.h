// Runs the model over a ragged batch of tokens: one compiled program for each bucket of tokens and
// of rows whose logits are wanted, compiled at first use and cached on disk.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "xylem/core/jit.h"
#include "xylem/models/model.h"

namespace xylem::engine {

struct StepRunnerOptions {
  int64_t max_num_seqs = 16;
  int64_t max_num_batched_tokens = 512;
  int64_t max_model_len = 2048;
  int64_t page_size = 32;
  int64_t num_pages = 64;
  DType cache_dtype = DType::kBF16;
};

// One sequence's part of a step.
struct StepSequence {
  std::span<const int32_t> tokens;      // to compute now
  int64_t position = 0;                 // of the first of them
  std::span<const int32_t> page_table;  // holds position + tokens.size()
  bool last_logits = false;             // logits of the last token are wanted
  bool all_logits = false;              // of every token
};

// Rows of logits on the host, in the order of the sequences that asked.
struct StepLogits {
  const float* data = nullptr;  // [rows, vocabulary]
  int64_t rows = 0;
  int64_t vocabulary = 0;
  std::shared_ptr<const void> owner;

  std::span<const float> row(int64_t i) const {
    return {data + i * vocabulary, static_cast<size_t>(vocabulary)};
  }
};

// The arrays of a step program after the weights and the cache, by bucket; shared with the
// ahead-of-time compiler.
struct StepShape {
  int64_t tokens = 1;
  int64_t logit_rows = 1;
  int64_t seqs = 1;
  int64_t pages_per_seq = 1;
  bool one_row_each = false;
  auto operator<=>(const StepShape&) const = default;
};

// {logits, cache} of one step as a function of flat arrays: the weights, the cache, then tokens
// [tokens], positions [tokens], cu_q_lens [seqs + 1], kv_lens [seqs], page_table
// [seqs, pages_per_seq] and logit_rows [logit_rows], all int32. The cache is argument number
// weights().size() and is donated.
CompiledFunction::Function step_function(const models::Model& model, const StepShape& shape);
std::vector<Aval> step_avals(const StepShape& shape);

class StepRunner {
 public:
  StepRunner(std::shared_ptr<const models::Model> model, StepRunnerOptions options);

  const StepRunnerOptions& options() const { return options_; }
  // The batch must fit the options. Blocks until the logits are there.
  StepLogits run(std::span<const StepSequence> sequences);
  // Compiles what a batch of this many tokens needs; true when it was not ready yet.
  bool prepare(int64_t tokens, int64_t logit_rows);
  // Seconds spent compiling (or loading from the cache on disk) so far.
  double compile_seconds() const { return compile_seconds_; }
  // Seconds spent in programs so far: from handing a step to the device to having its logits.
  double device_seconds() const { return device_seconds_; }

 private:
  StepShape shape_for(int64_t tokens, int64_t logit_rows) const;
  runtime::Executable& executable(const StepShape& shape);
  void fill(const StepShape& shape, std::span<const StepSequence> sequences);
  void upload(std::span<const int32_t> values, Shape shape);

  std::shared_ptr<const models::Model> model_;
  StepRunnerOptions options_;
  std::shared_ptr<runtime::Client> client_;
  std::map<StepShape, std::shared_ptr<runtime::Executable>> executables_;
  runtime::Buffers arguments_;  // weights, cache, and the step's own
  size_t weight_count_ = 0;
  double compile_seconds_ = 0;
  double device_seconds_ = 0;
};

}  // namespace xylem::engine
