// The native kernels of this process, as XLA FFI handlers. A layer above fills the table before
// the first client is made; Client::create registers each with its plugin.
#pragma once

#include <string>
#include <vector>

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

namespace xylem::runtime {

using FfiHandler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);

struct FfiEntry {
  std::string target;  // the name in stablehlo.custom_call @target
  FfiHandler handler;
};

// Adds a handler for the "Host" platform; a second one with the same name is an Error.
void add_ffi_handler(const std::string& target, FfiHandler handler);
const std::vector<FfiEntry>& ffi_handlers();

}  // namespace xylem::runtime
