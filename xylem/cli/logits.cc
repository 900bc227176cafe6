// xylem logits: the raw logits of every position of a token sequence, for comparing with others.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "xylem/cli/command.h"
#include "xylem/cli/session.h"
#include "xylem/io/safetensors_writer.h"

namespace xylem::cli {
namespace {

struct Options {
  ModelOptions model;
  std::vector<int32_t> ids;
  std::string output;
};

void run(const Options& options) {
  Session session = open_session(options.model);
  std::vector<float> logits = session.engine->prompt_logits(options.ids);
  io::TensorView tensor;
  tensor.name = "logits";
  tensor.type = DType::kF32;
  tensor.shape = {static_cast<int64_t>(options.ids.size()),
                  session.engine->model().info().vocabulary};
  tensor.data = std::as_bytes(std::span(logits));
  io::write_safetensors(options.output, {tensor}, {});
}

}  // namespace

void add_logits(CLI::App& program) {
  auto options = std::make_shared<Options>();
  options->model.engine.max_num_seqs = 1;
  CLI::App* command = program.add_subcommand(
      "logits", "Write the logits [tokens, vocabulary] of a token sequence to a safetensors file.");
  add_model_options(*command, options->model);
  command->add_option("--ids", options->ids, "token ids, separated by commas")
      ->delimiter(',')
      ->required();
  command->add_option("--output", options->output, "the .safetensors file")->required();
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
