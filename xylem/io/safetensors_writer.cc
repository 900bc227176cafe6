#include "xylem/io/safetensors_writer.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "xylem/base/error.h"
#include "xylem/io/name_index.h"
#include "xylem/io/printable.h"
#include "xylem/io/safetensors.h"
#include "xylem/io/safetensors_dtype.h"

namespace xylem::io {
namespace {

constexpr size_t kHeaderAlignment = 8;
constexpr const char* kMetadataKey = "__metadata__";

const std::string& name_of(const TensorView& tensor) { return tensor.name; }

const SafetensorsDtype& dtype_of(const TensorView& tensor, const std::string& path) {
  std::optional<DType> dtype = tensor.type.dtype();
  const SafetensorsDtype* found = dtype ? safetensors_dtype(*dtype) : nullptr;
  if (!found || tensor.name == kMetadataKey) {
    fail(ErrorCode::kInvalidArgument,
         "cannot write {}: safetensors holds no tensor '{}' of type {}", path,
         printable(tensor.name), tensor.type.name());
  }
  return *found;
}

uint64_t bytes_of(const TensorView& tensor, const std::string& path) {
  uint64_t elements = 1;
  bool fits = true;
  for (int64_t dim : tensor.shape) {
    fits &= dim >= 0 && !__builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements);
  }
  std::optional<uint64_t> bytes = fits ? tensor.type.bytes(elements) : std::nullopt;
  if (!bytes) {
    fail(ErrorCode::kInvalidArgument, "cannot write {}: tensor '{}' cannot have shape {}", path,
         printable(tensor.name), shape_text(tensor.shape));
  }
  return *bytes;
}

// Unlike dump_json, refuses text that is no UTF-8: a name must not change on its way to the file.
std::string strict_dump(const nlohmann::ordered_json& header, const std::string& path) {
  try {
    return header.dump();
  } catch (const nlohmann::json::exception&) {
    fail(ErrorCode::kInvalidArgument,
         "cannot write {}: a tensor's name or a metadata string is not valid UTF-8", path);
  }
}

// Hugging Face's order: wider elements first, then by name.
std::vector<size_t> layout_order(std::span<const TensorView> tensors, const std::string& path) {
  std::vector<int> ranks;
  for (const TensorView& tensor : tensors) ranks.push_back(dtype_of(tensor, path).rank);
  std::vector<size_t> order(tensors.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return ranks[a] != ranks[b] ? ranks[a] > ranks[b] : tensors[a].name < tensors[b].name;
  });
  return order;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::string& path,
                                     std::span<const TensorView> descriptions,
                                     const SafetensorsMetadata& metadata)
    : path_(path), file_(path) {
  sorted_unique(descriptions, name_of, "tensor", path);
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  order_ = layout_order(descriptions, path);
  for (size_t i : order_) {
    const TensorView& tensor = descriptions[i];
    uint64_t end = 0;
    if (__builtin_add_overflow(expected_, bytes_of(tensor, path), &end)) {
      fail(ErrorCode::kInvalidArgument, "cannot write {}: its tensors exceed 2^64 bytes", path);
    }
    // Not header[name]: an ordered_json looks every key up by a walk, quadratic in their number.
    auto& object = header.get_ref<nlohmann::ordered_json::object_t&>();
    object.push_back({tensor.name,
                      {{"dtype", dtype_of(tensor, path).word},
                       {"shape", tensor.shape},
                       {"data_offsets", {expected_, end}}}});
    expected_ = end;
  }
  std::string text = strict_dump(header, path);
  text.append((kHeaderAlignment - text.size() % kHeaderAlignment) % kHeaderAlignment, ' ');
  uint64_t size = text.size();
  if (size > kMaxSafetensorsHeader) {
    fail(ErrorCode::kInvalidArgument,
         "cannot write {}: its header has {} bytes, at most {} allowed", path, size,
         kMaxSafetensorsHeader);
  }
  file_.write(std::as_bytes(std::span(&size, 1)));
  file_.write(text);
}

void SafetensorsWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  written_ += bytes.size();
}

void SafetensorsWriter::commit() {
  if (written_ != expected_) {
    fail(ErrorCode::kInvalidArgument, "cannot write {}: {} bytes of data were given, expected {}",
         path_, written_, expected_);
  }
  file_.commit();
}

void write_safetensors(const std::string& path, std::span<const TensorView> tensors,
                       const SafetensorsMetadata& metadata) {
  SafetensorsWriter writer(path, tensors, metadata);
  for (size_t i : writer.order()) {
    if (tensors[i].data.size() != bytes_of(tensors[i], path)) {
      fail(ErrorCode::kInvalidArgument, "cannot write {}: tensor '{}' has {} bytes for shape {}",
           path, printable(tensors[i].name), tensors[i].data.size(), shape_text(tensors[i].shape));
    }
    writer.write(tensors[i].data);
  }
  writer.commit();
}

}  // namespace xylem::io
