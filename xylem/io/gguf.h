// GGUF files (versions 2 and 3, little-endian), memory-mapped: metadata values and tensors are
// views into the file. Format: docs/gguf.md of the ggml project; ours in docs/formats.md.
//
//   auto file = io::GgufFile::open("model.gguf");
//   int64_t layers = file->get_u32("llama.block_count");
//   float base = file->get_f32("llama.rope.freq_base", 10000.0f);
//   std::vector<std::string_view> tokens = file->get_strings("tokenizer.ggml.tokens");
//   io::TensorView embedding = file->tensor("token_embd.weight");
//
// The file is taken as hostile: every count, length, offset and product is checked against the
// file's size before anything is allocated for it, and anything odd is an Error of one sentence
// that names the file (kDataLoss when it is corrupt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xylem/base/file.h"
#include "xylem/io/gguf_value.h"
#include "xylem/io/tensor.h"

namespace xylem::io {

// True when the bytes begin as a GGUF file does.
bool is_gguf(std::span<const std::byte> bytes);

struct GgufEntry {
  std::string_view key;
  GgufValue value;
};

struct GgufTensor {
  std::string_view name;
  uint32_t type;                    // the file's number
  std::optional<TensorType> known;  // nothing for a type that this build has no code for
  std::vector<int64_t> shape;       // row-major; the file stores the reverse
  bool sized = false;               // false when not even the size of the type's blocks is known
  std::span<const std::byte> data;  // empty when not sized

  // The type as GGUF tools print it: "Q4_K", or "#77".
  std::string type_name() const;
};

class GgufFile : public WeightSource {
 public:
  // Opens a file. A split model is opened by its first part (...-00001-of-00003.gguf): the tensors
  // of all parts appear as one file's; a part that is missing or in another place is an error.
  static std::shared_ptr<const GgufFile> open(const std::string& path);
  // Reads bytes that must outlive the file. Splits are refused: their other parts are elsewhere.
  static std::shared_ptr<const GgufFile> parse(std::span<const std::byte> bytes, std::string name);

  uint32_t version() const { return version_; }
  uint32_t alignment() const { return alignment_; }
  // In the order of the file.
  const std::vector<GgufEntry>& metadata() const { return metadata_; }
  const std::vector<GgufTensor>& tensors() const { return tensors_; }
  // The number of files: 1 unless split.
  size_t parts() const { return maps_.empty() ? 1 : maps_.size(); }

  // Null when the key is absent.
  const GgufValue* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // Typed getters. Integers of any width are taken when the value fits. A missing key
  // (kNotFound) and a value of another type or out of range (kInvalidArgument) name the file, the
  // key and what was expected; the forms with a fallback return it only when the key is absent.
  uint32_t get_u32(std::string_view key) const;
  uint32_t get_u32(std::string_view key, uint32_t fallback) const;
  int64_t get_i64(std::string_view key) const;
  int64_t get_i64(std::string_view key, int64_t fallback) const;
  float get_f32(std::string_view key) const;
  float get_f32(std::string_view key, float fallback) const;
  bool get_bool(std::string_view key) const;
  bool get_bool(std::string_view key, bool fallback) const;
  std::string_view get_string(std::string_view key) const;
  std::string_view get_string(std::string_view key, std::string_view fallback) const;
  std::vector<int64_t> get_ints(std::string_view key) const;
  std::vector<float> get_floats(std::string_view key) const;
  std::vector<bool> get_bools(std::string_view key) const;
  // Views into the file: valid as long as this object.
  std::vector<std::string_view> get_strings(std::string_view key) const;

  const std::string& name() const override { return name_; }
  std::vector<std::string_view> tensor_names() const override;
  std::optional<TensorView> find_tensor(std::string_view name) const override;
  void release(const TensorView& tensor) const override;

 private:
  explicit GgufFile(std::string name) : name_(std::move(name)) {}
  // The file alone, whether or not it is a part of a split model.
  static std::shared_ptr<GgufFile> open_one(const std::string& path);
  void read(std::span<const std::byte> bytes);
  void read_metadata(class ByteReader& reader, uint64_t count);
  void read_tensors(class ByteReader& reader, uint64_t count);
  void place_tensors(std::span<const std::byte> data, const std::vector<uint64_t>& offsets);
  void index_tensors();
  void add_other_parts();
  const GgufValue& require(std::string_view key) const;
  [[noreturn]] void fail_type(std::string_view key, std::string_view expected) const;
  template <typename T>
  T checked_int(std::string_view key, std::string_view expected) const;
  GgufArray require_array(std::string_view key, std::string_view expected) const;

  std::string name_;
  uint32_t version_ = 0;
  uint32_t alignment_ = 0;
  std::vector<GgufEntry> metadata_;
  std::vector<uint32_t> metadata_order_;  // positions in metadata_, sorted by key
  std::vector<GgufTensor> tensors_;
  std::vector<uint32_t> tensor_order_;                   // positions in tensors_, sorted by name
  std::vector<std::shared_ptr<const MappedFile>> maps_;  // the part of each file; empty if parsed
};

}  // namespace xylem::io
