// Opening GGUF files by path, and models that are split over several of them
// (llama.cpp's gguf-split: keys split.no, split.count, split.tensors.count).
#include <fmt/format.h>

#include "xylem/base/error.h"
#include "xylem/io/gguf.h"
#include "xylem/io/printable.h"

namespace xylem::io {
namespace {

constexpr uint32_t kMaxParts = 4096;

// "-00002-of-00003.gguf": how the name of a part ends.
std::string part_suffix(uint32_t number, uint32_t count) {
  return fmt::format("-{:05}-of-{:05}.gguf", number + 1, count);
}

}  // namespace

std::shared_ptr<GgufFile> GgufFile::open_one(const std::string& path) {
  std::shared_ptr<GgufFile> file(new GgufFile(path));
  file->maps_.push_back(MappedFile::open(path));
  file->read(file->maps_[0]->bytes());
  return file;
}

std::shared_ptr<const GgufFile> GgufFile::open(const std::string& path) {
  std::shared_ptr<GgufFile> file = open_one(path);
  if (file->get_u32("split.count", 1) > 1) file->add_other_parts();
  return file;
}

void GgufFile::add_other_parts() {
  uint32_t count = get_u32("split.count");
  uint32_t number = get_u32("split.no");
  std::string suffix = part_suffix(number, count);
  if (count > kMaxParts || number >= count || !name_.ends_with(suffix)) {
    fail(ErrorCode::kInvalidArgument,
         "{} says that it is part {} of {} of a split model, expected a name that ends with {}",
         name_, uint64_t{number} + 1, count, suffix);
  }
  std::string stem = name_.substr(0, name_.size() - suffix.size());
  if (number != 0) {
    fail(ErrorCode::kInvalidArgument, "{} is part {} of {} of a split model: open the first, {}",
         name_, number + 1, count, stem + part_suffix(0, count));
  }
  for (uint32_t i = 1; i < count; ++i) {
    std::shared_ptr<GgufFile> part = open_one(stem + part_suffix(i, count));
    if (part->get_u32("split.no", 0) != i || part->get_u32("split.count", 1) != count) {
      fail(ErrorCode::kInvalidArgument, "{} is not part {} of {} of the model split over {}",
           part->name_, i + 1, count, name_);
    }
    maps_.push_back(part->maps_[0]);
    for (GgufTensor& tensor : part->tensors_) tensors_.push_back(std::move(tensor));
  }
  index_tensors();
  if (get_i64("split.tensors.count", static_cast<int64_t>(tensors_.size())) !=
      static_cast<int64_t>(tensors_.size())) {
    fail(ErrorCode::kDataLoss, "{}: the parts hold {} tensors, expected {} (split.tensors.count)",
         name_, tensors_.size(), get_i64("split.tensors.count"));
  }
}

}  // namespace xylem::io
