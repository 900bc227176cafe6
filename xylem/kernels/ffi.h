// What the FFI handlers of the kernels share. Included by .cc files only: XLA's header is heavy.
#pragma once

#include <exception>

#include "xla/ffi/api/ffi.h"
#include "xylem/base/error.h"
#include "xylem/base/thread_pool.h"
#include "xylem/runtime/ffi_registry.h"

namespace xylem::kernels {

namespace ffi = ::xla::ffi;

// Runs body; exceptions must not cross the C boundary and become the call's error.
template <typename Body>
ffi::Error guarded(Body&& body) {
  try {
    body();
    return ffi::Error::Success();
  } catch (const Error& e) {
    return ffi::Error(e.code() == ErrorCode::kInvalidArgument ? ffi::ErrorCode::kInvalidArgument
                                                              : ffi::ErrorCode::kInternal,
                      e.what());
  } catch (const std::exception& e) {
    return ffi::Error(ffi::ErrorCode::kInternal, e.what());
  }
}

// The dtype of a buffer that a kernel reads: f32, f16 or bf16.
inline DType host_dtype(const ffi::AnyBuffer& buffer) {
  switch (buffer.element_type()) {
    case ffi::DataType::F16:
      return DType::kF16;
    case ffi::DataType::BF16:
      return DType::kBF16;
    case ffi::DataType::F32:
      return DType::kF32;
    default:
      fail(ErrorCode::kInvalidArgument, "a kernel got a buffer of XLA type {}, expected a float",
           static_cast<int>(buffer.element_type()));
  }
}

// One of the arguments after the fixed ones.
inline ffi::AnyBuffer argument(const ffi::RemainingArgs& rest, size_t index) {
  auto buffer = rest.get<ffi::AnyBuffer>(index);
  if (!buffer.has_value()) fail(ErrorCode::kInternal, "a kernel lacks argument {}", index);
  return *buffer;
}

}  // namespace xylem::kernels
