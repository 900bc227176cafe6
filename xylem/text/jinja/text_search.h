// Searching and splitting text as Python's string methods do.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/text/jinja/value.h"

namespace xylem::text::jinja {

// str.replace; a negative limit replaces all.
std::string replace_text(Heap& heap, std::string_view text, std::string_view old,
                         std::string_view replacement, Int limit);

// str.splitlines. The views point into the text.
std::vector<std::string_view> split_lines(std::string_view text, bool keep_ends);

// str.split and str.rsplit; without a separator, between runs of white space. A negative limit
// splits everywhere. separator must not be empty.
std::vector<std::string_view> split(std::string_view text,
                                    std::optional<std::string_view> separator, Int limit);
std::vector<std::string_view> split_from_right(std::string_view text,
                                               std::optional<std::string_view> separator,
                                               Int limit);

enum class Side { kLeft, kRight, kBoth };
// str.strip and its like; without characters, white space.
std::string_view strip(std::string_view text, std::optional<std::string_view> characters,
                       Side side);

}  // namespace xylem::text::jinja
