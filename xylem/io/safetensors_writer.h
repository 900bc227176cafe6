// Writing .safetensors files: streamed, and complete under their name or not there at all.
//
//   io::write_safetensors("logits.safetensors",
//                         {{"logits", DType::kF32, {tokens, vocabulary}, std::as_bytes(values)}});
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "xylem/base/file.h"
#include "xylem/io/tensor.h"

namespace xylem::io {

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes tensors one after the other, for callers that do not hold all of them at once. The
// layout is that of Hugging Face's own writer: the header padded to 8 bytes with spaces, tensors
// of wider elements first, then by name, so that every tensor is aligned to its element.
//
//   io::SafetensorsWriter writer(path, descriptions, {{"format", "pt"}});
//   for (const TensorView* t : writer.order()) writer.write(fetch(t->name));
//   writer.commit();
class SafetensorsWriter {
 public:
  // Only name, type and shape of the descriptions are used, and only during this call. Errors:
  // a quantised type or one that the format lacks, a repeated name, a disk that is full or
  // read-only.
  SafetensorsWriter(const std::string& path, std::span<const TensorView> descriptions,
                    const SafetensorsMetadata& metadata = {});

  // Positions in the descriptions in which write() expects the tensors.
  const std::vector<size_t>& order() const { return order_; }
  // Appends bytes of the tensors' data, in any chunks.
  void write(std::span<const std::byte> bytes);
  // Makes the file appear. kInvalidArgument when more or less was written than was described.
  void commit();

 private:
  std::string path_;
  std::vector<size_t> order_;
  uint64_t expected_ = 0;
  uint64_t written_ = 0;
  AtomicFile file_;
};

// Writes tensors that are in memory.
void write_safetensors(const std::string& path, std::span<const TensorView> tensors,
                       const SafetensorsMetadata& metadata = {});
inline void write_safetensors(const std::string& path, std::initializer_list<TensorView> tensors,
                              const SafetensorsMetadata& metadata = {}) {
  write_safetensors(path, std::span(tensors.begin(), tensors.size()), metadata);
}

}  // namespace xylem::io
