#include "xylem/base/env.h"

#include <charconv>
#include <cstdlib>

#include "xylem/base/error.h"

namespace xylem {

std::optional<std::string> env(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

std::optional<int64_t> env_int(const char* name, int64_t low, int64_t high) {
  std::optional<std::string> text = env(name);
  if (!text) return std::nullopt;
  int64_t value = 0;
  const char* end = text->data() + text->size();
  auto [stop, status] = std::from_chars(text->data(), end, value);
  if (status != std::errc() || stop != end || value < low || value > high) {
    fail(ErrorCode::kInvalidArgument, "{}={} is not an integer from {} to {}", name, *text, low,
         high);
  }
  return value;
}

}  // namespace xylem
