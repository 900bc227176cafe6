// The header of a safetensors file: a SAX parser that accepts exactly the two levels of the
// format, so that a repeated key is seen (a DOM would hide it) and memory stays in proportion to
// the text; then the checks of all byte ranges.
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/io/byte_reader.h"
#include "xylem/io/printable.h"
#include "xylem/io/safetensors.h"
#include "xylem/io/safetensors_dtype.h"

namespace xylem::io {
namespace {

using nlohmann::json;

constexpr size_t kMaxRank = 16;

// Where the parser is. Only the header's own shape has places, so depth is bounded by it.
enum class Place {
  kStart,     // before the outermost object
  kTop,       // in it
  kMetadata,  // in "__metadata__"
  kTensor,    // in a tensor's object
  kShape,     // in its "shape"
  kOffsets,   // in its "data_offsets"
  kEnd,
};

class HeaderParser : public nlohmann::json_sax<json> {
 public:
  HeaderParser(const std::string& file, SafetensorsHeader& header) : file_(file), header_(header) {}

  bool key(string_t& key) override {
    key_ = key;
    return true;
  }

  bool string(string_t& value) override {
    if (place_ == Place::kMetadata) {
      header_.metadata.emplace_back(key_, value);
      return true;
    }
    if (place_ != Place::kTensor || key_ != "dtype") unexpected("a string");
    once(has_dtype_);
    tensor().dtype = value;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      unexpected("a number past 2^63");
    }
    if (place_ == Place::kShape) {
      if (tensor().shape.size() == kMaxRank) unexpected("more than 16 dimensions");
      tensor().shape.push_back(static_cast<int64_t>(value));
    } else if (place_ == Place::kOffsets && offsets_ < 2) {
      (offsets_++ == 0 ? tensor().begin : tensor().end) = value;
    } else {
      unexpected("a number");
    }
    return true;
  }

  bool start_object(size_t) override {
    if (place_ == Place::kStart) {
      place_ = Place::kTop;
    } else if (place_ == Place::kTop && key_ == "__metadata__") {
      once(has_metadata_);
      place_ = Place::kMetadata;
    } else if (place_ == Place::kTop) {
      header_.tensors.push_back({.name = key_});
      has_dtype_ = has_shape_ = has_offsets_ = false;
      place_ = Place::kTensor;
    } else {
      unexpected("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor && !(has_dtype_ && has_shape_ && has_offsets_)) {
      corrupt("lacks dtype, shape or data_offsets");
    }
    place_ = place_ == Place::kTop ? Place::kEnd : Place::kTop;
    return true;
  }

  bool start_array(size_t) override {
    if (place_ == Place::kTensor && key_ == "shape") {
      once(has_shape_);
      place_ = Place::kShape;
    } else if (place_ == Place::kTensor && key_ == "data_offsets") {
      once(has_offsets_);
      offsets_ = 0;
      place_ = Place::kOffsets;
    } else {
      unexpected("an array");
    }
    return true;
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && offsets_ != 2) corrupt("has data_offsets that are not two");
    place_ = Place::kTensor;
    return true;
  }

  bool null() override { unexpected("null"); }
  bool boolean(bool) override { unexpected("a bool"); }
  bool number_integer(number_integer_t) override { unexpected("a negative number"); }
  bool number_float(number_float_t, const string_t&) override { unexpected("a fraction"); }
  bool binary(binary_t&) override { unexpected("binary data"); }

  bool parse_error(size_t position, const std::string&, const json::exception&) override {
    fail(ErrorCode::kDataLoss, "{}: the safetensors header is not valid JSON at its byte {}", file_,
         position);
  }

 private:
  SafetensorsEntry& tensor() { return header_.tensors.back(); }

  void once(bool& seen) {
    if (seen) unexpected("a second value");
    seen = true;
  }

  [[noreturn]] void unexpected(std::string_view seen) const {
    bool in_tensor =
        place_ == Place::kTensor || place_ == Place::kShape || place_ == Place::kOffsets;
    if (in_tensor) corrupt(fmt::format("has {} under '{}'", seen, printable(key_)));
    fail(ErrorCode::kDataLoss, "{}: the safetensors header has {} under '{}'", file_, seen,
         printable(key_));
  }

  [[noreturn]] void corrupt(std::string_view problem) const {
    fail(ErrorCode::kDataLoss, "{}: tensor '{}' {}", file_, printable(header_.tensors.back().name),
         problem);
  }

  const std::string& file_;
  SafetensorsHeader& header_;
  Place place_ = Place::kStart;
  std::string key_;
  bool has_metadata_ = false;
  bool has_dtype_ = false;
  bool has_shape_ = false;
  bool has_offsets_ = false;
  int offsets_ = 0;
};

// The bytes that the shape and the type ask for; kDataLoss when that is no number of bytes.
uint64_t expected_bytes(const SafetensorsEntry& entry, const std::string& file) {
  const SafetensorsDtype* dtype = safetensors_dtype(entry.dtype);
  if (!dtype) {
    fail(ErrorCode::kDataLoss, "{}: tensor '{}' has the unknown dtype '{}'", file,
         printable(entry.name), printable(entry.dtype));
  }
  uint64_t bits = dtype->bits;
  bool fits = true;
  for (int64_t dim : entry.shape) {
    fits &= !__builtin_mul_overflow(bits, static_cast<uint64_t>(dim), &bits);
  }
  if (!fits || bits % 8 != 0) {
    fail(ErrorCode::kDataLoss, "{}: tensor '{}' of dtype {} cannot have shape {}", file,
         printable(entry.name), entry.dtype, shape_text(entry.shape));
  }
  return bits / 8;
}

// Sorts the tensors by position and checks that they cover the data exactly.
void check_ranges(SafetensorsHeader& header, uint64_t data_bytes, const std::string& file) {
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const auto& a, const auto& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const SafetensorsEntry& entry : header.tensors) {
    if (entry.begin > entry.end || entry.end > data_bytes) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' has data_offsets [{}, {}] outside {} data bytes",
           file, printable(entry.name), entry.begin, entry.end, data_bytes);
    }
    if (entry.begin != end) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' begins at data byte {}, expected {} ({})", file,
           printable(entry.name), entry.begin, end, entry.begin < end ? "an overlap" : "a hole");
    }
    uint64_t expected = expected_bytes(entry, file);
    if (entry.end - entry.begin != expected) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' has {} bytes, expected {} for {} of shape {}",
           file, printable(entry.name), entry.end - entry.begin, expected, entry.dtype,
           shape_text(entry.shape));
    }
    end = entry.end;
  }
  if (end != data_bytes) {
    fail(ErrorCode::kDataLoss, "{} has {} bytes of data, expected {} by its header", file,
         data_bytes, end);
  }
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& name) {
  ByteReader reader(file, name);
  uint64_t size = reader.read<uint64_t>("the header's length");
  if (size > kMaxSafetensorsHeader) {
    fail(ErrorCode::kDataLoss,
         "{} is no safetensors file or is corrupt: its header claims {} bytes, expected at most {}",
         name, size, kMaxSafetensorsHeader);
  }
  auto text = reader.take(size, "the header");
  auto begin = reinterpret_cast<const char*>(text.data());
  if (size == 0 || *begin != '{') {
    fail(ErrorCode::kDataLoss, "{} is no safetensors file: its header does not begin with '{{'",
         name);
  }
  SafetensorsHeader header;
  header.data_offset = reader.position();
  HeaderParser parser(name, header);
  json::sax_parse(begin, begin + size, &parser);
  check_ranges(header, reader.left(), name);
  return header;
}

}  // namespace xylem::io
