// The `xylem` program. Exit codes: 0 done, 1 an error (one line on standard error), 2 wrong usage.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <string>

#include "xylem/base/error.h"
#include "xylem/cli/command.h"
#include "xylem/kernels/registry.h"

namespace {

bool has_command(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == name) return true;
  }
  return false;
}

int run(int argc, char** argv) {
  CLI::App program("Xylem: talk with, inspect and measure open language models.", "xylem");
  program.require_subcommand(1);
  program.set_version_flag("--version", "xylem 0.1.0");
  for (xylem::cli::AddCommand add : xylem::cli::commands()) add(program);
  if (argc > 1 && argv[1][0] != '-' && !has_command(program, argv[1])) {
    fmt::print(stderr, "xylem: there is no command {}\nTry 'xylem --help'.\n", argv[1]);
    return 2;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::CallForHelp& e) {
    return program.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return program.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return program.exit(e);
  } catch (const CLI::ParseError& e) {
    fmt::print(stderr, "xylem: {}\nTry 'xylem --help', or 'xylem COMMAND --help'.\n", e.what());
    return 2;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe shows as a failed write
  try {
    xylem::kernels::register_kernels();
    return run(argc, argv);
  } catch (const xylem::Error& e) {
    fmt::print(stderr, "xylem: {}\n", e.what());
  } catch (const std::bad_alloc&) {
    fmt::print(stderr, "xylem: out of memory; a shorter --max-model-len needs less\n");
  } catch (const std::exception& e) {
    fmt::print(stderr, "xylem: {}\n", e.what());
  }
  return 1;
}
