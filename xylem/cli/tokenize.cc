// xylem tokenize: text to token ids.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/cli/chat_source.h"
#include "xylem/cli/command.h"
#include "xylem/io/json.h"
#include "xylem/models/catalogue.h"

namespace xylem::cli {
namespace {

struct Options {
  std::string model;
  std::string text;
  bool jsonl = false;
  bool special = false;
  bool plain = false;
};

// Every line of standard input is a JSON string; an answer a line.
void run_jsonl(const text::Tokenizer& tokenizer, bool plain) {
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); ++number) {
    std::string what = fmt::format("standard input, line {}", number);
    nlohmann::json value = io::parse_json(line, what);
    if (!value.is_string()) {
      fail(ErrorCode::kInvalidArgument, "{} is no JSON string", what);
    }
    std::string text = value.get<std::string>();
    std::vector<int32_t> ids = tokenizer.encode(text, false, !plain);
    nlohmann::ordered_json answer = {{"ids", ids},
                                     {"ids_special", tokenizer.encode(text, true, !plain)},
                                     {"decoded", tokenizer.decode(ids)}};
    fmt::print("{}\n", io::dump_json(answer));
  }
}

void run(const Options& options) {
  auto tokenizer = load_tokenizer(models::resolve_model(options.model));
  if (options.jsonl) return run_jsonl(*tokenizer, options.plain);
  std::string text = options.text;
  if (text.empty()) text.assign(std::istreambuf_iterator<char>(std::cin), {});
  std::vector<int32_t> ids = tokenizer->encode(text, options.special, !options.plain);
  for (int32_t id : ids) {
    fmt::print("{:>8}  {}\n", id, io::dump_json(nlohmann::json(tokenizer->token_bytes(id))));
  }
  fmt::print("{} tokens\n", ids.size());
}

}  // namespace

void add_tokenize(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command = program.add_subcommand("tokenize", "Show the tokens of a text.");
  command->add_option("MODEL", options->model, "a .gguf file, a folder with tokenizer.json, a name")
      ->required();
  command->add_option("-p,--text", options->text, "the text (default: standard input)");
  command->add_flag("--add-special-tokens", options->special, "with begin and end tokens");
  command->add_flag("--plain", options->plain, "special tokens in the text are plain text");
  command->add_flag(
      "--jsonl", options->jsonl,
      "read a JSON string a line, print {\"ids\", \"ids_special\", \"decoded\"} a line");
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
