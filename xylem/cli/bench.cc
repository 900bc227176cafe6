// xylem bench: how fast a model runs here.
#include <fmt/core.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>

#include "xylem/base/cpu.h"
#include "xylem/cli/command.h"
#include "xylem/cli/progress_note.h"
#include "xylem/cli/session.h"
#include "xylem/io/json.h"

namespace xylem::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  ModelOptions model;
  int64_t prompt_tokens = 512;
  int64_t max_tokens = 64;
  int64_t batch = 1;
  int64_t repeat = 5;
  bool json = false;
};

// What one repetition measured, in seconds.
struct Measurement {
  double prefill = 0;   // until every sequence has its first token
  double decode = 0;    // the steps after that
  double overhead = 0;  // of a decode step, outside its program
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<int32_t> random_prompt(const Options& options, std::mt19937& random,
                                   int64_t vocabulary) {
  std::uniform_int_distribution<int32_t> ids(0, static_cast<int32_t>(vocabulary) - 1);
  std::vector<int32_t> prompt(static_cast<size_t>(options.prompt_tokens));
  for (int32_t& id : prompt) id = ids(random);
  return prompt;
}

Measurement measure(const Options& options, engine::Engine& engine, std::mt19937& random) {
  engine::SamplingParams params;
  params.temperature = 0;
  params.max_tokens = options.max_tokens;
  params.ignore_eos = true;
  for (int64_t i = 0; i < options.batch; ++i) {
    engine.add_request(random_prompt(options, random, engine.model().info().vocabulary), params);
  }
  Measurement result;
  Clock::time_point start = Clock::now();
  for (int64_t first_tokens = 0; first_tokens < options.batch;) {
    for (const engine::RequestOutput& output : engine.step()) {
      first_tokens += output.output_tokens == 1 ? 1 : 0;
    }
  }
  result.prefill = seconds_since(start);
  start = Clock::now();
  double device = engine.stats().device_seconds;
  int64_t steps = engine.stats().steps;
  while (engine.has_unfinished_requests()) engine.step();
  result.decode = seconds_since(start);
  device = engine.stats().device_seconds - device;
  steps = engine.stats().steps - steps;
  result.overhead = steps > 0 ? (result.decode - device) / static_cast<double>(steps) : 0;
  return result;
}

double median(const std::vector<Measurement>& all, double Measurement::*field) {
  std::vector<double> values;
  for (const Measurement& m : all) values.push_back(m.*field);
  std::nth_element(values.begin(), values.begin() + static_cast<int64_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

double peak_resident_mib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run(Options options) {
  options.model.engine.max_num_seqs = options.batch;
  if (options.model.engine.max_model_len == 0) {
    options.model.engine.max_model_len = options.prompt_tokens + options.max_tokens;
  }
  Session session = open_session(options.model);
  std::mt19937 random(0);
  measure(options, *session.engine, random);  // compiles; not counted
  std::vector<Measurement> all;
  for (int64_t i = 0; i < options.repeat; ++i) {
    all.push_back(measure(options, *session.engine, random));
  }
  double prefill = static_cast<double>(options.batch * options.prompt_tokens) /
                   median(all, &Measurement::prefill);
  double decode = static_cast<double>(options.batch * (options.max_tokens - 1)) /
                  median(all, &Measurement::decode);
  nlohmann::ordered_json report = {{"model", options.model.model},
                                   {"prompt_tokens", options.prompt_tokens},
                                   {"max_tokens", options.max_tokens},
                                   {"batch", options.batch},
                                   {"threads", options.model.threads},
                                   {"prefill_tokens_per_s", prefill},
                                   {"decode_tokens_per_s", decode},
                                   {"step_overhead_us", median(all, &Measurement::overhead) * 1e6},
                                   {"load_s", session.load_seconds},
                                   {"peak_resident_mib", peak_resident_mib()},
                                   {"cpu", cpu_description()}};
  if (options.json) {
    fmt::print("{}\n", io::dump_json(report));
    return;
  }
  fmt::print(
      "{} sequences, {} prompt tokens, {} new tokens, median of {}\n"
      "  prefill   {:>9.1f} tokens/s\n  decode    {:>9.1f} tokens/s\n"
      "  overhead  {:>9.1f} us a decode step outside its program\n"
      "  memory    {:>9.1f} MiB at most\n  on {}\n",
      options.batch, options.prompt_tokens, options.max_tokens, options.repeat, prefill, decode,
      median(all, &Measurement::overhead) * 1e6, peak_resident_mib(), cpu_description());
}

}  // namespace

void add_bench(CLI::App& program) {
  CLI::App* command = program.add_subcommand("bench", "Measure speed.");
  command->require_subcommand(1);
  CLI::App* generate =
      command->add_subcommand("generate", "Prefill and decode speed of a model on random prompts.");
  auto options = std::make_shared<Options>();
  add_model_options(*generate, options->model);
  auto count = CLI::Range(int64_t{1}, int64_t{1} << 20);
  generate->add_option("--prompt-tokens", options->prompt_tokens, "tokens in each prompt")
      ->check(count)
      ->capture_default_str();
  generate->add_option("--max-tokens", options->max_tokens, "tokens generated for each (2 or more)")
      ->check(CLI::Range(int64_t{2}, int64_t{1} << 20))
      ->capture_default_str();
  generate->add_option("--batch", options->batch, "sequences that run together")
      ->check(count)
      ->capture_default_str();
  generate->add_option("--repeat", options->repeat, "repetitions; the median counts")
      ->check(count)
      ->capture_default_str();
  generate->add_flag("--json", options->json, "one JSON object");
  generate->callback([options] { run(*options); });
}

}  // namespace xylem::cli
