// One .safetensors file, memory-mapped and validated: tensors are views into the map.
// Format: the safetensors README of Hugging Face; ours in docs/formats.md.
//
//   auto file = io::SafetensorsFile::open("model.safetensors");
//   for (const io::SafetensorsEntry& t : file->tensors()) print(t.name, t.dtype, t.shape);
//   io::TensorView w = file->tensor("model.embed_tokens.weight");
//
// The header must be sound as a whole: no key twice, every tensor's byte range equal to its shape
// times its element size, all ranges together covering the data exactly, without a hole or an
// overlap. Anything else is kDataLoss with one sentence that names the file and the tensor.
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
#include "xylem/io/tensor.h"

namespace xylem::io {

inline constexpr uint64_t kMaxSafetensorsHeader = 100'000'000;  // the format's own limit

struct SafetensorsEntry {
  std::string name;
  std::string dtype;           // the file's word: "BF16", "F8_E4M3"
  std::vector<int64_t> shape;  // row-major
  uint64_t begin = 0;          // the byte range inside the data
  uint64_t end = 0;
};

struct SafetensorsHeader {
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<SafetensorsEntry> tensors;  // by position in the data
  uint64_t data_offset = 0;               // where the data begins in the file
};

// Reads and checks the header of a file of these bytes; name is for messages.
SafetensorsHeader parse_safetensors_header(std::span<const std::byte> file,
                                           const std::string& name);

class SafetensorsFile : public WeightSource {
 public:
  static std::shared_ptr<const SafetensorsFile> open(const std::string& path);
  // Reads bytes that must outlive the file.
  static std::shared_ptr<const SafetensorsFile> parse(std::span<const std::byte> bytes,
                                                      std::string name);

  const std::vector<std::pair<std::string, std::string>>& metadata() const {
    return header_.metadata;
  }
  // By position in the data.
  const std::vector<SafetensorsEntry>& tensors() const { return header_.tensors; }
  // Where in tensors() a tensor is; nothing when absent.
  std::optional<size_t> position(std::string_view name) const;

  const std::string& name() const override { return name_; }
  std::vector<std::string_view> tensor_names() const override;
  std::optional<TensorView> find_tensor(std::string_view name) const override;
  void release(const TensorView& tensor) const override;

 private:
  explicit SafetensorsFile(std::string name) : name_(std::move(name)) {}
  void read(std::span<const std::byte> bytes);

  std::string name_;
  SafetensorsHeader header_;
  std::vector<uint32_t> order_;  // positions in header_.tensors, sorted by name
  std::span<const std::byte> data_;
  std::shared_ptr<const MappedFile> map_;  // null if parsed
};

}  // namespace xylem::io
