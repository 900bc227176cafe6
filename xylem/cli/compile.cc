// xylem compile: the serving steps of a model through a device's compiler, without the device.
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/base/process.h"
#include "xylem/cli/command.h"
#include "xylem/cli/progress_note.h"
#include "xylem/io/json.h"
#include "xylem/models/catalogue.h"
#include "xylem/models/registry.h"
#include "xylem/models/sharding.h"
#include "xylem/runtime/plugin.h"
#include "xylem/runtime/topology.h"
#include "xylem/serve/engine/step_runner.h"

namespace xylem::cli {
namespace {

using nlohmann::ordered_json;

struct Options {
  std::string model;
  std::string topology;
  int64_t max_model_len = 2048;
  int64_t max_num_seqs = 16;
  int64_t prefill_tokens = 512;
  int64_t block_size = 32;
  bool json = false;
  std::string step;  // set in the child process: the one step to compile
};

engine::StepShape step_shape(const Options& options, const std::string& step) {
  engine::StepShape shape;
  shape.seqs = options.max_num_seqs;
  shape.pages_per_seq = (options.max_model_len + options.block_size - 1) / options.block_size;
  bool decode = step == "decode";
  shape.tokens = decode ? options.max_num_seqs : options.prefill_tokens;
  shape.logit_rows = decode ? options.max_num_seqs : 1;
  shape.one_row_each = decode;
  return shape;
}

// The StableHLO text of a step with weights and cache split over `devices`.
std::string lower_step(const Options& options, int64_t devices) {
  models::LoadOptions load;
  load.describe_only = true;
  load.host_kernels = false;
  load.max_positions = options.max_model_len;
  auto model = models::load_model(models::resolve_model(options.model), load);
  std::shared_ptr<const Mesh> mesh;
  if (devices > 1) mesh = Mesh::create("devices", {{models::kModelAxis, devices}});
  std::vector<Aval> avals = avals_of(model->weights());
  std::vector<std::string> names = model->weight_names();
  for (size_t i = 0; i < avals.size() && mesh != nullptr; ++i) {
    avals[i].sharding = models::weight_sharding(mesh, names[i], avals[i].shape);
  }
  engine::StepShape shape = step_shape(options, options.step);
  const models::ModelInfo& info = model->info();
  Shape cache = {
      info.layers,  2, shape.seqs * shape.pages_per_seq, info.kv_heads, options.block_size,
      info.head_dim};
  avals.push_back({cache, DType::kBF16, {}});
  if (mesh != nullptr) avals.back().sharding = models::cache_sharding(mesh, cache);
  int64_t cache_index = static_cast<int64_t>(avals.size()) - 1;
  for (Aval& aval : engine::step_avals(shape)) {
    if (mesh != nullptr) aval.sharding = {mesh, PartitionSpec(aval.shape.size())};
    avals.push_back(std::move(aval));
  }
  LowerOptions lower;
  lower.platform = "tpu";
  return CompiledFunction::trace(engine::step_function(*model, shape), avals, {cache_index}, lower,
                                 options.step)
      ->text();
}

std::shared_ptr<runtime::Plugin> tpu_compiler() {
  for (const runtime::PluginFile& file : runtime::find_plugins()) {
    if (file.name == "tpu") return runtime::Plugin::load(file.path);
  }
  fail(ErrorCode::kNotFound,
       "the TPU compiler (libtpu) is not here; fetch it with: xylem plugins install tpu");
}

// The child's work: compile one step, print what the compiler tells as JSON.
void compile_step(const Options& options) {
  auto topology = runtime::Topology::create(tpu_compiler(), options.topology);
  int64_t devices = static_cast<int64_t>(topology->device_ids().size());
  std::string text = lower_step(options, devices);
  runtime::CompileOptions compile;
  compile.num_partitions = static_cast<int>(devices);
  runtime::AotResult result = topology->compile(text, compile);
  ordered_json answer = {{"devices", devices},
                         {"arguments_bytes", result.memory.arguments},
                         {"outputs_bytes", result.memory.outputs},
                         {"aliased_bytes", result.memory.aliased},
                         {"temporaries_bytes", result.memory.temporaries},
                         {"code_bytes", result.memory.code},
                         {"compile_s", result.compile_seconds}};
  if (result.cost.flops > 0) answer["flops"] = result.cost.flops;
  if (result.cost.bytes_accessed > 0) answer["bytes_accessed"] = result.cost.bytes_accessed;
  fmt::print("{}\n", io::dump_json(answer));
}

// The child's own sentence ("xylem: ..."), else the last thing that its compiler said.
std::string last_words(const std::string& log) {
  std::string words;
  size_t begin = 0;
  while (begin < log.size()) {
    size_t end = std::min(log.find('\n', begin), log.size());
    std::string line = log.substr(begin, end - begin);
    if (line.starts_with("xylem: ")) return line.substr(7);
    if (!line.empty()) words = line;
    begin = end + 1;
  }
  return words;
}

// A process of its own for each step: libtpu aborts on programs that it cannot place.
ordered_json compile_in_child(const Options& options, const std::string& step) {
  std::string log = fmt::format("{}/xylem-compile-{}.log",
                                std::filesystem::temp_directory_path().string(), ::getpid());
  std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  auto number = [](int64_t n) { return std::to_string(n); };
  ProcessResult result =
      run_process({self, "compile", options.model, "--topology", options.topology, "--step", step,
                   "--max-model-len", number(options.max_model_len), "--max-num-seqs",
                   number(options.max_num_seqs), "--prefill-tokens", number(options.prefill_tokens),
                   "--block-size", number(options.block_size)},
                  {.capture_output = true, .error_file = log, .env = {"TPU_SKIP_MDS_QUERY=1"}});
  std::string words = std::filesystem::exists(log) ? last_words(read_file(log)) : "";
  std::filesystem::remove(log);
  if (result.signal != 0) {
    fail(ErrorCode::kUnavailable, "the compiler gave up on the {} step with {}: {}", step,
         result.reason(), words);
  }
  if (!result.ok()) fail(ErrorCode::kInvalidArgument, "{}", words);
  size_t brace = result.output.rfind("\n{");
  std::string json = brace == std::string::npos ? result.output : result.output.substr(brace + 1);
  return ordered_json::parse(json);
}

void print_text(const std::string& step, const ordered_json& answer) {
  auto mib = [&](const char* key) { return answer[key].get<double>() / (1 << 20); };
  fmt::print(
      "{:<8} {} devices, per device: arguments {:.1f} MiB (cache reused in place {:.1f}), "
      "temporaries {:.1f} MiB, code {:.1f} MiB",
      step, answer["devices"].get<int64_t>(), mib("arguments_bytes"), mib("aliased_bytes"),
      mib("temporaries_bytes"), mib("code_bytes"));
  if (answer.contains("flops")) {
    fmt::print(", {:.2f} GFLOP", answer["flops"].get<double>() / 1e9);
  }
  fmt::print("; compiled in {:.1f} s\n", answer["compile_s"].get<double>());
}

void run(const Options& options) {
  if (!options.step.empty()) return compile_step(options);
  for (const char* step : {"prefill", "decode"}) {
    ordered_json answer;
    {
      ProgressNote note(fmt::format("compiling the {} step for {} ...", step, options.topology));
      answer = compile_in_child(options, step);
    }
    if (!options.json) {
      print_text(step, answer);
      continue;
    }
    ordered_json line = {{"step", step}, {"topology", options.topology}};
    line.update(answer);
    fmt::print("{}\n", io::dump_json(line));
  }
}

}  // namespace

void add_compile(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand(
      "compile", "Compile a model's serving steps for a TPU slice, without one.");
  command->add_option("MODEL", options->model, "a .gguf file, a Hugging Face folder, or a name")
      ->required();
  command
      ->add_option("--topology", options->topology,
                   "the slice: v6e:1x1, v6e:2x4, v5e:2x2, v5p:4x4x4, ...")
      ->required();
  auto size = CLI::Range(int64_t{1}, int64_t{1} << 24);
  command->add_option("--max-model-len", options->max_model_len, "longest sequence, in tokens")
      ->check(size)
      ->capture_default_str();
  command->add_option("--max-num-seqs", options->max_num_seqs, "sequences that decode together")
      ->check(size)
      ->capture_default_str();
  command->add_option("--prefill-tokens", options->prefill_tokens, "tokens in a prefill step")
      ->check(size)
      ->capture_default_str();
  command->add_option("--block-size", options->block_size, "tokens in a page of the KV cache")
      ->check(size)
      ->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object a line for each step");
  command->add_option("--step", options->step)->group("");  // the child process
  command->footer("Weights are split over the chips by heads or columns (tensor parallelism).");
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
