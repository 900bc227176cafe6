// Messages for people, on standard error. XYLEM_LOG=debug|info|warn|error sets the level (warn).
#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

namespace xylem {

enum class LogLevel { kDebug, kInfo, kWarn, kError };

void log_message(LogLevel level, const std::string& message);
bool log_enabled(LogLevel level);

template <typename... Args>
void log(LogLevel level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(level)) log_message(level, fmt::format(format, std::forward<Args>(args)...));
}

}  // namespace xylem
