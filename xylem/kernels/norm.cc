#include "xylem/kernels/norm.h"

#include "xylem/core/node.h"
#include "xylem/core/ops.h"
#include "xylem/core/ops/kernel.h"
#include "xylem/kernels/cpu/norm.h"
#include "xylem/kernels/ffi.h"

namespace xylem::kernels {
namespace {

std::vector<Aval> infer_norm(const std::vector<Array>& inputs, const Attrs&, Loc loc) {
  const Array &x = inputs[0], &weight = inputs[1];
  if (x.dtype() != DType::kF32 || x.ndim() != 2 || weight.dtype() != DType::kF32 ||
      weight.shape() != Shape{x.dim(1)}) {
    op_error("rms_norm", loc, "x {} and weight {} must be float32(m,n) and float32(n)",
             x.aval().text(), weight.aval().text());
  }
  return {x.aval()};
}

std::vector<Array> reference_norm(const std::vector<Array>& inputs, const Attrs& attrs) {
  Array mean_square = mean(inputs[0] * inputs[0], {-1}, true);
  return {inputs[0] * rsqrt(mean_square + attrs.real("eps")) * inputs[1]};
}

constexpr const char* kName = "xylem_rms_norm";
const KernelDef kNorm = {kName, infer_norm, reference_norm};

ffi::Error norm_handler(ffi::AnyBuffer x, ffi::AnyBuffer weight, ffi::Result<ffi::AnyBuffer> y,
                        float eps) {
  return guarded([&] {
    rms_norm(x.dimensions()[0], x.dimensions()[1], x.typed_data<float>(),
             weight.typed_data<float>(), eps, y->typed_data<float>(), ThreadPool::global());
  });
}

XLA_FFI_DEFINE_HANDLER(
    kNormHandler, norm_handler,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>().Attr<float>(
        "eps"));

}  // namespace

Array rms_norm(const Array& x, const Array& weight, float eps, Loc loc) {
  return call_kernel(kNorm, {x, weight}, {{"eps", static_cast<double>(eps)}}, loc)[0];
}

void register_norm_handlers() { runtime::add_ffi_handler(kName, kNormHandler); }

}  // namespace xylem::kernels
