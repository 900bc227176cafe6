#include "xylem/text/tokenize/part_registry.h"

#include <limits>
#include <nlohmann/json.hpp>

namespace xylem::text {
namespace {

[[noreturn]] void fail_field(const Where& where, std::string_view key, const char* expected,
                             const Json& value) {
  fail(ErrorCode::kInvalidArgument, "{}: '{}' is {}, expected {}", where, key, value.type_name(),
       expected);
}

}  // namespace

const Json* optional_field(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const Json& required_field(const Json& object, std::string_view key, const Where& where) {
  if (!object.is_object()) {
    fail(ErrorCode::kInvalidArgument, "{}: found {}, expected an object with '{}'", where,
         object.type_name(), key);
  }
  const Json* value = optional_field(object, key);
  if (value == nullptr) {
    fail(ErrorCode::kInvalidArgument, "{}: the field '{}' is missing", where, key);
  }
  return *value;
}

std::string string_field(const Json& object, std::string_view key, const Where& where) {
  const Json& value = required_field(object, key, where);
  if (!value.is_string()) fail_field(where, key, "a string", value);
  return value.get<std::string>();
}

std::string string_field(const Json& object, std::string_view key, const Where& where,
                         std::string_view otherwise) {
  if (optional_field(object, key) == nullptr) return std::string(otherwise);
  return string_field(object, key, where);
}

bool bool_field(const Json& object, std::string_view key, const Where& where, bool otherwise) {
  const Json* value = optional_field(object, key);
  if (value == nullptr) return otherwise;
  if (!value->is_boolean()) fail_field(where, key, "true or false", *value);
  return value->get<bool>();
}

int32_t index_value(const Json& value, const Where& where) {
  constexpr int64_t kMax = std::numeric_limits<int32_t>::max();
  if (value.is_number_unsigned() && value.get<uint64_t>() <= static_cast<uint64_t>(kMax)) {
    return static_cast<int32_t>(value.get<uint64_t>());
  }
  if (value.is_number()) {
    fail(ErrorCode::kInvalidArgument, "{} is {}, expected an integer from 0 to {}", where,
         value.dump(), kMax);
  }
  fail(ErrorCode::kInvalidArgument, "{} is {}, expected an integer", where, value.type_name());
}

const Json& array_field(const Json& object, std::string_view key, const Where& where) {
  const Json& value = required_field(object, key, where);
  if (!value.is_array()) fail_field(where, key, "an array", value);
  return value;
}

void fail_unknown_type(std::string_view type, std::string_view known, const Where& where) {
  fail(ErrorCode::kUnimplemented, "{}: the type '{}' is not supported (supported: {})", where,
       type.substr(0, 100), known);
}

}  // namespace xylem::text
