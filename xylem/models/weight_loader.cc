#include "xylem/models/weight_loader.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/dequantize.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::models {
namespace {

using kernels::BlockType;
using kernels::kGroupRows;

// Memory that XLA's CPU devices and the packed kernels read in place: 64-byte aligned.
std::shared_ptr<void> aligned_memory(size_t bytes) {
  void* memory = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == nullptr) {
    fail(ErrorCode::kResourceExhausted, "not enough memory for a weight of {} bytes", bytes);
  }
  return {memory, std::free};
}

BlockType block_of(const io::TensorView& tensor, const io::WeightSource& source) {
  std::optional<BlockType> block = tensor.type.block();
  if (!block || (!tensor.type.is_quantised() && !is_floating(*tensor.type.dtype()))) {
    fail(ErrorCode::kUnimplemented, "{}: tensor {} is {}, which is no type of weights",
         source.name(), tensor.name, tensor.type.name());
  }
  return *block;
}

DType dense_dtype(BlockType type) {
  switch (type) {
    case BlockType::kF32:
      return DType::kF32;
    case BlockType::kF16:
      return DType::kF16;
    case BlockType::kBF16:
      return DType::kBF16;
    default:
      return DType::kBF16;
  }
}

// Row r of the stack is row `row` of tensor `piece`.
struct RowPlace {
  size_t piece;
  int64_t row;
};

std::vector<RowPlace> row_places(const std::vector<Piece>& pieces, bool interleave) {
  std::vector<RowPlace> places;
  auto source_row = [&](size_t p, int64_t i) {
    return pieces[p].order.empty() ? i : pieces[p].order[static_cast<size_t>(i)];
  };
  if (interleave) {
    for (int64_t start = 0; start < pieces[0].rows; start += kGroupRows) {
      for (size_t p = 0; p < pieces.size(); ++p) {
        for (int64_t i = start; i < start + kGroupRows; ++i)
          places.push_back({p, source_row(p, i)});
      }
    }
    return places;
  }
  for (size_t p = 0; p < pieces.size(); ++p) {
    for (int64_t i = 0; i < pieces[p].rows; ++i) places.push_back({p, source_row(p, i)});
  }
  return places;
}

}  // namespace

WeightLoader::WeightLoader(std::shared_ptr<const io::WeightSource> source, LoadOptions options)
    : source_(std::move(source)),
      options_(options),
      progress_("loading weights", static_cast<int64_t>(source_->tensor_names().size())) {}

io::TensorView WeightLoader::tensor(const Piece& piece, int64_t cols) {
  return source_->tensor(piece.name, {piece.rows, cols});
}

void WeightLoader::done(const io::TensorView& tensor) {
  source_->release(tensor);
  progress_.advance(1, tensor.name);
}

Array WeightLoader::vector(const std::string& name, int64_t size) {
  io::TensorView view = source_->tensor(name, {size});
  BlockType type = block_of(view, *source_);
  std::shared_ptr<void> memory = aligned_memory(static_cast<size_t>(size) * sizeof(float));
  if (!options_.describe_only) {
    kernels::dequantize(type, view.data.data(), static_cast<float*>(memory.get()), size);
  }
  progress_.advance(1, name);
  return from_host_memory(memory.get(), {size}, DType::kF32, memory);
}

Array WeightLoader::stack_packed(const std::vector<io::TensorView>& tensors,
                                 const std::vector<Piece>& pieces, const nn::WeightFormat& format,
                                 bool interleave) {
  size_t bytes = kernels::packed_bytes(format.type, format.rows, format.cols);
  std::shared_ptr<void> memory = aligned_memory(bytes);
  kernels::PackOptions place;
  place.group_step = interleave ? static_cast<int64_t>(pieces.size()) : 1;
  int64_t group = 0;
  for (size_t p = 0; p < pieces.size(); ++p) {
    place.first_group = interleave ? static_cast<int64_t>(p) : group;
    place.rows = pieces[p].order.empty() ? nullptr : pieces[p].order.data();
    kernels::pack(format.type, pieces[p].rows, format.cols, tensors[p].data.data(), memory.get(),
                  place);
    group += (pieces[p].rows + kGroupRows - 1) / kGroupRows;
    done(tensors[p]);
  }
  return from_host_memory(memory.get(), {static_cast<int64_t>(bytes)}, DType::kU8, memory);
}

Array WeightLoader::stack_dense(const std::vector<io::TensorView>& tensors,
                                const std::vector<Piece>& pieces, const nn::WeightFormat& format,
                                bool interleave) {
  DType dtype = dense_dtype(format.type);
  Shape shape = {format.rows, format.cols};
  if (options_.describe_only) return from_host_memory(nullptr, shape, dtype, nullptr);
  bool in_place = pieces.size() == 1 && pieces[0].order.empty() &&
                  reinterpret_cast<uintptr_t>(tensors[0].data.data()) % 64 == 0;
  if (in_place && !tensors[0].type.is_quantised()) {
    auto owner = std::const_pointer_cast<void>(tensors[0].owner);
    progress_.advance(1, tensors[0].name);
    return from_host_memory(tensors[0].data.data(), shape, dtype, owner);
  }
  size_t row_bytes = static_cast<size_t>(host_bytes(dtype, format.cols));
  std::shared_ptr<void> memory = aligned_memory(row_bytes * static_cast<size_t>(format.rows));
  char* out = static_cast<char*>(memory.get());
  const kernels::BlockInfo& info = kernels::block_info(format.type);
  size_t source_bytes = static_cast<size_t>(format.cols / info.elements * info.bytes);
  std::vector<float> values(static_cast<size_t>(info.quantised ? format.cols : 0));
  for (const RowPlace& place : row_places(pieces, interleave)) {
    const std::byte* row =
        tensors[place.piece].data.data() + static_cast<size_t>(place.row) * source_bytes;
    if (info.quantised) {
      kernels::dequantize(format.type, row, values.data(), format.cols);
      auto* bf16 = reinterpret_cast<uint16_t*>(out);
      for (size_t i = 0; i < values.size(); ++i) bf16[i] = float_to_bf16(values[i]);
    } else {
      std::memcpy(out, row, row_bytes);
    }
    out += row_bytes;
  }
  for (const io::TensorView& t : tensors) done(t);
  return from_host_memory(memory.get(), shape, dtype, memory);
}

nn::Matrix WeightLoader::matrix(const std::vector<Piece>& pieces, int64_t cols, bool interleave) {
  std::vector<io::TensorView> tensors;
  nn::Matrix out;
  for (const Piece& piece : pieces) {
    tensors.push_back(tensor(piece, cols));
    out.format.rows += piece.rows;
  }
  out.format.cols = cols;
  out.format.type = block_of(tensors[0], *source_);
  out.format.packed = options_.host_kernels && kernels::block_info(out.format.type).quantised;
  if (out.format.packed) {
    out.weight = stack_packed(tensors, pieces, out.format, interleave);
  } else {
    out.weight = stack_dense(tensors, pieces, out.format, interleave);
    out.format.type = *io::TensorType(out.weight.dtype()).block();
  }
  return out;
}

std::optional<Array> WeightLoader::bias(const std::vector<Piece>& pieces) {
  constexpr std::string_view kSuffix = ".weight";
  auto bias_name = [&](const Piece& piece) {
    return piece.name.substr(0, piece.name.size() - kSuffix.size()) + ".bias";
  };
  if (!has(bias_name(pieces[0]))) return std::nullopt;
  std::vector<float> values;
  for (const Piece& piece : pieces) {
    io::TensorView view = source_->tensor(bias_name(piece), {piece.rows});
    std::vector<float> part(static_cast<size_t>(piece.rows));
    kernels::dequantize(block_of(view, *source_), view.data.data(), part.data(), piece.rows);
    for (int64_t i = 0; i < piece.rows; ++i) {
      int64_t row = piece.order.empty() ? i : piece.order[static_cast<size_t>(i)];
      values.push_back(part[static_cast<size_t>(row)]);
    }
    done(view);
  }
  return array<float>(values);
}

nn::Linear WeightLoader::linear(const std::vector<Piece>& pieces, int64_t cols) {
  nn::Linear out;
  out.precision = options_.precision;
  // A run of pieces of one type is one matrix; packed pieces start at whole groups of rows.
  auto joins = [&](const Piece& a, const Piece& b) {
    BlockType type = block_of(tensor(a, cols), *source_);
    return options_.host_kernels && type == block_of(tensor(b, cols), *source_) &&
           (a.rows % kGroupRows == 0 || !kernels::block_info(type).quantised);
  };
  size_t start = 0;
  for (size_t end = 1; end <= pieces.size(); ++end) {
    if (end < pieces.size() && joins(pieces[end - 1], pieces[end])) continue;
    out.parts.push_back(matrix(
        {pieces.begin() + static_cast<int64_t>(start), pieces.begin() + static_cast<int64_t>(end)},
        cols, false));
    start = end;
  }
  out.bias = bias(pieces);
  return out;
}

nn::GatedMlp WeightLoader::gated_mlp(const std::string& gate, const std::string& up,
                                     const std::string& down, int64_t hidden, int64_t inner) {
  nn::GatedMlp out;
  std::vector<Piece> pieces = {{gate, inner}, {up, inner}};
  out.fused = options_.host_kernels && inner % kGroupRows == 0 &&
              tensor(pieces[0], hidden).type == tensor(pieces[1], hidden).type &&
              !has(gate.substr(0, gate.rfind('.')) + ".bias");
  if (out.fused) {
    out.gate_up.precision = options_.precision;
    out.gate_up.parts = {matrix(pieces, hidden, true)};
  } else {
    out.gate_up = linear(pieces, hidden);
  }
  out.down = linear({{down, hidden}}, inner);
  return out;
}

nn::Embedding WeightLoader::embedding(const std::string& name, int64_t rows, int64_t cols) {
  return {matrix({{name, rows}}, cols, false)};
}

nn::RmsNorm WeightLoader::norm(const std::string& name, int64_t size, float eps) {
  return {vector(name, size), eps};
}

}  // namespace xylem::models
