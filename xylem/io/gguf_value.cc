#include "xylem/io/gguf_value.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "xylem/base/error.h"
#include "xylem/io/byte_reader.h"

namespace xylem::io {
namespace {

constexpr std::array<std::string_view, 13> kTypeNames = {
    "u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "string", "array", "u64", "i64", "f64"};
constexpr size_t kArrayHead = sizeof(uint32_t) + sizeof(uint64_t);

// Bytes of a scalar; 0 for strings and arrays.
size_t scalar_bytes(GgufType type) {
  switch (type) {
    case GgufType::kU8:
    case GgufType::kI8:
    case GgufType::kBool:
      return 1;
    case GgufType::kU16:
    case GgufType::kI16:
      return 2;
    case GgufType::kU32:
    case GgufType::kI32:
    case GgufType::kF32:
      return 4;
    case GgufType::kU64:
    case GgufType::kI64:
    case GgufType::kF64:
      return 8;
    case GgufType::kString:
    case GgufType::kArray:
      return 0;
  }
  return 0;
}

// The fewest bytes that a value of this type takes in a file.
size_t least_bytes(GgufType type) {
  if (type == GgufType::kString) return sizeof(uint64_t);
  if (type == GgufType::kArray) return kArrayHead;
  return scalar_bytes(type);
}

template <typename T>
T load(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

GgufType checked_type(uint32_t number, const ByteReader& reader, std::string_view key) {
  if (number >= kTypeNames.size()) {
    fail(ErrorCode::kDataLoss, "{}: key '{}' has value type {}, expected 0 to {}", reader.file(),
         printable(key), number, kTypeNames.size() - 1);
  }
  return static_cast<GgufType>(number);
}

void check_bools(std::span<const std::byte> bytes, const ByteReader& reader, std::string_view key) {
  for (std::byte b : bytes) {
    if (static_cast<uint8_t>(b) > 1) {
      fail(ErrorCode::kDataLoss, "{}: key '{}' has a bool of value {}, expected 0 or 1",
           reader.file(), printable(key), static_cast<int>(b));
    }
  }
}

// Moves the cursor past an array, checking every element.
void skip_array(ByteReader& reader, std::string_view key, int depth) {
  if (depth >= GgufValue::kMaxDepth) {
    fail(ErrorCode::kDataLoss, "{}: key '{}' nests arrays more than {} deep", reader.file(),
         printable(key), GgufValue::kMaxDepth);
  }
  GgufType element = checked_type(reader.read<uint32_t>(key), reader, key);
  uint64_t count = reader.read<uint64_t>(key);
  reader.expect_items(count, least_bytes(element), key);
  if (size_t size = scalar_bytes(element)) {
    auto bytes = reader.take(count * size, key);
    if (element == GgufType::kBool) check_bools(bytes, reader, key);
    return;
  }
  for (uint64_t i = 0; i < count; ++i) GgufValue::read(element, reader, key, depth + 1);
}

}  // namespace

std::string_view gguf_type_name(GgufType type) { return kTypeNames[static_cast<size_t>(type)]; }

GgufValue GgufValue::read(GgufType type, ByteReader& reader, std::string_view key, int depth) {
  checked_type(static_cast<uint32_t>(type), reader, key);
  if (size_t size = scalar_bytes(type)) {
    GgufValue value(type, reader.take(size, key));
    if (type == GgufType::kBool) check_bools(value.bytes_, reader, key);
    return value;
  }
  if (type == GgufType::kString) {
    uint64_t length = reader.read<uint64_t>(key);
    return GgufValue(type, reader.take(length, key));
  }
  size_t begin = reader.position();
  skip_array(reader, key, depth);
  return GgufValue(type, reader.since(begin));
}

std::string GgufValue::type_text() const {
  auto array = as_array();
  if (!array) return std::string(gguf_type_name(type_));
  return "array of " + std::string(gguf_type_name(array->element_type()));
}

std::optional<int64_t> GgufValue::as_int() const {
  switch (type_) {
    case GgufType::kU8:
      return load<uint8_t>(bytes_);
    case GgufType::kI8:
      return load<int8_t>(bytes_);
    case GgufType::kU16:
      return load<uint16_t>(bytes_);
    case GgufType::kI16:
      return load<int16_t>(bytes_);
    case GgufType::kU32:
      return load<uint32_t>(bytes_);
    case GgufType::kI32:
      return load<int32_t>(bytes_);
    case GgufType::kI64:
      return load<int64_t>(bytes_);
    case GgufType::kU64: {
      uint64_t value = load<uint64_t>(bytes_);
      if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
      return static_cast<int64_t>(value);
    }
    default:
      return std::nullopt;
  }
}

std::optional<uint64_t> GgufValue::as_uint() const {
  if (type_ == GgufType::kU64) return load<uint64_t>(bytes_);
  auto integer = as_int();
  if (!integer || *integer < 0) return std::nullopt;
  return static_cast<uint64_t>(*integer);
}

std::optional<double> GgufValue::as_float() const {
  if (type_ == GgufType::kF32) return load<float>(bytes_);
  if (type_ == GgufType::kF64) return load<double>(bytes_);
  if (type_ == GgufType::kU64) return static_cast<double>(load<uint64_t>(bytes_));
  if (auto integer = as_int()) return static_cast<double>(*integer);
  return std::nullopt;
}

std::optional<bool> GgufValue::as_bool() const {
  if (type_ != GgufType::kBool) return std::nullopt;
  return load<uint8_t>(bytes_) != 0;
}

std::optional<std::string_view> GgufValue::as_string() const {
  if (type_ != GgufType::kString) return std::nullopt;
  return std::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size());
}

std::optional<GgufArray> GgufValue::as_array() const {
  if (type_ != GgufType::kArray) return std::nullopt;
  GgufArray array;
  array.element_type_ = static_cast<GgufType>(load<uint32_t>(bytes_));
  array.count_ = static_cast<size_t>(load<uint64_t>(bytes_.subspan(sizeof(uint32_t))));
  array.bytes_ = bytes_.subspan(kArrayHead);
  return array;
}

template <typename T, typename Convert>
std::optional<std::vector<T>> GgufArray::convert(Convert one) const {
  std::vector<T> out;
  out.reserve(count_);
  ByteReader reader(bytes_, "");
  for (size_t i = 0; i < count_; ++i) {
    auto value = one(GgufValue::read(element_type_, reader, "", 1));
    if (!value) return std::nullopt;
    out.push_back(static_cast<T>(*value));
  }
  return out;
}

std::optional<std::vector<int64_t>> GgufArray::ints() const {
  return convert<int64_t>([](const GgufValue& value) { return value.as_int(); });
}

std::optional<std::vector<float>> GgufArray::floats() const {
  return convert<float>([](const GgufValue& value) { return value.as_float(); });
}

std::optional<std::vector<bool>> GgufArray::bools() const {
  return convert<bool>([](const GgufValue& value) -> std::optional<bool> {
    if (auto flag = value.as_bool()) return flag;
    auto integer = value.as_int();
    if (!integer || *integer < 0 || *integer > 1) return std::nullopt;
    return *integer == 1;
  });
}

std::optional<std::vector<std::string_view>> GgufArray::strings() const {
  return convert<std::string_view>([](const GgufValue& value) { return value.as_string(); });
}

std::vector<GgufValue> GgufArray::first(size_t n) const {
  std::vector<GgufValue> out;
  ByteReader reader(bytes_, "");
  for (size_t i = 0; i < std::min(n, count_); ++i) {
    out.push_back(GgufValue::read(element_type_, reader, "", 1));
  }
  return out;
}

}  // namespace xylem::io
