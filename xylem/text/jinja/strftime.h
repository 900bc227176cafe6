// The clock of templates.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace xylem::text::jinja {

// datetime.strftime in the C locale. kInvalidArgument when the result gets longer than 4,096 bytes.
std::string format_time(std::chrono::local_seconds time, std::string_view format);

// The wall clock of this machine.
std::chrono::local_seconds local_now();

}  // namespace xylem::text::jinja
