#include "xylem/serve/engine/step_runner.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <chrono>

#include "xylem/base/error.h"
#include "xylem/core/eval.h"
#include "xylem/core/ops.h"
#include "xylem/runtime/client.h"

namespace xylem::engine {
namespace {

// Sizes that a step's tokens are padded to: steps of a quarter to a third, so that little of the
// work is padding, and few enough programs.
int64_t bucket(int64_t n) {
  constexpr std::array<int64_t, 10> kSmall = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
  for (int64_t size : kSmall) {
    if (n <= size) return size;
  }
  int64_t power = 64;
  while (power * 2 < n) power *= 2;
  if (n <= power + power / 2) return power + power / 2;
  return 2 * power;
}

// Zeroed memory that becomes resident page by page as sequences use it.
std::shared_ptr<void> lazy_memory(size_t bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    fail(ErrorCode::kResourceExhausted,
         "no memory for a KV cache of {} MiB; ask for a shorter context or fewer sequences",
         bytes >> 20);
  }
  return {memory, [bytes](void* p) { ::munmap(p, bytes); }};
}

}  // namespace

CompiledFunction::Function step_function(const models::Model& model, const StepShape& shape) {
  return [&model, shape](const std::vector<Array>& arguments) -> std::vector<Array> {
    size_t n = model.weights().size();
    std::vector<Array> weights(arguments.begin(), arguments.begin() + static_cast<int64_t>(n));
    std::shared_ptr<const models::Model> bound = model.with_weights(weights);
    const Array& cache = arguments[n];
    const Array &tokens = arguments[n + 1], &positions = arguments[n + 2];
    kernels::PagedBatch batch = {arguments[n + 3], arguments[n + 4], arguments[n + 5],
                                 shape.one_row_each};
    nn::PagedAttentionContext context(batch, cache);
    Array hidden = bound->forward(tokens, positions, context);
    // One row of one stays as it is; otherwise the wanted rows alone meet the vocabulary.
    bool all = shape.logit_rows == shape.tokens && (shape.one_row_each || shape.tokens == 1);
    Array wanted = all ? hidden : take(hidden, arguments[n + 6]);
    return {bound->logits(wanted), context.kv_cache()};
  };
}

std::vector<Aval> step_avals(const StepShape& shape) {
  auto ints = [](Shape dims) { return Aval{std::move(dims), DType::kS32, {}}; };
  return {ints({shape.tokens}),
          ints({shape.tokens}),
          ints({shape.seqs + 1}),
          ints({shape.seqs}),
          ints({shape.seqs, shape.pages_per_seq}),
          ints({shape.logit_rows})};
}

StepRunner::StepRunner(std::shared_ptr<const models::Model> model, StepRunnerOptions options)
    : model_(std::move(model)), options_(options), client_(runtime::default_client()) {
  std::vector<Array> weights = model_->weights();
  eval(weights);
  weight_count_ = weights.size();
  for (const Array& weight : weights) arguments_.push_back(buffer_of(weight));
  const models::ModelInfo& info = model_->info();
  Shape cache = {info.layers,  2, options_.num_pages, info.kv_heads, options_.page_size,
                 info.head_dim};
  size_t bytes = static_cast<size_t>(host_bytes(options_.cache_dtype, element_count(cache)));
  std::shared_ptr<void> memory = lazy_memory(bytes);
  arguments_.push_back(client_->from_host(memory.get(), options_.cache_dtype, cache, 0,
                                          runtime::HostUse::kMutableZeroCopy, memory));
}

StepShape StepRunner::shape_for(int64_t tokens, int64_t logit_rows) const {
  StepShape shape;
  shape.tokens = std::min(bucket(tokens), std::max(tokens, options_.max_num_batched_tokens));
  shape.logit_rows = std::min(bucket(logit_rows), shape.tokens);
  shape.seqs = options_.max_num_seqs;
  shape.pages_per_seq = (options_.max_model_len + options_.page_size - 1) / options_.page_size;
  return shape;
}

runtime::Executable& StepRunner::executable(const StepShape& shape) {
  std::shared_ptr<runtime::Executable>& entry = executables_[shape];
  if (entry == nullptr) {
    auto start = std::chrono::steady_clock::now();
    std::vector<Aval> avals = avals_of(model_->weights());
    const runtime::Buffer& cache = *arguments_[weight_count_];
    avals.push_back({cache.dims(), cache.dtype(), {}});
    std::vector<Aval> step = step_avals(shape);
    avals.insert(avals.end(), step.begin(), step.end());
    auto function = CompiledFunction::trace(step_function(*model_, shape), avals,
                                            {static_cast<int64_t>(weight_count_)},
                                            default_lower_options(), "step");
    entry = function->executable();
    std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    compile_seconds_ += seconds.count();
  }
  return *entry;
}

bool StepRunner::prepare(int64_t tokens, int64_t logit_rows) {
  StepShape shape = shape_for(tokens, logit_rows);
  bool fresh = !executables_.contains(shape);
  executable(shape);
  return fresh;
}

void StepRunner::upload(std::span<const int32_t> values, Shape shape) {
  arguments_.push_back(client_->from_host(values.data(), DType::kS32, shape));
}

void StepRunner::fill(const StepShape& shape, std::span<const StepSequence> sequences) {
  std::vector<int32_t> tokens, positions, rows;
  std::vector<int32_t> starts(static_cast<size_t>(shape.seqs + 1), 0);
  std::vector<int32_t> lens(static_cast<size_t>(shape.seqs), 0);
  std::vector<int32_t> table(static_cast<size_t>(shape.seqs * shape.pages_per_seq), 0);
  tokens.reserve(static_cast<size_t>(shape.tokens));
  for (size_t s = 0; s < sequences.size(); ++s) {
    const StepSequence& sequence = sequences[s];
    int64_t count = static_cast<int64_t>(sequence.tokens.size());
    for (int64_t i = 0; i < count; ++i) {
      if (sequence.all_logits || (sequence.last_logits && i + 1 == count)) {
        rows.push_back(static_cast<int32_t>(tokens.size()));
      }
      tokens.push_back(sequence.tokens[static_cast<size_t>(i)]);
      positions.push_back(static_cast<int32_t>(sequence.position + i));
    }
    starts[s + 1] = static_cast<int32_t>(tokens.size());
    lens[s] = static_cast<int32_t>(sequence.position + count);
    std::copy(sequence.page_table.begin(), sequence.page_table.end(),
              table.begin() + static_cast<int64_t>(s) * shape.pages_per_seq);
  }
  std::fill(starts.begin() + static_cast<int64_t>(sequences.size()) + 1, starts.end(),
            static_cast<int32_t>(tokens.size()));
  tokens.resize(static_cast<size_t>(shape.tokens), 0);
  positions.resize(static_cast<size_t>(shape.tokens), 0);
  rows.resize(static_cast<size_t>(shape.logit_rows), 0);
  arguments_.resize(weight_count_ + 1);
  upload(tokens, {shape.tokens});
  upload(positions, {shape.tokens});
  upload(starts, {shape.seqs + 1});
  upload(lens, {shape.seqs});
  upload(table, {shape.seqs, shape.pages_per_seq});
  upload(rows, {shape.logit_rows});
}

StepLogits StepRunner::run(std::span<const StepSequence> sequences) {
  int64_t tokens = 0, rows = 0;
  for (const StepSequence& s : sequences) {
    tokens += static_cast<int64_t>(s.tokens.size());
    rows += s.all_logits ? static_cast<int64_t>(s.tokens.size()) : s.last_logits ? 1 : 0;
  }
  StepShape shape = shape_for(tokens, std::max<int64_t>(rows, 1));
  runtime::Executable& program = executable(shape);
  fill(shape, sequences);
  auto start = std::chrono::steady_clock::now();
  runtime::Buffers results = program.execute(arguments_);
  arguments_[weight_count_] = results[1];
  const std::shared_ptr<runtime::Buffer>& logits = results[0];
  StepLogits out;
  out.rows = rows;
  out.vocabulary = model_->info().vocabulary;
  if (client_->platform_name() == "cpu") {  // the device's memory is the host's
    logits->ready().wait();
    out.data = static_cast<const float*>(logits->unsafe_pointer());
    out.owner = logits;
  } else {
    auto copy = std::make_shared<std::vector<float>>(static_cast<size_t>(logits->size()));
    logits->copy_to_host(copy->data());
    out.data = copy->data();
    out.owner = copy;
  }
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  device_seconds_ += seconds.count();
  return out;
}

}  // namespace xylem::engine
