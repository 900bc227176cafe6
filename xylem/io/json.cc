#include "xylem/io/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/io/printable.h"

namespace xylem::io {
namespace {

using nlohmann::json;

// Python's literals for floats that JSON does not have, longest first where one begins another.
constexpr std::string_view kPythonFloats[] = {"-Infinity", "Infinity", "NaN"};

struct Span {
  size_t begin;
  size_t size;
};

std::string place(std::string_view text, size_t position) {
  std::string_view before = text.substr(0, position);
  size_t newline = before.rfind('\n');
  size_t column = newline == std::string_view::npos ? position : position - newline - 1;
  return fmt::format("line {}, column {}", 1 + std::count(before.begin(), before.end(), '\n'),
                     1 + column);
}

// Walks the text once, outside strings: refuses deep nesting before anything is built, and finds
// Python's float literals.
std::vector<Span> scan(std::string_view text, std::string_view what, int max_depth) {
  std::vector<Span> floats;
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          if (text[i] == '\\') ++i;
        }
        break;
      case '[':
      case '{':
        if (++depth > max_depth) {
          fail(ErrorCode::kInvalidArgument, "{} nests more than {} deep at {}", what, max_depth,
               place(text, i));
        }
        break;
      case ']':
      case '}':
        --depth;
        break;
      case '-':
      case 'I':
      case 'N':
        for (std::string_view literal : kPythonFloats) {
          if (text.substr(i, literal.size()) != literal) continue;
          floats.push_back({i, literal.size()});
          i += literal.size() - 1;
          break;
        }
        break;
      default:
        break;
    }
  }
  return floats;
}

std::string with_nulls(std::string_view text, const std::vector<Span>& literals) {
  std::string out;
  size_t done = 0;
  for (const Span& literal : literals) {
    out += text.substr(done, literal.begin - done);
    out += "null";
    done = literal.begin + literal.size;
  }
  out += text.substr(done);
  return out;
}

// The reason inside nlohmann's "[json.exception.parse_error.101] parse error at line 1, column 2:
// syntax error while parsing value - ...; last read: ...", whose tail may hold a whole string.
std::string reason_of(const json::exception& e) {
  std::string_view message = e.what();
  if (size_t at = message.find("] "); at != std::string_view::npos) message.remove_prefix(at + 2);
  if (message.starts_with("parse error")) {
    if (size_t at = message.find(": "); at != std::string_view::npos) message.remove_prefix(at + 2);
  }
  return printable(message, 160);
}

json parse(std::string_view text, std::string_view what) {
  try {
    return json::parse(text.begin(), text.end());
  } catch (const json::parse_error& e) {
    size_t position = std::min(e.byte > 0 ? e.byte - 1 : 0, text.size());
    fail(ErrorCode::kInvalidArgument, "{} is not valid JSON at {}: {}", what, place(text, position),
         reason_of(e));
  } catch (const json::exception& e) {  // a number out of range
    fail(ErrorCode::kInvalidArgument, "{} is not valid JSON: {}", what, reason_of(e));
  }
}

template <typename Json>
std::string dump(const Json& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

json parse_json(std::string_view text, std::string_view what, JsonLimits limits) {
  if (text.size() > limits.max_bytes) {
    fail(ErrorCode::kInvalidArgument, "{} has {} bytes of JSON, expected at most {}", what,
         text.size(), limits.max_bytes);
  }
  std::vector<Span> literals = scan(text, what, limits.max_depth);
  return literals.empty() ? parse(text, what) : parse(with_nulls(text, literals), what);
}

json read_json_file(const std::string& path, JsonLimits limits) {
  return parse_json(read_file(path, limits.max_bytes), path, limits);
}

std::string dump_json(const json& value, int indent) { return dump(value, indent); }

std::string dump_json(const nlohmann::ordered_json& value, int indent) {
  return dump(value, indent);
}

}  // namespace xylem::io
