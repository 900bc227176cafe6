// HTML's character references.
#pragma once

#include <string>
#include <string_view>

namespace xylem::text::jinja {

// Replaces numeric references and the named ones of HTML 4's special set (amp, lt, gt, quot, apos,
// nbsp); others stay as they are.
std::string unescape_html(std::string_view text);

}  // namespace xylem::text::jinja
