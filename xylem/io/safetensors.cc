#include "xylem/io/safetensors.h"

#include "xylem/base/error.h"
#include "xylem/io/name_index.h"
#include "xylem/io/printable.h"
#include "xylem/io/safetensors_dtype.h"

namespace xylem::io {
namespace {

const std::string& name_of(const SafetensorsEntry& entry) { return entry.name; }

}  // namespace

std::shared_ptr<const SafetensorsFile> SafetensorsFile::open(const std::string& path) {
  std::shared_ptr<SafetensorsFile> file(new SafetensorsFile(path));
  file->map_ = MappedFile::open(path);
  file->read(file->map_->bytes());
  return file;
}

std::shared_ptr<const SafetensorsFile> SafetensorsFile::parse(std::span<const std::byte> bytes,
                                                              std::string name) {
  std::shared_ptr<SafetensorsFile> file(new SafetensorsFile(std::move(name)));
  file->read(bytes);
  return file;
}

void SafetensorsFile::read(std::span<const std::byte> bytes) {
  header_ = parse_safetensors_header(bytes, name_);
  data_ = bytes.subspan(header_.data_offset);
  order_ = sorted_unique(header_.tensors, name_of, "tensor", name_);
}

std::vector<std::string_view> SafetensorsFile::tensor_names() const {
  std::vector<std::string_view> names;
  names.reserve(header_.tensors.size());
  for (const SafetensorsEntry& entry : header_.tensors) names.push_back(entry.name);
  return names;
}

std::optional<size_t> SafetensorsFile::position(std::string_view name) const {
  const SafetensorsEntry* entry = find_sorted(header_.tensors, order_, name_of, name);
  if (!entry) return std::nullopt;
  return static_cast<size_t>(entry - header_.tensors.data());
}

std::optional<TensorView> SafetensorsFile::find_tensor(std::string_view name) const {
  const SafetensorsEntry* entry = find_sorted(header_.tensors, order_, name_of, name);
  if (!entry) return std::nullopt;
  std::optional<DType> dtype = safetensors_dtype(entry->dtype)->dtype;
  if (!dtype) {
    fail(ErrorCode::kUnimplemented, "{}: tensor '{}' is of type {}, which this build cannot read",
         name_, printable(name), entry->dtype);
  }
  return TensorView{entry->name, *dtype, entry->shape,
                    data_.subspan(entry->begin, entry->end - entry->begin), shared_from_this()};
}

void SafetensorsFile::release(const TensorView& tensor) const {
  if (map_) map_->release(tensor.data);
}

}  // namespace xylem::io
