#include "xylem/base/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "xylem/base/error.h"

extern char** environ;

namespace xylem {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

// Our environment with the named variables replaced.
std::vector<std::string> environment(const std::vector<std::string>& changes) {
  std::vector<std::string> all = changes;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    std::string text = *entry;
    std::string name = text.substr(0, text.find('=') + 1);
    bool changed = false;
    for (const std::string& change : changes) changed |= change.starts_with(name);
    if (!changed) all.push_back(text);
  }
  return all;
}

std::string read_all(int fd) {
  std::string text;
  std::array<char, 4096> chunk;
  while (true) {
    ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(chunk.data(), static_cast<size_t>(n));
  }
}

}  // namespace

std::string ProcessResult::reason() const {
  if (signal != 0) return fmt::format("signal {} ({})", signal, ::strsignal(signal));
  return fmt::format("exit code {}", exit_code);
}

ProcessResult run_process(const std::vector<std::string>& argv, const ProcessOptions& options) {
  std::array<int, 2> pipe = {-1, -1};
  if (options.capture_output && ::pipe2(pipe.data(), O_CLOEXEC) != 0) {
    fail(ErrorCode::kInternal, "cannot make a pipe: {}", std::strerror(errno));
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (options.capture_output) ::posix_spawn_file_actions_adddup2(&actions, pipe[1], STDOUT_FILENO);
  if (!options.error_file.empty()) {
    ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, options.error_file.c_str(),
                                       O_WRONLY | O_CREAT | O_TRUNC, 0644);
  }
  std::vector<std::string> variables = environment(options.env);
  pid_t child = 0;
  int error = ::posix_spawnp(&child, argv[0].c_str(), &actions, nullptr, pointers(argv).data(),
                             pointers(variables).data());
  ::posix_spawn_file_actions_destroy(&actions);
  if (options.capture_output) ::close(pipe[1]);
  if (error != 0) {
    if (options.capture_output) ::close(pipe[0]);
    fail(ErrorCode::kNotFound, "cannot run {}: {}", argv[0], std::strerror(error));
  }
  ProcessResult result;
  if (options.capture_output) {
    result.output = read_all(pipe[0]);
    ::close(pipe[0]);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  return result;
}

}  // namespace xylem
