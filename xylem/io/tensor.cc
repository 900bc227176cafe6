#include "xylem/io/tensor.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <system_error>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/io/checkpoint.h"
#include "xylem/io/gguf.h"
#include "xylem/io/printable.h"
#include "xylem/io/safetensors.h"

namespace xylem::io {
namespace {

using kernels::BlockType;

struct PlainPair {
  BlockType block;
  DType dtype;
};

constexpr std::array kPlain = {
    PlainPair{BlockType::kF32, DType::kF32}, PlainPair{BlockType::kF16, DType::kF16},
    PlainPair{BlockType::kI8, DType::kS8},   PlainPair{BlockType::kI16, DType::kS16},
    PlainPair{BlockType::kI32, DType::kS32}, PlainPair{BlockType::kI64, DType::kS64},
    PlainPair{BlockType::kF64, DType::kF64}, PlainPair{BlockType::kBF16, DType::kBF16},
};

std::variant<DType, BlockType> normalise(BlockType block) {
  for (const PlainPair& pair : kPlain) {
    if (pair.block == block) return pair.dtype;
  }
  return block;
}

}  // namespace

TensorType::TensorType(BlockType block) : type_(normalise(block)) {}

std::optional<DType> TensorType::dtype() const {
  if (is_quantised()) return std::nullopt;
  return std::get<DType>(type_);
}

std::optional<BlockType> TensorType::block() const {
  if (is_quantised()) return std::get<BlockType>(type_);
  for (const PlainPair& pair : kPlain) {
    if (pair.dtype == std::get<DType>(type_)) return pair.block;
  }
  return std::nullopt;
}

std::string_view TensorType::name() const {
  if (is_quantised()) return kernels::block_info(std::get<BlockType>(type_)).name;
  return dtype_name(std::get<DType>(type_));
}

std::optional<uint64_t> TensorType::bytes(uint64_t elements) const {
  uint64_t block_elements = 1;
  uint64_t block_bytes = 0;
  if (is_quantised()) {
    const kernels::BlockInfo& info = kernels::block_info(std::get<BlockType>(type_));
    block_elements = static_cast<uint64_t>(info.elements);
    block_bytes = static_cast<uint64_t>(info.bytes);
  } else {
    block_bytes = static_cast<uint64_t>(host_bytes(std::get<DType>(type_), 1));
  }
  uint64_t size = 0;
  if (elements % block_elements != 0 ||
      __builtin_mul_overflow(elements / block_elements, block_bytes, &size)) {
    return std::nullopt;
  }
  return size;
}

int64_t TensorView::elements() const {
  int64_t n = 1;
  for (int64_t dim : shape) n *= dim;
  return n;
}

std::string shape_text(std::span<const int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

TensorView WeightSource::tensor(std::string_view tensor_name) const {
  if (auto found = find_tensor(tensor_name)) return *std::move(found);
  auto names = tensor_names();
  fail(ErrorCode::kNotFound, "{} has no tensor '{}' (it has {}{})", name(), printable(tensor_name),
       names.size(), names.empty() ? "" : fmt::format(", the first is '{}'", printable(names[0])));
}

TensorView WeightSource::tensor(std::string_view tensor_name,
                                std::span<const int64_t> shape) const {
  TensorView found = tensor(tensor_name);
  if (!std::equal(shape.begin(), shape.end(), found.shape.begin(), found.shape.end())) {
    fail(ErrorCode::kInvalidArgument, "{}: tensor '{}' has shape {}, expected {}", name(),
         printable(tensor_name), shape_text(found.shape), shape_text(shape));
  }
  return found;
}

std::shared_ptr<const WeightSource> open_weights(const std::string& path) {
  std::error_code unreadable;  // then opening it as a file says why
  if (std::filesystem::is_directory(path, unreadable)) return Checkpoint::open(path);
  if (is_gguf(MappedFile::open(path)->bytes())) return GgufFile::open(path);
  return SafetensorsFile::open(path);
}

}  // namespace xylem::io
