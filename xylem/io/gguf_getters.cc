// The typed getters of GgufFile and their error sentences.
#include <limits>

#include "xylem/base/error.h"
#include "xylem/io/gguf.h"
#include "xylem/io/printable.h"

namespace xylem::io {

const GgufValue& GgufFile::require(std::string_view key) const {
  if (const GgufValue* value = find(key)) return *value;
  fail(ErrorCode::kNotFound, "{} has no metadata key '{}'", name_, printable(key));
}

void GgufFile::fail_type(std::string_view key, std::string_view expected) const {
  const GgufValue& value = require(key);
  std::string seen = value.type_text();
  if (auto integer = value.as_int()) seen = fmt::format("{} of type {}", *integer, seen);
  fail(ErrorCode::kInvalidArgument, "{}: metadata key '{}' is {}, expected {}", name_,
       printable(key), seen, expected);
}

template <typename T>
T GgufFile::checked_int(std::string_view key, std::string_view expected) const {
  auto value = require(key).as_int();
  if (!value || *value < static_cast<int64_t>(std::numeric_limits<T>::min()) ||
      *value > static_cast<int64_t>(std::numeric_limits<T>::max())) {
    fail_type(key, expected);
  }
  return static_cast<T>(*value);
}

uint32_t GgufFile::get_u32(std::string_view key) const {
  return checked_int<uint32_t>(key, "an integer from 0 to 4294967295");
}

uint32_t GgufFile::get_u32(std::string_view key, uint32_t fallback) const {
  return has(key) ? get_u32(key) : fallback;
}

int64_t GgufFile::get_i64(std::string_view key) const {
  return checked_int<int64_t>(key, "an integer below 2^63");
}

int64_t GgufFile::get_i64(std::string_view key, int64_t fallback) const {
  return has(key) ? get_i64(key) : fallback;
}

float GgufFile::get_f32(std::string_view key) const {
  auto value = require(key).as_float();
  if (!value) fail_type(key, "a number");
  return static_cast<float>(*value);
}

float GgufFile::get_f32(std::string_view key, float fallback) const {
  return has(key) ? get_f32(key) : fallback;
}

bool GgufFile::get_bool(std::string_view key) const {
  auto value = require(key).as_bool();
  if (!value) fail_type(key, "a bool");
  return *value;
}

bool GgufFile::get_bool(std::string_view key, bool fallback) const {
  return has(key) ? get_bool(key) : fallback;
}

std::string_view GgufFile::get_string(std::string_view key) const {
  auto value = require(key).as_string();
  if (!value) fail_type(key, "a string");
  return *value;
}

std::string_view GgufFile::get_string(std::string_view key, std::string_view fallback) const {
  return has(key) ? get_string(key) : fallback;
}

GgufArray GgufFile::require_array(std::string_view key, std::string_view expected) const {
  auto array = require(key).as_array();
  if (!array) fail_type(key, expected);
  return *array;
}

std::vector<int64_t> GgufFile::get_ints(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of integers";
  auto values = require_array(key, kExpected).ints();
  if (!values) fail_type(key, kExpected);
  return *std::move(values);
}

std::vector<float> GgufFile::get_floats(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of numbers";
  auto values = require_array(key, kExpected).floats();
  if (!values) fail_type(key, kExpected);
  return *std::move(values);
}

std::vector<bool> GgufFile::get_bools(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of bools";
  auto values = require_array(key, kExpected).bools();
  if (!values) fail_type(key, kExpected);
  return *std::move(values);
}

std::vector<std::string_view> GgufFile::get_strings(std::string_view key) const {
  constexpr std::string_view kExpected = "an array of strings";
  auto values = require_array(key, kExpected).strings();
  if (!values) fail_type(key, kExpected);
  return *std::move(values);
}

}  // namespace xylem::io
