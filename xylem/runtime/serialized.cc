#include "xylem/runtime/serialized.h"

#include <charconv>

#include "xylem/base/error.h"

namespace xylem::runtime {
namespace {

constexpr std::string_view kPrefix = "xylem executable, donated:";

}  // namespace

std::string join_serialized(const std::vector<int64_t>& donated, std::string_view plugin_bytes) {
  std::string bytes(kPrefix);
  for (int64_t index : donated) bytes += " " + std::to_string(index);
  bytes += "\n";
  bytes += plugin_bytes;
  return bytes;
}

SerializedExecutable split_serialized(std::string_view bytes) {
  SerializedExecutable parts;
  size_t end = bytes.find('\n');
  if (!bytes.starts_with(kPrefix) || end == std::string_view::npos) {
    fail(ErrorCode::kDataLoss, "the bytes are not a serialised program of Xylem");
  }
  const char* position = bytes.data() + kPrefix.size();
  const char* line_end = bytes.data() + end;
  while (position != line_end) {
    int64_t index = -1;
    auto [next, error] = std::from_chars(position + 1, line_end, index);
    bool sorted = parts.donated.empty() || parts.donated.back() < index;
    if (*position != ' ' || error != std::errc() || index < 0 || !sorted) {
      fail(ErrorCode::kDataLoss, "the donated arguments of a serialised program are unreadable");
    }
    parts.donated.push_back(index);
    position = next;
  }
  parts.plugin_bytes = bytes.substr(end + 1);
  return parts;
}

}  // namespace xylem::runtime
