// JSON in and out: the caller's context becomes values, and `tojson` writes what Python's
// json.dumps writes, byte for byte.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

// Invalid UTF-8 in strings becomes U+FFFD. kInvalidArgument for binary values.
Value from_json(Runtime& rt, const nlohmann::ordered_json& json);

struct JsonStyle {
  bool ascii_only = false;
  bool sort_keys = false;
  bool multiline = false;  // an indent was given
  std::string indent;      // of one level
  std::string item_separator;
  std::string key_separator;
};
void write_json(Runtime& rt, const Value& value, const JsonStyle& style, TextBuilder& out);

}  // namespace xylem::text::jinja
