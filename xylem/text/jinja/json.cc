#include "xylem/text/jinja/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

Value string_from_json(Runtime& rt, const std::string& text) {
  std::string storage;
  return rt.string(std::string(repair_utf8(text, storage)));
}

Value convert(Runtime& rt, const nlohmann::ordered_json& json, int depth) {
  deeper(depth);
  switch (json.type()) {
    case nlohmann::ordered_json::value_t::null:
    case nlohmann::ordered_json::value_t::discarded:
      return Value();
    case nlohmann::ordered_json::value_t::boolean:
      return json.get<bool>();
    case nlohmann::ordered_json::value_t::number_integer:
      return json.get<int64_t>();
    case nlohmann::ordered_json::value_t::number_unsigned:
      return json.get<uint64_t>();
    case nlohmann::ordered_json::value_t::number_float:
      return json.get<double>();
    case nlohmann::ordered_json::value_t::string:
      return string_from_json(rt, json.get_ref<const std::string&>());
    case nlohmann::ordered_json::value_t::binary:
      fail(ErrorCode::kInvalidArgument, "the template's context holds binary data, expected JSON");
    case nlohmann::ordered_json::value_t::array: {
      Values items;
      items.reserve(json.size());
      for (const auto& item : json) items.push_back(convert(rt, item, depth + 1));
      return rt.list(std::move(items));
    }
    case nlohmann::ordered_json::value_t::object:
      break;
  }
  std::vector<Dict::Entry> entries;
  entries.reserve(json.size());
  for (const auto& [key, value] : json.items()) {
    entries.emplace_back(string_from_json(rt, key), convert(rt, value, depth + 1));
  }
  return rt.dict(std::move(entries));
}

class JsonWriter {
 public:
  JsonWriter(Runtime& rt, const JsonStyle& style, TextBuilder& out)
      : rt_(rt), style_(style), out_(out) {}

  void write(const Value& value) {
    rt_.heap().work();
    if (value.is_string()) {
      write_string_literal(value.text());
    } else if (const auto* list = value.as<List>()) {
      write_items(list->items());
    } else if (const auto* tuple = value.as<Tuple>()) {
      write_items(tuple->items());
    } else if (const auto* dict = value.as<Dict>()) {
      write_dict(*dict);
    } else {
      out_.append(scalar_text(value));
    }
  }

 private:
  static std::string scalar_text(const Value& value) {
    if (value.is_none()) return "null";
    if (value.is_bool()) return value.as_bool() ? "true" : "false";
    if (value.is_int()) return int_text(value.as_int());
    if (!value.is_float()) {
      fail(ErrorCode::kInvalidArgument, "Object of type {} is not JSON serializable",
           type_name(value));
    }
    const double number = value.as_double();
    if (std::isnan(number)) return "NaN";
    if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
    return float_text(number);
  }

  void write_string_literal(std::string_view text) {
    out_.append("\"");
    size_t start = 0;
    for (size_t i = 0; i < text.size();) {
      const CodePoint c = first_code_point(text.substr(i));
      if (needs_escape(c.value)) {
        out_.append(text.substr(start, i - start));
        write_escape(c.value);
        start = i + c.size;
      }
      i += c.size;
    }
    out_.append(text.substr(start)).append("\"");
  }

  bool needs_escape(uint32_t c) const {
    return c < 0x20 || c == '"' || c == '\\' || (style_.ascii_only && c > 0x7F);
  }

  void write_escape(uint32_t c) {
    constexpr std::string_view kShort = "\"\\\b\f\n\r\t";
    constexpr std::string_view kLetters = "\"\\bfnrt";
    const size_t index = c < 0x80 ? kShort.find(static_cast<char>(c)) : std::string_view::npos;
    if (index != std::string_view::npos) {
      out_.append("\\").append(kLetters.substr(index, 1));
    } else if (c < 0x10000) {
      out_.append(fmt::format("\\u{:04x}", c));
    } else {
      const uint32_t offset = c - 0x10000;
      out_.append(
          fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF)));
    }
  }

  void write_items(const Values& items) {
    if (items.empty()) {
      out_.append("[]");
      return;
    }
    open("[");
    for (size_t i = 0; i < items.size(); ++i) {
      separate(i);
      write(items[i]);
    }
    close("]");
  }

  void write_dict(const Dict& dict) {
    if (dict.entries().empty()) {
      out_.append("{}");
      return;
    }
    std::vector<const Dict::Entry*> entries;
    for (const Dict::Entry& entry : dict.entries()) entries.push_back(&entry);
    if (style_.sort_keys) {
      std::stable_sort(entries.begin(), entries.end(), [&](const auto* a, const auto* b) {
        return less(rt_.heap(), a->first, b->first);
      });
    }
    open("{");
    for (size_t i = 0; i < entries.size(); ++i) {
      separate(i);
      write_key(entries[i]->first);
      out_.append(style_.key_separator);
      write(entries[i]->second);
    }
    close("}");
  }

  void write_key(const Value& key) {
    if (key.is_object()) {
      fail(ErrorCode::kInvalidArgument,
           "keys of JSON objects must be str, int, float, bool or None, not {}", type_name(key));
    }
    write_string_literal(key.is_string() ? key.text() : scalar_text(key));
  }

  void open(std::string_view bracket) {
    out_.append(bracket);
    ++level_;
  }

  // Before item i.
  void separate(size_t i) {
    if (i > 0) out_.append(style_.item_separator);
    new_line();
  }

  void close(std::string_view bracket) {
    --level_;
    new_line();
    out_.append(bracket);
  }

  void new_line() {
    if (!style_.multiline) return;
    out_.append("\n");
    for (int i = 0; i < level_; ++i) out_.append(style_.indent);
  }

  Runtime& rt_;
  const JsonStyle& style_;
  TextBuilder& out_;
  int level_ = 0;
};

}  // namespace

Value from_json(Runtime& rt, const nlohmann::ordered_json& json) { return convert(rt, json, 0); }

void write_json(Runtime& rt, const Value& value, const JsonStyle& style, TextBuilder& out) {
  JsonWriter(rt, style, out).write(value);
}

}  // namespace xylem::text::jinja
