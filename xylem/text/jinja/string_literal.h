// The escapes of string literals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xylem::text::jinja {

// The value of a literal's body, with Python's escapes replaced; unknown escapes stay as they are.
// Nothing when malformed: then error says why.
std::optional<std::string> unescape_string(std::string_view body, std::string& error);

}  // namespace xylem::text::jinja
