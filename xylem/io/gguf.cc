#include "xylem/io/gguf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "xylem/base/error.h"
#include "xylem/io/byte_reader.h"
#include "xylem/io/name_index.h"
#include "xylem/io/printable.h"

namespace xylem::io {
namespace {

constexpr std::string_view kMagic = "GGUF";
constexpr uint32_t kDefaultAlignment = 32;
constexpr uint32_t kMaxAlignment = 1u << 20;
constexpr uint32_t kMaxDims = 4;
// Far above any real file; keeps what a hostile one can make us allocate small.
constexpr uint64_t kMaxEntries = 1u << 20;
// A key of no characters (length), its value's type, and one byte of value.
constexpr size_t kLeastMetadata = 8 + 4 + 1;
// A name of no characters (length), the number of dimensions, the type, the offset.
constexpr size_t kLeastTensor = 8 + 4 + 4 + 8;

// Types that exist in files but have no code here: their geometry, so that `xylem inspect` can
// still show and check such a file.
struct ForeignType {
  uint32_t type;
  std::string_view name;
  uint32_t elements;
  uint32_t bytes;
};
constexpr std::array kForeignTypes = {
    ForeignType{16, "IQ2_XXS", 256, 66}, ForeignType{17, "IQ2_XS", 256, 74},
    ForeignType{18, "IQ3_XXS", 256, 98}, ForeignType{19, "IQ1_S", 256, 50},
    ForeignType{21, "IQ3_S", 256, 110},  ForeignType{22, "IQ2_S", 256, 82},
    ForeignType{29, "IQ1_M", 256, 56},   ForeignType{34, "TQ1_0", 256, 54},
    ForeignType{35, "TQ2_0", 256, 66},   ForeignType{40, "NVFP4", 64, 36},
};

const ForeignType* foreign_type(uint32_t type) {
  for (const ForeignType& foreign : kForeignTypes) {
    if (foreign.type == type) return &foreign;
  }
  return nullptr;
}

// The bytes of a tensor, nothing when the type's geometry is unknown. kDataLoss when the elements
// fill no whole blocks or the size overflows.
std::optional<uint64_t> tensor_bytes(const GgufTensor& tensor, const std::string& file) {
  uint64_t elements = 1;
  bool fits = true;
  for (int64_t dim : tensor.shape) {
    fits &= !__builtin_mul_overflow(elements, static_cast<uint64_t>(dim), &elements);
  }
  fits &= elements <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  std::optional<uint64_t> bytes;
  uint64_t row = tensor.shape.empty() ? 1 : static_cast<uint64_t>(tensor.shape.back());
  if (tensor.known) {
    // Blocks run along the innermost axis and never cross a row.
    fits = fits && tensor.known->bytes(row) && (bytes = tensor.known->bytes(elements));
  } else if (const ForeignType* foreign = foreign_type(tensor.type)) {
    uint64_t size = 0;
    fits = fits && row % foreign->elements == 0 &&
           !__builtin_mul_overflow(elements / foreign->elements, uint64_t{foreign->bytes}, &size);
    bytes = size;
  }
  if (!fits) {
    fail(ErrorCode::kDataLoss, "{}: tensor '{}' of type {} cannot have shape {}", file,
         printable(tensor.name), tensor.type_name(), shape_text(tensor.shape));
  }
  return bytes;
}

std::string_view key_of(const GgufEntry& entry) { return entry.key; }
std::string_view name_of(const GgufTensor& tensor) { return tensor.name; }

std::string_view read_string(ByteReader& reader, std::string_view what) {
  auto bytes = reader.take(reader.read<uint64_t>(what), what);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

uint32_t read_version(ByteReader& reader) {
  uint32_t version = reader.read<uint32_t>("the version");
  if (version == 2 || version == 3) return version;
  if ((version & 0xffff) == 0 && version != 0) {
    fail(
        ErrorCode::kUnimplemented,
        "{} is a big-endian GGUF file, expected little-endian: convert it with gguf-convert-endian",
        reader.file());
  }
  fail(ErrorCode::kUnimplemented, "{} is a GGUF file of version {}, expected 2 or 3", reader.file(),
       version);
}

}  // namespace

bool is_gguf(std::span<const std::byte> bytes) {
  return bytes.size() >= kMagic.size() &&
         std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

std::string GgufTensor::type_name() const {
  if (auto info = kernels::block_info(type)) return std::string(info->name);
  if (const ForeignType* foreign = foreign_type(type)) return std::string(foreign->name);
  return fmt::format("#{}", type);
}

std::shared_ptr<const GgufFile> GgufFile::parse(std::span<const std::byte> bytes,
                                                std::string name) {
  std::shared_ptr<GgufFile> file(new GgufFile(std::move(name)));
  file->read(bytes);
  if (file->get_u32("split.count", 1) > 1) {
    fail(ErrorCode::kUnimplemented, "{} is one part of a split model: open it by its path",
         file->name_);
  }
  return file;
}

void GgufFile::read(std::span<const std::byte> bytes) {
  if (!is_gguf(bytes)) {
    fail(ErrorCode::kInvalidArgument, "{} is no GGUF file: it does not begin with 'GGUF'", name_);
  }
  ByteReader reader(bytes, name_);
  reader.take(kMagic.size(), "the magic");
  version_ = read_version(reader);
  uint64_t tensor_count = reader.read<uint64_t>("the tensor count");
  uint64_t metadata_count = reader.read<uint64_t>("the metadata count");
  if (tensor_count > kMaxEntries || metadata_count > kMaxEntries) {
    fail(ErrorCode::kDataLoss, "{} claims {} tensors and {} metadata keys, expected at most {}",
         name_, tensor_count, metadata_count, kMaxEntries);
  }
  read_metadata(reader, metadata_count);
  read_tensors(reader, tensor_count);
}

void GgufFile::read_metadata(ByteReader& reader, uint64_t count) {
  reader.expect_items(count, kLeastMetadata, "metadata keys");
  metadata_.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    std::string_view key = read_string(reader, "a metadata key");
    auto type = static_cast<GgufType>(reader.read<uint32_t>(key));
    metadata_.push_back({key, GgufValue::read(type, reader, key)});
  }
  metadata_order_ = sorted_unique(metadata_, key_of, "key", name_);
  alignment_ = get_u32("general.alignment", kDefaultAlignment);
  if (!std::has_single_bit(alignment_) || alignment_ > kMaxAlignment) {
    fail(ErrorCode::kDataLoss, "{}: general.alignment is {}, expected a power of two up to {}",
         name_, alignment_, kMaxAlignment);
  }
}

void GgufFile::read_tensors(ByteReader& reader, uint64_t count) {
  reader.expect_items(count, kLeastTensor, "tensors");
  tensors_.reserve(count);
  std::vector<uint64_t> offsets;
  offsets.reserve(count);
  for (uint64_t i = 0; i < count; ++i) {
    GgufTensor tensor;
    tensor.name = read_string(reader, "a tensor name");
    uint32_t dims = reader.read<uint32_t>(tensor.name);
    if (dims > kMaxDims) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' has {} dimensions, expected at most {}", name_,
           printable(tensor.name), dims, kMaxDims);
    }
    tensor.shape.resize(dims);
    for (uint32_t d = 0; d < dims; ++d) {
      int64_t dim = reader.read<int64_t>(tensor.name);
      if (dim < 0) {
        fail(ErrorCode::kDataLoss, "{}: tensor '{}' has a dimension of {}, expected below 2^63",
             name_, printable(tensor.name), static_cast<uint64_t>(dim));
      }
      tensor.shape[dims - 1 - d] = dim;  // the file has the innermost first
    }
    tensor.type = reader.read<uint32_t>(tensor.name);
    if (auto info = kernels::block_info(tensor.type)) tensor.known = TensorType(info->type);
    offsets.push_back(reader.read<uint64_t>(tensor.name));
    tensors_.push_back(std::move(tensor));
  }
  index_tensors();
  size_t padding = (alignment_ - reader.position() % alignment_) % alignment_;
  reader.take(std::min(padding, reader.left()), "padding");
  place_tensors(reader.take(reader.left(), "tensor data"), offsets);
}

void GgufFile::index_tensors() {
  tensor_order_ = sorted_unique(tensors_, name_of, "tensor", name_);
}

void GgufFile::place_tensors(std::span<const std::byte> data,
                             const std::vector<uint64_t>& offsets) {
  std::vector<uint32_t> by_offset(tensors_.size());
  std::iota(by_offset.begin(), by_offset.end(), 0u);
  std::stable_sort(by_offset.begin(), by_offset.end(),
                   [&](uint32_t a, uint32_t b) { return offsets[a] < offsets[b]; });
  uint64_t end = 0;  // of the tensor before
  for (uint32_t i : by_offset) {
    GgufTensor& tensor = tensors_[i];
    uint64_t offset = offsets[i];
    if (offset % alignment_ != 0) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' is at offset {}, expected a multiple of {}",
           name_, printable(tensor.name), offset, alignment_);
    }
    std::optional<uint64_t> known_size = tensor_bytes(tensor, name_);
    tensor.sized = known_size.has_value();
    uint64_t size = known_size.value_or(0);
    if (offset > data.size() || size > data.size() - offset) {
      fail(
          ErrorCode::kDataLoss,
          "{} is truncated or corrupt: tensor '{}' takes {} bytes at offset {} of {} bytes of data",
          name_, printable(tensor.name), size, offset, data.size());
    }
    if (size == 0) continue;
    if (offset < end) {
      fail(ErrorCode::kDataLoss, "{}: tensor '{}' at offset {} overlaps the one before it", name_,
           printable(tensor.name), offset);
    }
    tensor.data = data.subspan(offset, size);
    end = offset + size;
  }
}

const GgufValue* GgufFile::find(std::string_view key) const {
  const GgufEntry* entry = find_sorted(metadata_, metadata_order_, key_of, key);
  return entry ? &entry->value : nullptr;
}

std::vector<std::string_view> GgufFile::tensor_names() const {
  std::vector<std::string_view> names;
  names.reserve(tensors_.size());
  for (const GgufTensor& tensor : tensors_) names.push_back(tensor.name);
  return names;
}

std::optional<TensorView> GgufFile::find_tensor(std::string_view name) const {
  const GgufTensor* tensor = find_sorted(tensors_, tensor_order_, name_of, name);
  if (!tensor) return std::nullopt;
  if (!tensor->known) {
    fail(ErrorCode::kUnimplemented, "{}: tensor '{}' is of type {}, which this build cannot read",
         name_, printable(name), tensor->type_name());
  }
  return TensorView{std::string(name), *tensor->known, tensor->shape, tensor->data,
                    shared_from_this()};
}

void GgufFile::release(const TensorView& tensor) const {
  for (const auto& map : maps_) map->release(tensor.data);
}

}  // namespace xylem::io
