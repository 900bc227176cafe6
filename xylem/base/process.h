// Child processes: run a program, wait for it, and tell how it ended.
#pragma once

#include <string>
#include <vector>

namespace xylem {

struct ProcessResult {
  int exit_code = 0;   // of a program that ended by itself
  int signal = 0;      // that killed it; 0: none
  std::string output;  // its standard output, when captured

  bool ok() const { return exit_code == 0 && signal == 0; }
  // "exit code 1", "signal 6 (Aborted)".
  std::string reason() const;
};

struct ProcessOptions {
  bool capture_output = false;   // otherwise shared with ours
  std::string error_file;        // standard error goes there; empty: shared with ours
  std::vector<std::string> env;  // "NAME=value", on top of ours
};

// Runs argv[0] (looked up in PATH) and waits. kNotFound when there is no such program.
ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options = {});

}  // namespace xylem
