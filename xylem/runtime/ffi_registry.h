// The native kernels of this process, as XLA FFI handlers. A layer above fills the table before
// the first client is made; Client::create registers each with its plugin.
#pragma once

#include <memory>
#include <string>
#include <vector>

struct XLA_FFI_CallFrame;
struct XLA_FFI_Error;

namespace xylem::runtime {

class Plugin;

using FfiHandler = XLA_FFI_Error* (*)(XLA_FFI_CallFrame*);

struct FfiEntry {
  std::string target;  // the name in stablehlo.custom_call @target
  FfiHandler handler;
};

// Adds a handler for the "Host" platform; a second one with the same name is an Error. Handlers
// added after a client was made reach its plugin with the next Client::create.
void add_ffi_handler(const std::string& target, FfiHandler handler);
std::vector<FfiEntry> ffi_handlers();

// Registers every entry that this plugin does not have yet; nothing for a plugin without the FFI
// extension. An Error when a handler was built for a newer FFI version than the plugin speaks:
// some plugins accept such a handler in silence and then do not find it.
void register_ffi_handlers(const std::shared_ptr<Plugin>& plugin);

}  // namespace xylem::runtime
