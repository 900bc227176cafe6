#include "xylem/base/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include "xylem/base/env.h"

namespace xylem {
namespace {

spdlog::level::level_enum to_spdlog(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarn:
      return spdlog::level::warn;
    case LogLevel::kError:
      break;
  }
  return spdlog::level::err;
}

spdlog::logger& logger() {
  static std::shared_ptr<spdlog::logger> instance = [] {
    auto created = spdlog::stderr_color_mt("xylem");
    created->set_level(spdlog::level::from_str(env("XYLEM_LOG").value_or("warn")));
    created->set_pattern("%^%l%$: %v");
    return created;
  }();
  return *instance;
}

}  // namespace

void log_message(LogLevel level, const std::string& message) {
  logger().log(to_spdlog(level), message);
}

bool log_enabled(LogLevel level) { return logger().should_log(to_spdlog(level)); }

}  // namespace xylem
