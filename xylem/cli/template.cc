// xylem template: conversations through a chat template.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/cli/chat_source.h"
#include "xylem/cli/command.h"
#include "xylem/io/json.h"
#include "xylem/models/catalogue.h"

namespace xylem::cli {
namespace {

using nlohmann::ordered_json;

struct Options {
  std::string source;
  std::string user;
  std::string system;
  bool jsonl = false;
};

ChatFormat load(const std::string& source) {
  if (!source.ends_with(".jinja")) return load_chat_format(models::resolve_model(source));
  ChatFormat format;
  format.templates.add(text::ChatTemplates::kDefault, read_file(source), source);
  return format;
}

// The model's special tokens hold unless the request names its own.
std::string render(const ChatFormat& format, const ordered_json& request) {
  ordered_json context = format.special_tokens;
  context.update(text::chat_context(request));
  std::optional<std::chrono::local_seconds> now;
  if (request.contains("now") && request["now"].is_string()) {
    now = text::parse_clock(request["now"].get<std::string>());
  }
  bool tools = context.contains("tools") && !context["tools"].is_null();
  return format.templates.choose(tools).render(context, now);
}

void run_jsonl(const ChatFormat& format) {
  std::string line;
  for (int64_t number = 1; std::getline(std::cin, line); ++number) {
    ordered_json answer;
    try {
      std::string what = fmt::format("standard input, line {}", number);
      io::parse_json(line, what);  // its limits and messages; the next keeps the keys' order
      answer["rendered"] = render(format, ordered_json::parse(line));
    } catch (const Error& e) {
      answer["error"] = e.what();
    }
    fmt::print("{}\n", io::dump_json(answer));
  }
}

void run(const Options& options) {
  ChatFormat format = load(options.source);
  if (options.jsonl) return run_jsonl(format);
  if (options.user.empty()) {
    fail(ErrorCode::kInvalidArgument, "no message: give -p TEXT, or --jsonl");
  }
  ordered_json messages = ordered_json::array();
  if (!options.system.empty()) {
    messages.push_back({{"role", "system"}, {"content", options.system}});
  }
  messages.push_back({{"role", "user"}, {"content", options.user}});
  fmt::print("{}\n", render(format, {{"messages", messages}, {"add_generation_prompt", true}}));
}

}  // namespace

void add_template(CLI::App& program) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      program.add_subcommand("template", "Show what a chat template makes of a conversation.");
  command->add_option("MODEL", options->source, "a model, or a .jinja file")->required();
  command->add_option("-p,--prompt", options->user, "the user's message");
  command->add_option("--system", options->system, "the system message");
  command->add_flag("--jsonl", options->jsonl,
                    "read {\"messages\", \"tools\", \"add_generation_prompt\", \"kwargs\", "
                    "\"tokens\", \"now\"} a line, print {\"rendered\"} or {\"error\"} a line");
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
