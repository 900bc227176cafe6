// The characters whose upper or title case is several characters ("ß" becomes "SS").
#pragma once

#include <cstdint>
#include <string_view>

namespace xylem::text::jinja {

// Empty for all others.
std::string_view special_upper(uint32_t c);
std::string_view special_title(uint32_t c);

}  // namespace xylem::text::jinja
