// Environment variables that Xylem reads. docs/environment.md lists them all.
#pragma once

#include <optional>
#include <string>

namespace xylem {

// The variable's value; nothing when it is unset or empty.
std::optional<std::string> env(const char* name);
// The variable as an integer in [low, high]; an Error names the variable when it is anything else.
std::optional<int64_t> env_int(const char* name, int64_t low, int64_t high);

}  // namespace xylem
