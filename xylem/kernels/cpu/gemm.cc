#include "xylem/kernels/cpu/gemm.h"

#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/gemm_driver.h"
#include "xylem/kernels/cpu/quant_matmul.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::kernels {
namespace {

Element element_of(DType dtype, const char* what) {
  switch (dtype) {
    case DType::kF32:
      return Element::kF32;
    case DType::kBF16:
      return Element::kBF16;
    case DType::kF16:
      return Element::kF16;
    default:
      fail(ErrorCode::kInvalidArgument,
           "[gemm] {} has type {}, expected float32, bfloat16 or float16", what, dtype_name(dtype));
  }
}

int64_t element_bytes(Element type) { return type == Element::kF32 ? 4 : 2; }

void check_sizes(const char* op, int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMost = int64_t{1} << 40;  // keeps every product of sizes in range
  if (m < 0 || n < 0 || k < 0 || m > kMost || n > kMost || k > kMost) {
    fail(ErrorCode::kInvalidArgument, "[{}] sizes m={}, n={}, k={} must be from 0 to 2^40", op, m,
         n, k);
  }
}

void check_stride(const char* op, const char* what, int64_t stride, int64_t columns) {
  if (stride < columns) {
    fail(ErrorCode::kInvalidArgument, "[{}] {} has a stride of {} elements for rows of {}", op,
         what, stride, columns);
  }
}

void check_epilogue(const char* op, Epilogue epilogue, int64_t n) {
  if (epilogue == Epilogue::kSiluMul && n % (2 * kPanelColumns) != 0) {
    fail(ErrorCode::kInvalidArgument,
         "[{}] gate and up rows come in groups of 16, so n must be a multiple of 32, not {}", op,
         n);
  }
}

bool has_tiles() { return cpu_level() >= CpuLevel::kAvx512Bf16; }

// A matrix to be packed: element (i, p) with p along k.
class Operand {
 public:
  Operand(const void* data, Element type, int64_t stride, bool k_contiguous)
      : source_{static_cast<const char*>(data), stride * element_bytes(type), type, k_contiguous} {}

  PackSource at(int64_t i, int64_t p) const {
    const int64_t size = element_bytes(source_.type);
    PackSource s = source_;
    s.data += s.k_contiguous ? i * s.stride + p * size : p * s.stride + i * size;
    return s;
  }

  void pack_rows(bool tiles, int64_t row, int count, int64_t k, void* dst) const {
    if (tiles) {
      const int64_t depth = (k + kStep - 1) / kStep * kStep;
      avx512bf16::pack_bf16(at(row, 0), true, count, k, static_cast<uint16_t*>(dst),
                            depth * kTileRows);
    } else {
      XYLEM_DISPATCH_F32(pack_f32)(at(row, 0), count, k, count, static_cast<float*>(dst), 0);
    }
  }

  // Of the columns of the panels, those below n exist.
  void pack_panels(bool tiles, int64_t n, const PanelRange& range) const {
    const int64_t column = range.first * kPanelColumns;
    const int64_t columns = std::min<int64_t>(int64_t{range.count} * kPanelColumns, n - column);
    const int count = static_cast<int>(columns);
    if (tiles) {
      avx512bf16::pack_bf16(at(column, range.k0), false, count, range.kc,
                            static_cast<uint16_t*>(range.dst), range.stride);
    } else {
      XYLEM_DISPATCH_F32(pack_f32)
      (at(column, range.k0), count, range.kc, kPanelColumns, static_cast<float*>(range.dst),
       range.stride);
    }
  }

 private:
  PackSource source_;
};

void multiply_operands(int64_t m, int64_t n, int64_t k, bool tiles, const Operand& a,
                       const Operand& b, const TileOutput& out, ThreadPool& pool) {
  const auto rows = [&](int64_t row, int count, void* dst) {
    a.pack_rows(tiles, row, count, k, dst);
  };
  const auto panels = [&](const PanelRange& range) { b.pack_panels(tiles, n, range); };
  multiply({m, n, k, tiles, rows, panels, out}, pool);
}

// Contiguous f32 y[m, n], or [m, n / 2] when two columns make one.
TileOutput output_of(float* y, int64_t n, const MatmulOptions& options) {
  const int64_t columns = options.epilogue == Epilogue::kSiluMul ? n / 2 : n;
  return {reinterpret_cast<char*>(y), columns * 4, false, options.epilogue, options.add, columns};
}

// Dot products of a few rows with the weights as they lie, 32 of them at a time.
void linear_dots(int64_t m, int64_t n, int64_t k, const float* x, const MatrixView& w, Element type,
                 const TileOutput& out, ThreadPool& pool) {
  constexpr int64_t kColumns = 2 * kPanelColumns;
  constexpr int kWeights = 4;  // rows of weights in a call of dot_rows
  const int64_t w_stride = w.stride * element_bytes(type);
  const auto* weights = static_cast<const char*>(w.data);
  const int rows = static_cast<int>(m);
  const auto block = [&](int64_t first) {
    float sums[kLinearDotRows * kColumns];
    const int count = static_cast<int>(std::min(kColumns, n - first));
    for (int j = 0; j < count; j += kWeights) {
      XYLEM_DISPATCH_F32(dot_rows)
      (type, weights + (first + j) * w_stride, w_stride, std::min(kWeights, count - j),
       reinterpret_cast<const char*>(x), k * 4, rows, k, reinterpret_cast<char*>(sums + j),
       kColumns * 4);
    }
    TileOutput here = out;
    const int64_t column = out.epilogue == Epilogue::kSiluMul ? first / 2 : first;
    here.data += column * 4;
    if (here.add != nullptr) here.add += column;
    XYLEM_DISPATCH_F32(finish_tile)({sums, kColumns, rows, count, here});
  };
  const int64_t blocks = (n + kColumns - 1) / kColumns;
  pool.parallel_for(blocks, std::max<int64_t>(1, blocks / (8 * pool.size())),
                    [&](int64_t begin, int64_t end, int) {
                      for (int64_t i = begin; i < end; ++i) block(i * kColumns);
                    });
}

}  // namespace

void gemm(int64_t m, int64_t n, int64_t k, const MatrixView& a, const MatrixView& b,
          const MatrixOut& c, ThreadPool& pool, const MatmulOptions& options) {
  check_sizes("gemm", m, n, k);
  check_stride("gemm", "a", a.stride, a.transposed ? m : k);
  check_stride("gemm", "b", b.stride, b.transposed ? k : n);
  check_stride("gemm", "c", c.stride, n);
  if (options.epilogue != Epilogue::kNone) {
    fail(ErrorCode::kInvalidArgument, "[gemm] the only epilogue is an addition");
  }
  if (c.dtype != DType::kF32 && c.dtype != DType::kBF16) {
    fail(ErrorCode::kInvalidArgument, "[gemm] c has type {}, expected float32 or bfloat16",
         dtype_name(c.dtype));
  }
  const Element a_type = element_of(a.dtype, "a"), b_type = element_of(b.dtype, "b");
  const bool bf16 = a_type == Element::kBF16 && b_type == Element::kBF16;
  const bool tiles = has_tiles() && (bf16 || options.precision == Precision::kFast);
  const bool bf16_out = c.dtype == DType::kBF16;
  const TileOutput out = {static_cast<char*>(c.data),
                          c.stride * (bf16_out ? 2 : 4),
                          bf16_out,
                          Epilogue::kNone,
                          options.add,
                          c.stride};
  multiply_operands(m, n, k, tiles, Operand(a.data, a_type, a.stride, !a.transposed),
                    Operand(b.data, b_type, b.stride, b.transposed), out, pool);
}

void linear(int64_t m, int64_t n, int64_t k, const float* x, const MatrixView& w, float* y,
            ThreadPool& pool, const MatmulOptions& options) {
  check_sizes("linear", m, n, k);
  check_stride("linear", "w", w.stride, k);
  check_epilogue("linear", options.epilogue, n);
  if (w.transposed) {
    fail(ErrorCode::kInvalidArgument, "[linear] the weights must be stored as [n, k]");
  }
  const Element type = element_of(w.dtype, "w");
  const TileOutput out = output_of(y, n, options);
  if (m <= kLinearDotRows) return linear_dots(m, n, k, x, w, type, out, pool);
  const bool tiles = has_tiles() && options.precision == Precision::kFast && type != Element::kF32;
  multiply_operands(m, n, k, tiles, Operand(x, Element::kF32, k, true),
                    Operand(w.data, type, w.stride, true), out, pool);
}

int64_t quant_linear_crossover(Precision) { return 32; }

void quant_linear(BlockType type, int64_t n, int64_t k, const void* packed, const float* x,
                  int64_t m, float* y, ThreadPool& pool, const MatmulOptions& options) {
  check_sizes("quant_linear", m, n, k);
  check_epilogue("quant_linear", options.epilogue, n);
  if (m <= quant_linear_crossover(options.precision)) {
    return quant_matmul(type, n, k, packed, x, m, y, pool, options);
  }
  const bool tiles = has_tiles() && options.precision == Precision::kFast;
  const Operand left(x, Element::kF32, k, true);
  const auto rows = [&](int64_t row, int count, void* dst) {
    left.pack_rows(tiles, row, count, k, dst);
  };
  const auto panels = [&](const PanelRange& range) {
    for (int i = 0; i < range.count; ++i) {
      if (!tiles) {
        unpack_panel_f32(type, n, k, packed, range.first + i, range.k0, range.kc,
                         static_cast<float*>(range.dst) + i * range.stride);
        continue;
      }
      auto* to = static_cast<uint16_t*>(range.dst) + i * range.stride;
      unpack_panel_bf16(type, n, k, packed, range.first + i, range.k0, range.kc, to);
      // Tiles take whole steps of k.
      const int64_t pairs = (range.kc + 1) / 2, steps = (range.kc + kStep - 1) / kStep;
      std::fill(to + pairs * 2 * kPanelColumns, to + steps * kStep * kPanelColumns, uint16_t{0});
    }
  };
  multiply({m, n, k, tiles, rows, panels, output_of(y, n, options)}, pool);
}

}  // namespace xylem::kernels
