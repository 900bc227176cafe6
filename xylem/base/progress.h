// A progress line on standard error for work that takes long: shown on a terminal only, after a
// short delay, so that quick work stays silent.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace xylem {

class Progress {
 public:
  // total is 0 when it is not known.
  Progress(std::string label, int64_t total);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(int64_t amount = 1, const std::string& detail = "");

 private:
  void draw(const std::string& detail);
  std::string label_;
  int64_t total_;
  int64_t done_ = 0;
  bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_draw_;
};

}  // namespace xylem
