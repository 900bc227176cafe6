// Named tensors as they lie in a weight file, and the interface that every kind of weight file
// answers, so that a model loads from GGUF and from safetensors with the same code.
//
//   std::shared_ptr<const io::WeightSource> weights = io::open_weights("model.gguf");
//   io::TensorView w = weights->tensor("blk.0.attn_q.weight", {2048, 2048});
//   if (w.type.is_quantised()) repack(*w.type.block(), w.data);
//   weights->release(w);  // after re-laying it out: its pages leave resident memory
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "xylem/base/dtype.h"
#include "xylem/kernels/block_types.h"

namespace xylem::io {

// What a tensor's bytes mean: a plain element type or a quantised block type. GGUF's plain types
// (F32, BF16, I8 ...) become dtypes, so a float32 compares equal whichever file it comes from.
class TensorType {
 public:
  TensorType(DType dtype) : type_(dtype) {}  // NOLINT(google-explicit-constructor): a value type
  TensorType(kernels::BlockType block);      // NOLINT(google-explicit-constructor)

  bool is_quantised() const { return std::holds_alternative<kernels::BlockType>(type_); }
  // The element type; nothing when quantised.
  std::optional<DType> dtype() const;
  // The GGUF block type, also for plain types that GGUF has; nothing for the others (fp8, bool,
  // unsigned integers).
  std::optional<kernels::BlockType> block() const;
  // "float32", "bfloat16", "Q4_K".
  std::string_view name() const;
  // Bytes of a tensor with this many elements. Nothing when they do not fill whole blocks or the
  // size overflows. int4 is never packed here: neither file format has it.
  std::optional<uint64_t> bytes(uint64_t elements) const;

  bool operator==(const TensorType&) const = default;

 private:
  std::variant<DType, kernels::BlockType> type_;
};

// A tensor's description and its bytes inside the file's memory map.
struct TensorView {
  std::string name;
  TensorType type = DType::kF32;
  std::vector<int64_t> shape;  // row-major: outermost first, last axis contiguous
  // Little-endian. Aligned to 32 bytes in a GGUF file by default; a safetensors file promises
  // nothing.
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;  // keeps data mapped

  int64_t elements() const;
};

// "[2, 3]", for messages.
std::string shape_text(std::span<const int64_t> shape);

// A file, or a folder of files, that holds named tensors. Immutable and safe to share.
class WeightSource : public std::enable_shared_from_this<WeightSource> {
 public:
  virtual ~WeightSource() = default;

  // The path, for messages.
  virtual const std::string& name() const = 0;
  // In the order of the file. The views live as long as the source.
  virtual std::vector<std::string_view> tensor_names() const = 0;
  // Nothing when absent. kUnimplemented, naming the type, for a type that this build cannot read.
  virtual std::optional<TensorView> find_tensor(std::string_view name) const = 0;
  // Drops the tensor's pages from resident memory; it stays readable.
  virtual void release(const TensorView& tensor) const = 0;

  bool has_tensor(std::string_view name) const { return find_tensor(name).has_value(); }
  // As find_tensor, but an absent tensor is kNotFound, naming the file and the tensor.
  TensorView tensor(std::string_view name) const;
  // Also checks the shape: kInvalidArgument naming the file, the tensor and both shapes.
  TensorView tensor(std::string_view name, std::span<const int64_t> shape) const;
  TensorView tensor(std::string_view name, std::initializer_list<int64_t> shape) const {
    return tensor(name, std::span(shape.begin(), shape.size()));
  }
};

// Opens a .gguf file, a .safetensors file or a Hugging Face folder, told apart by content.
std::shared_ptr<const WeightSource> open_weights(const std::string& path);

}  // namespace xylem::io
