// The one way in which Xylem reads JSON from files: bounded in size and depth, with errors that
// name the file and the position. The json type itself comes from nlohmann/json.hpp, which only
// .cc files include.
//
//   nlohmann::json config = io::read_json_file(folder + "/config.json");
//   nlohmann::json line = io::parse_json(text, "standard input, line 3");
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace xylem::io {

struct JsonLimits {
  size_t max_bytes = size_t{128} << 20;  // the largest known tokenizer.json has 33 MB
  int max_depth = 64;                    // of arrays and objects
};

// Reads one JSON document. As Hugging Face's files need it: of a repeated key the last value
// counts, and Python's NaN, Infinity and -Infinity are read as null. Anything else outside the
// standard is kInvalidArgument: "{what} is not valid JSON at line 3, column 7: ...".
nlohmann::json parse_json(std::string_view text, std::string_view what, JsonLimits limits = {});

// The same for a whole file; the path is the name in messages.
nlohmann::json read_json_file(const std::string& path, JsonLimits limits = {});

// The document as text, indented unless indent is negative; invalid UTF-8 becomes U+FFFD.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace xylem::io
