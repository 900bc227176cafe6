#include "xylem/base/progress.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace xylem {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kDelay = std::chrono::milliseconds(300);
constexpr auto kInterval = std::chrono::milliseconds(80);
constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(std::string label, int64_t total)
    : label_(std::move(label)),
      total_(total),
      terminal_(::isatty(STDERR_FILENO) != 0),
      start_(Clock::now()),
      last_draw_(start_) {}

Progress::~Progress() {
  if (drawn_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::advance(int64_t amount, const std::string& detail) {
  done_ += amount;
  Clock::time_point now = Clock::now();
  if (!terminal_ || now - start_ < kDelay || now - last_draw_ < kInterval) return;
  last_draw_ = now;
  draw(detail);
}

void Progress::draw(const std::string& detail) {
  drawn_ = true;
  if (total_ <= 0) {
    fmt::print(stderr, "\r\x1b[K{} {} {}", label_, done_, detail);
  } else {
    int filled = static_cast<int>(kBarWidth * std::min(done_, total_) / total_);
    fmt::print(stderr, "\r\x1b[K{} [{:=<{}}{: <{}}] {}/{} {}", label_, "", filled, "",
               kBarWidth - filled, done_, total_, detail);
  }
  std::fflush(stderr);
}

}  // namespace xylem
