// How the parts of a tokenizer.json (normalizer, pre_tokenizer, model, post_processor, decoder) are
// found by their "type", and how their fields are read with errors that say where.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "xylem/base/error.h"

namespace xylem::text {

using Json = nlohmann::json;

// The place of a value, for messages: "tokenizer.json: pre_tokenizer".
using Where = std::string;

// Fields of an object; all throw kInvalidArgument naming the place and what was expected.
const Json& required_field(const Json& object, std::string_view key, const Where& where);
const Json* optional_field(const Json& object, std::string_view key);  // null counts as absent
std::string string_field(const Json& object, std::string_view key, const Where& where);
std::string string_field(const Json& object, std::string_view key, const Where& where,
                         std::string_view otherwise);
bool bool_field(const Json& object, std::string_view key, const Where& where, bool otherwise);
// An integer from 0 to 2^31 - 1.
int32_t index_value(const Json& value, const Where& where);
const Json& array_field(const Json& object, std::string_view key, const Where& where);

template <typename Part>
struct PartKind {
  std::string_view type;
  std::unique_ptr<Part> (*make)(const Json& json, const Where& where);
};

[[noreturn]] void fail_unknown_type(std::string_view type, std::string_view known,
                                    const Where& where);

// Makes the part that json describes. A new kind is one line in its folder's table.
template <typename Part>
std::unique_ptr<Part> make_part(std::span<const PartKind<Part>> kinds, const Json& json,
                                const Where& where) {
  const std::string type = string_field(json, "type", where);
  std::string known;
  for (const PartKind<Part>& kind : kinds) {
    if (kind.type == type) return kind.make(json, where + " " + type);
    known += known.empty() ? "" : ", ";
    known += kind.type;
  }
  fail_unknown_type(type, known, where);
}

}  // namespace xylem::text
