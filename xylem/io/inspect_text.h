// The text form of inspect()'s summary object.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace xylem::io {

// Tables for a terminal: nothing from the file can move the cursor or colour the text.
std::string inspect_text(const nlohmann::ordered_json& summary);

}  // namespace xylem::io
