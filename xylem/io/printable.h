// Text from outside files made safe to show in messages and on terminals.
#pragma once

#include <string>
#include <string_view>

namespace xylem::io {

// The text with control bytes and invalid UTF-8 written as \xNN, cut after max_bytes with "...".
std::string printable(std::string_view text, size_t max_bytes = 120);

}  // namespace xylem::io
