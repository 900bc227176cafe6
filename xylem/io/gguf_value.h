// The typed metadata values of a GGUF file, as views into its bytes: an array of 150,000 strings
// costs nothing until it is asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::io {

class ByteReader;

// Numbers as in the file (ggml's gguf_type).
enum class GgufType : uint32_t {
  kU8 = 0,
  kI8 = 1,
  kU16 = 2,
  kI16 = 3,
  kU32 = 4,
  kI32 = 5,
  kF32 = 6,
  kBool = 7,
  kString = 8,
  kArray = 9,
  kU64 = 10,
  kI64 = 11,
  kF64 = 12,
};

// "u32", "string", "array".
std::string_view gguf_type_name(GgufType type);

class GgufValue;

// A typed array inside the file. The conversions are empty when the elements are of another kind
// or an integer does not fit.
class GgufArray {
 public:
  GgufType element_type() const { return element_type_; }
  size_t size() const { return count_; }

  std::optional<std::vector<int64_t>> ints() const;  // integers of any width
  std::optional<std::vector<float>> floats() const;  // floats of any width, and integers
  std::optional<std::vector<bool>> bools() const;    // bool, or integers that are 0 or 1
  std::optional<std::vector<std::string_view>> strings() const;
  // The first n elements (all when there are fewer), arrays of arrays among them.
  std::vector<GgufValue> first(size_t n) const;

 private:
  friend class GgufValue;
  template <typename T, typename Convert>
  std::optional<std::vector<T>> convert(Convert one) const;

  GgufType element_type_ = GgufType::kU8;
  size_t count_ = 0;
  std::span<const std::byte> bytes_;
};

class GgufValue {
 public:
  // Reads and checks one value of this type at the cursor; key is for messages. Arrays may nest
  // kMaxDepth deep.
  static GgufValue read(GgufType type, ByteReader& reader, std::string_view key, int depth = 0);
  static constexpr int kMaxDepth = 4;

  GgufType type() const { return type_; }
  // "string", "array of f32".
  std::string type_text() const;

  std::optional<int64_t> as_int() const;    // integers of any width that fit, not bool
  std::optional<uint64_t> as_uint() const;  // integers that are not negative
  std::optional<double> as_float() const;   // floats and integers
  std::optional<bool> as_bool() const;
  std::optional<std::string_view> as_string() const;
  std::optional<GgufArray> as_array() const;

 private:
  GgufValue(GgufType type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes) {}

  GgufType type_;
  std::span<const std::byte> bytes_;  // a scalar, a string's characters, or an array with its head
};

}  // namespace xylem::io
