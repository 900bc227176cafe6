// xylem chat: talk with a model.
#include <editline/readline.h>
#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "xylem/base/error.h"
#include "xylem/base/paths.h"
#include "xylem/cli/command.h"
#include "xylem/cli/session.h"

namespace xylem::cli {
namespace {

constexpr const char* kHelp =
    "/reset   forget the conversation\n"
    "/system TEXT   set the system message (and reset)\n"
    "/help    this list\n"
    "/exit    leave (also Ctrl-D)\n"
    "Ctrl-C stops an answer.\n";

struct Options {
  ModelOptions model;
  engine::SamplingParams params;
  std::string system;
  bool stats = false;
};

volatile std::sig_atomic_t interrupted = 0;

void on_interrupt(int) { interrupted = 1; }

// Lines typed by a person (edited, with history) or read from a pipe.
class Input {
 public:
  Input() : terminal_(::isatty(STDIN_FILENO) != 0) {}

  bool is_terminal() const { return terminal_; }

  // Nothing at the end of the input.
  std::optional<std::string> next() {
    if (!terminal_) {
      std::string line;
      if (!std::getline(std::cin, line)) return std::nullopt;
      return line;
    }
    char* line = ::readline("> ");
    if (line == nullptr) return std::nullopt;
    std::string text = line;
    std::free(line);
    if (!text.empty()) ::add_history(text.c_str());
    return text;
  }

 private:
  bool terminal_;
};

class Conversation {
 public:
  Conversation(const Options& options, Session& session)
      : options_(options), session_(session), system_(options.system) {
    reset();
  }

  void reset() {
    messages_ = nlohmann::ordered_json::array();
    if (!system_.empty()) messages_.push_back({{"role", "system"}, {"content", system_}});
  }

  void set_system(const std::string& text) {
    system_ = text;
    reset();
  }

  // Streams the answer to standard output; a prompt that cannot be taken is forgotten again.
  void say(const std::string& text) {
    messages_.push_back({{"role", "user"}, {"content", text}});
    try {
      std::string answer = stream(session_.tokenizer->encode(session_.render_chat(messages_),
                                                             /*add_special_tokens=*/false));
      messages_.push_back({{"role", "assistant"}, {"content", answer}});
    } catch (...) {
      messages_.erase(messages_.end() - 1);
      throw;
    }
  }

 private:
  std::string stream(std::vector<int32_t> prompt) {
    engine::Engine& engine = *session_.engine;
    interrupted = 0;
    engine::RequestId id = engine.add_request(std::move(prompt), options_.params);
    std::string answer;
    engine::RequestOutput last;
    while (engine.has_unfinished_requests()) {
      if (interrupted) {
        engine.abort_request(id);
        fmt::print(stderr, " [stopped]");
        break;
      }
      for (engine::RequestOutput& output : engine.step()) {
        fmt::print("{}", output.text);
        std::fflush(stdout);
        answer += output.text;
        last = std::move(output);
      }
    }
    fmt::print("\n");
    if (options_.stats) print_stats(last);
    return answer;
  }

  static void print_stats(const engine::RequestOutput& last) {
    double seconds = last.decode_seconds;
    fmt::print(stderr,
               "[{} prompt tokens, first token after {:.3f} s, {} tokens at {:.1f} tokens/s]\n",
               last.prompt_tokens, last.seconds_to_first_token, last.output_tokens,
               seconds > 0 ? static_cast<double>(last.output_tokens - 1) / seconds : 0.0);
  }

  const Options& options_;
  Session& session_;
  std::string system_;
  nlohmann::ordered_json messages_;
};

// Handles a line that starts with a slash; false ends the program.
bool command_line(const std::string& line, Conversation& conversation) {
  if (line == "/exit" || line == "/quit") return false;
  if (line == "/reset") {
    conversation.reset();
    fmt::print(stderr, "[the conversation is forgotten]\n");
  } else if (line.rfind("/system ", 0) == 0) {
    conversation.set_system(line.substr(8));
  } else {
    if (line != "/help") fmt::print(stderr, "unknown command {}\n", line);
    fmt::print(stderr, "{}", kHelp);
  }
  return true;
}

void run(const Options& options) {
  Session session = open_session(options.model);
  session.engine->warm_up(48);
  Input input;
  if (input.is_terminal()) {
    fmt::print(stderr, "{} ready in {:.2f} s. /help lists commands.\n",
               session.engine->model().info().name, session.load_seconds);
  }
  struct sigaction action {};
  action.sa_handler = on_interrupt;  // without SA_RESTART: a blocked read returns
  ::sigaction(SIGINT, &action, nullptr);
  Conversation conversation(options, session);
  while (true) {
    std::optional<std::string> line = input.next();
    if (!line) {
      if (interrupted && input.is_terminal()) {  // Ctrl-C at the prompt clears the line
        interrupted = 0;
        fmt::print(stderr, "\n");
        continue;
      }
      break;
    }
    if (line->empty()) continue;
    if (line->front() == '/') {
      if (!command_line(*line, conversation)) break;
      continue;
    }
    try {
      conversation.say(*line);
    } catch (const Error& e) {
      if (!input.is_terminal()) throw;
      fmt::print(stderr, "{}\n(/reset forgets the conversation)\n", e.what());
    }
  }
}

}  // namespace

void add_chat(CLI::App& program) {
  auto options = std::make_shared<Options>();
  options->model.engine.max_num_seqs = 1;
  options->params.max_tokens = 1024;
  options->params.temperature = 0.7;
  options->params.top_p = 0.95;
  CLI::App* command = program.add_subcommand("chat", "Talk with a model.");
  add_model_options(*command, options->model);
  command->add_option("--system", options->system, "the system message");
  command->add_flag("--stats", options->stats, "speed after each answer");
  add_sampling_options(*command, options->params);
  command->footer(std::string("While talking:\n") + kHelp);
  command->callback([options] { run(*options); });
}

}  // namespace xylem::cli
