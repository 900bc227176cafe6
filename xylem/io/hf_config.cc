#include "xylem/io/hf_config.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/io/json.h"
#include "xylem/io/printable.h"

namespace xylem::io {

using nlohmann::json;

HfConfig::HfConfig(std::shared_ptr<const json> object, std::string name)
    : object_(std::move(object)), name_(std::move(name)) {}

HfConfig HfConfig::load(const std::string& path) { return from(read_json_file(path), path); }

HfConfig HfConfig::from(json object, std::string name) {
  if (!object.is_object()) {
    fail(ErrorCode::kInvalidArgument, "{} holds {}, expected a JSON object", name,
         object.type_name());
  }
  return HfConfig(std::make_shared<const json>(std::move(object)), std::move(name));
}

const json* HfConfig::find(std::string_view key) const {
  auto at = object_->find(key);
  return at == object_->end() || at->is_null() ? nullptr : &*at;
}

const json& HfConfig::require(std::string_view key) const {
  if (const json* value = find(key)) return *value;
  fail(ErrorCode::kNotFound, "{} has no key '{}'", name_, key);
}

void HfConfig::fail_type(std::string_view key, const json& value, std::string_view expected) const {
  fail(ErrorCode::kInvalidArgument, "{}: key '{}' is {}, expected {}", name_, key,
       printable(dump_json(value), 60), expected);
}

int64_t HfConfig::checked_int(const json& value, std::string_view key, Range range) const {
  std::string expected = fmt::format("an integer from {} to {}", range.least, range.most);
  int64_t integer = 0;
  if (value.is_number_unsigned() && value.get<uint64_t>() > static_cast<uint64_t>(INT64_MAX)) {
    fail_type(key, value, expected);
  } else if (value.is_number_integer()) {
    integer = value.get<int64_t>();
  } else if (value.is_number_float()) {
    double real = value.get<double>();
    if (real != std::floor(real) || std::abs(real) > 0x1p53) fail_type(key, value, expected);
    integer = static_cast<int64_t>(real);
  } else {
    fail_type(key, value, expected);
  }
  if (integer < range.least || integer > range.most) fail_type(key, value, expected);
  return integer;
}

int64_t HfConfig::int_key(std::string_view key, Range range) const {
  return checked_int(require(key), key, range);
}

double HfConfig::float_key(std::string_view key) const {
  const json& value = require(key);
  if (!value.is_number()) fail_type(key, value, "a number");
  return value.get<double>();
}

bool HfConfig::bool_key(std::string_view key) const {
  const json& value = require(key);
  if (!value.is_boolean()) fail_type(key, value, "true or false");
  return value.get<bool>();
}

std::string HfConfig::string_key(std::string_view key) const {
  const json& value = require(key);
  if (!value.is_string()) fail_type(key, value, "a string");
  return value.get<std::string>();
}

const json& HfConfig::require_array(std::string_view key, std::string_view expected) const {
  const json& value = require(key);
  if (!value.is_array()) fail_type(key, value, expected);
  return value;
}

std::vector<int64_t> HfConfig::ints_key(std::string_view key, Range range) const {
  std::vector<int64_t> out;
  for (const json& item : require_array(key, "an array of integers")) {
    out.push_back(checked_int(item, key, range));
  }
  return out;
}

std::vector<double> HfConfig::floats_key(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of numbers";
  std::vector<double> out;
  for (const json& item : require_array(key, kExpected)) {
    if (!item.is_number()) fail_type(key, item, kExpected);
    out.push_back(item.get<double>());
  }
  return out;
}

std::vector<std::string> HfConfig::strings_key(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of strings";
  std::vector<std::string> out;
  for (const json& item : require_array(key, kExpected)) {
    if (!item.is_string()) fail_type(key, item, kExpected);
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::optional<HfConfig> HfConfig::object_key(std::string_view key) const {
  const json* value = find(key);
  if (!value) return std::nullopt;
  if (!value->is_object()) fail_type(key, *value, "an object");
  // Shares the whole document's lifetime.
  return HfConfig(std::shared_ptr<const json>(object_, value), fmt::format("{}: {}", name_, key));
}

int64_t HfConfig::int_key_or(std::string_view key, int64_t fallback, Range range) const {
  return has(key) ? int_key(key, range) : fallback;
}

double HfConfig::float_key_or(std::string_view key, double fallback) const {
  return has(key) ? float_key(key) : fallback;
}

bool HfConfig::bool_key_or(std::string_view key, bool fallback) const {
  return has(key) ? bool_key(key) : fallback;
}

std::string HfConfig::string_key_or(std::string_view key, std::string_view fallback) const {
  return has(key) ? string_key(key) : std::string(fallback);
}

}  // namespace xylem::io
