// xylem generate: continue or answer prompts.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/cli/command.h"
#include "xylem/cli/session.h"
#include "xylem/io/json.h"

namespace xylem::cli {
namespace {

struct Options {
  ModelOptions model;
  engine::SamplingParams params;
  std::vector<std::string> prompts;
  std::string file;
  std::string system;
  bool raw = false;
  bool json = false;
};

struct Answer {
  std::vector<int32_t> prompt_ids;
  std::vector<int32_t> ids;
  std::string text;
  engine::RequestOutput last;
};

// A prompt a line; a line that is a JSON string may hold line breaks.
std::vector<std::string> read_prompts(const std::string& path) {
  std::string text =
      path == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(path);
  std::vector<std::string> prompts;
  std::istringstream lines(text);
  std::string line;
  int64_t number = 0;
  while (std::getline(lines, line)) {
    ++number;
    if (line.empty()) continue;
    if (line.front() == '"') {
      nlohmann::json value = io::parse_json(line, fmt::format("{}, line {}", path, number));
      prompts.push_back(value.get<std::string>());
    } else {
      prompts.push_back(line);
    }
  }
  if (prompts.empty()) fail(ErrorCode::kInvalidArgument, "{} holds no prompt", path);
  return prompts;
}

std::vector<int32_t> encode_prompt(const Session& session, const Options& options,
                                   const std::string& prompt) {
  if (options.raw) return session.tokenizer->encode(prompt, /*add_special_tokens=*/true);
  nlohmann::ordered_json messages = nlohmann::ordered_json::array();
  if (!options.system.empty()) {
    messages.push_back({{"role", "system"}, {"content", options.system}});
  }
  messages.push_back({{"role", "user"}, {"content", prompt}});
  return session.tokenizer->encode(session.render_chat(messages), /*add_special_tokens=*/false);
}

double rate(int64_t tokens, double seconds) {
  return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

void print_json(const Session& session, const Answer& answer) {
  nlohmann::ordered_json timings = {
      {"load_s", session.load_seconds},
      {"ttft_s", answer.last.seconds_to_first_token},
      {"prefill_tokens_per_s", rate(answer.last.prompt_tokens, answer.last.seconds_to_first_token)},
      {"decode_tokens_per_s", rate(answer.last.output_tokens - 1, answer.last.decode_seconds)}};
  nlohmann::ordered_json object = {
      {"prompt_token_ids", answer.prompt_ids},
      {"token_ids", answer.ids},
      {"text", answer.text},
      {"finish_reason", engine::finish_reason_name(answer.last.finish_reason)},
      {"timings", timings}};
  if (answer.last.logprobs.size() == 1) object["last_logprob"] = answer.last.logprobs[0].logprob;
  fmt::print("{}\n", io::dump_json(object));
}

void print_summary(const Session& session, const Answer& answer) {
  const engine::RequestOutput& last = answer.last;
  fmt::print(
      stderr,
      "\n[load {:.2f} s | {} prompt tokens, first token after {:.3f} s | {} tokens at {:.1f} "
      "tokens/s]\n",
      session.load_seconds, last.prompt_tokens, last.seconds_to_first_token, last.output_tokens,
      rate(last.output_tokens - 1, last.decode_seconds));
}

// Runs every prompt; a single one streams to standard output.
void run(const Options& options) {
  std::vector<std::string> prompts = options.prompts;
  if (!options.file.empty()) {
    for (std::string& prompt : read_prompts(options.file)) prompts.push_back(std::move(prompt));
  }
  if (prompts.empty()) {
    fail(ErrorCode::kInvalidArgument, "no prompt: give -p TEXT or -f FILE");
  }
  Session session = open_session(options.model);
  std::vector<Answer> answers(prompts.size());
  std::map<engine::RequestId, size_t> place;
  std::vector<std::vector<int32_t>> encoded;
  for (const std::string& prompt : prompts) {
    encoded.push_back(encode_prompt(session, options, prompt));
  }
  session.engine->warm_up(static_cast<int64_t>(encoded[0].size()));
  for (size_t i = 0; i < prompts.size(); ++i) {
    answers[i].prompt_ids = encoded[i];
    place[session.engine->add_request(std::move(encoded[i]), options.params)] = i;
  }
  bool stream = prompts.size() == 1 && !options.json;
  size_t printed = 0;  // JSON objects appear in the order of the prompts
  while (session.engine->has_unfinished_requests()) {
    for (engine::RequestOutput& output : session.engine->step()) {
      Answer& answer = answers[place.at(output.id)];
      answer.ids.insert(answer.ids.end(), output.token_ids.begin(), output.token_ids.end());
      answer.text += output.text;
      if (stream) {
        std::fwrite(output.text.data(), 1, output.text.size(), stdout);
        std::fflush(stdout);
      }
      answer.last = std::move(output);
    }
    for (; options.json && printed < answers.size() && answers[printed].last.finished();
         ++printed) {
      print_json(session, answers[printed]);
    }
  }
  if (options.json) return;
  for (size_t i = 0; i < answers.size() && !stream; ++i) {
    fmt::print("### {}\n{}\n", i + 1, answers[i].text);
  }
  if (stream) print_summary(session, answers[0]);
}

}  // namespace

void add_generate(CLI::App& program) {
  auto options = std::make_shared<Options>();
  options->params.max_tokens = 256;
  CLI::App* command =
      program.add_subcommand("generate", "Answer prompts, or continue texts with --raw.");
  add_model_options(*command, options->model);
  command->add_option("-p,--prompt", options->prompts, "a prompt (may be given again)");
  command->add_option("-f,--file", options->file,
                      "a file with a prompt a line (plain, or a JSON string); - is standard input");
  command->add_option("--system", options->system, "the system message");
  command->add_flag("--raw", options->raw, "no chat template: continue the text");
  command->add_flag("--json", options->json, "one JSON object a line for each prompt");
  add_sampling_options(*command, options->params);
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
