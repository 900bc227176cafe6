#include "xylem/kernels/matmul.h"

#include "xylem/core/node.h"
#include "xylem/core/ops.h"
#include "xylem/core/ops/kernel.h"
#include "xylem/kernels/cpu/gemm.h"
#include "xylem/kernels/cpu/quant_pack.h"
#include "xylem/kernels/ffi.h"
#include "xylem/kernels/unpack.h"

namespace xylem::kernels {
namespace {

Attrs format_attrs(const WeightFormat& format) {
  return {{"rows", format.rows},
          {"cols", format.cols},
          {"type", static_cast<int64_t>(format.type)},
          {"packed", format.packed}};
}

WeightFormat format_of(const Attrs& attrs) {
  return {attrs.integer("rows"), attrs.integer("cols"),
          static_cast<BlockType>(attrs.integer("type")), attrs.boolean("packed")};
}

void check_weight(const char* op, const Array& weight, const WeightFormat& format, Loc loc) {
  if (format.packed) {
    int64_t bytes = static_cast<int64_t>(packed_bytes(format.type, format.rows, format.cols));
    if (weight.dtype() != DType::kU8 || weight.shape() != Shape{bytes}) {
      op_error(op, loc, "the packed weight is {}, expected uint8({}) for {} rows of {} values",
               weight.aval().text(), bytes, format.rows, format.cols);
    }
  } else if (!is_floating(weight.dtype()) || weight.shape() != Shape{format.rows, format.cols}) {
    op_error(op, loc, "the weight is {}, expected floats({},{})", weight.aval().text(), format.rows,
             format.cols);
  }
}

// ---- weight_matmul: inputs x, weight[, add] -----------------------------------------------------

std::vector<Aval> infer_matmul(const std::vector<Array>& inputs, const Attrs& attrs, Loc loc) {
  WeightFormat format = format_of(attrs);
  const Array& x = inputs[0];
  check_weight("weight_matmul", inputs[1], format, loc);
  if (x.dtype() != DType::kF32 || x.ndim() != 2 || x.dim(1) != format.cols) {
    op_error("weight_matmul", loc, "x is {}, expected float32(m,{})", x.aval().text(), format.cols);
  }
  bool halved = attrs.integer("epilogue") == static_cast<int64_t>(Epilogue::kSiluMul);
  if (halved && format.rows % 32 != 0) {
    op_error("weight_matmul", loc, "the gate and up rows are {}, expected a multiple of 32",
             format.rows);
  }
  Aval out{{x.dim(0), halved ? format.rows / 2 : format.rows}, DType::kF32, {}};
  if (inputs.size() > 2 && (inputs[2].shape() != out.shape || inputs[2].dtype() != out.dtype)) {
    op_error("weight_matmul", loc, "add is {}, expected {}", inputs[2].aval().text(), out.text());
  }
  return {out};
}

std::vector<Array> reference_matmul(const std::vector<Array>& inputs, const Attrs& attrs) {
  WeightFormat format = format_of(attrs);
  Array weight = unpack_weight(inputs[1], format);
  Array y = dot_general(inputs[0], weight, {{1}, {1}}, DType::kF32);
  if (attrs.integer("epilogue") == static_cast<int64_t>(Epilogue::kSiluMul)) {
    std::vector<Array> halves = split(reshape(y, {y.dim(0), -1, 2, 16}), 2, 2);
    y = reshape(halves[0] * logistic(halves[0]) * halves[1], {y.dim(0), format.rows / 2});
  }
  return {inputs.size() > 2 ? y + inputs[2] : y};
}

constexpr const char* kMatmulName = "xylem_weight_matmul";
const KernelDef kMatmul = {kMatmulName, infer_matmul, reference_matmul};

ffi::Error matmul_handler(ffi::AnyBuffer x, ffi::AnyBuffer weight, ffi::RemainingArgs rest,
                          ffi::Result<ffi::AnyBuffer> y, int64_t cols, int64_t epilogue,
                          bool packed, int64_t precision, int64_t rows, int64_t type) {
  return guarded([&] {
    MatmulOptions options;
    options.precision = static_cast<Precision>(precision);
    options.epilogue = static_cast<Epilogue>(epilogue);
    if (!rest.empty()) options.add = argument(rest, 0).typed_data<float>();
    int64_t m = x.dimensions()[0];
    const float* in = x.typed_data<float>();
    float* out = y->typed_data<float>();
    ThreadPool& pool = ThreadPool::global();
    if (packed) {
      quant_linear(static_cast<BlockType>(type), rows, cols, weight.untyped_data(), in, m, out,
                   pool, options);
    } else {
      linear(m, rows, cols, in, {weight.untyped_data(), host_dtype(weight), cols}, out, pool,
             options);
    }
  });
}

XLA_FFI_DEFINE_HANDLER(kMatmulHandler, matmul_handler,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .RemainingArgs()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<int64_t>("cols")
                           .Attr<int64_t>("epilogue")
                           .Attr<bool>("packed")
                           .Attr<int64_t>("precision")
                           .Attr<int64_t>("rows")
                           .Attr<int64_t>("type"));

// ---- weight_rows: inputs ids, packed weight -----------------------------------------------------

std::vector<Aval> infer_rows(const std::vector<Array>& inputs, const Attrs& attrs, Loc loc) {
  WeightFormat format = format_of(attrs);
  const Array& ids = inputs[0];
  if (ids.dtype() != DType::kS32 || ids.ndim() != 1) {
    op_error("weight_rows", loc, "ids are {}, expected int32(m)", ids.aval().text());
  }
  check_weight("weight_rows", inputs[1], format, loc);
  return {{{ids.dim(0), format.cols}, DType::kF32, {}}};
}

std::vector<Array> reference_rows(const std::vector<Array>& inputs, const Attrs& attrs) {
  return {take(unpack_weight(inputs[1], format_of(attrs)), inputs[0])};
}

constexpr const char* kRowsName = "xylem_weight_rows";
const KernelDef kRows = {kRowsName, infer_rows, reference_rows};

ffi::Error rows_handler(ffi::AnyBuffer ids, ffi::AnyBuffer weight, ffi::Result<ffi::AnyBuffer> out,
                        int64_t cols, bool, int64_t rows, int64_t type) {
  return guarded([&] {
    embed_rows(static_cast<BlockType>(type), rows, cols, weight.untyped_data(),
               ids.typed_data<int32_t>(), ids.dimensions()[0], out->typed_data<float>());
  });
}

XLA_FFI_DEFINE_HANDLER(kRowsHandler, rows_handler,
                       ffi::Ffi::Bind()
                           .Arg<ffi::AnyBuffer>()
                           .Arg<ffi::AnyBuffer>()
                           .Ret<ffi::AnyBuffer>()
                           .Attr<int64_t>("cols")
                           .Attr<bool>("packed")
                           .Attr<int64_t>("rows")
                           .Attr<int64_t>("type"));

}  // namespace

Array unpack_weight(const Array& weight, const WeightFormat& format) {
  if (!format.packed) return astype(weight, DType::kF32);
  return unpack_reference(weight, format.type, format.rows, format.cols);
}

Array weight_matmul(const Array& x, const Array& weight, const WeightFormat& format,
                    Precision precision, Epilogue epilogue, const std::optional<Array>& add,
                    Loc loc) {
  Attrs attrs = format_attrs(format);
  attrs.set("precision", static_cast<int64_t>(precision));
  attrs.set("epilogue", static_cast<int64_t>(epilogue));
  std::vector<Array> inputs = {x, weight};
  if (add) inputs.push_back(*add);
  return call_kernel(kMatmul, inputs, attrs, loc)[0];
}

Array weight_rows(const Array& ids, const Array& weight, const WeightFormat& format, Loc loc) {
  if (format.packed) return call_kernel(kRows, {ids, weight}, format_attrs(format), loc)[0];
  check_weight("weight_rows", weight, format, loc);
  return astype(take(weight, ids, 0, IndexMode::kClip, loc), DType::kF32);
}

void register_matmul_handlers() {
  runtime::add_ffi_handler(kMatmulName, kMatmulHandler);
  runtime::add_ffi_handler(kRowsName, kRowsHandler);
}

}  // namespace xylem::kernels
