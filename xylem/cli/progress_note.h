// A word on standard error while something takes long, erased when it is done; terminals only.
#pragma once

#include <fmt/core.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace xylem::cli {

class ProgressNote {
 public:
  explicit ProgressNote(const std::string& text) : shown_(::isatty(STDERR_FILENO) != 0) {
    if (!shown_) return;
    fmt::print(stderr, "{}", text);
    std::fflush(stderr);
  }
  ~ProgressNote() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
  }
  ProgressNote(const ProgressNote&) = delete;
  ProgressNote& operator=(const ProgressNote&) = delete;

 private:
  bool shown_;
};

}  // namespace xylem::cli
