#include "xylem/runtime/ffi_registry.h"

#include <xla/ffi/api/c_api.h>

#include <mutex>
#include <utility>

#include "xylem/base/error.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/plugin_search.h"

namespace xylem::runtime {
namespace {

// XLA's pjrt_c_api_ffi_extension.h comes with neither wheel; this is its layout. The first two
// functions differ between versions and are not used.
struct FfiRegisterArgs {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  uint32_t traits;
};

struct FfiExtension {
  PJRT_Extension_Base base;
  void* type_register;
  void* user_data_add;
  PJRT_Error* (*register_handler)(FfiRegisterArgs*);
};

struct Table {
  std::mutex mutex;
  std::vector<FfiEntry> entries;
};

Table& table() {
  static Table& instance = *new Table;
  return instance;
}

using Version = std::pair<int, int>;  // major, minor

// What the plugin said when it asked the probe for its metadata.
constexpr Version kUnknown{-1, -1};
thread_local Version probed_version = kUnknown;

// Registered only to learn which FFI version the plugin speaks.
XLA_FFI_Error* probe(XLA_FFI_CallFrame* frame) {
  if (frame->api != nullptr) {
    probed_version = {frame->api->api_version.major_version, frame->api->api_version.minor_version};
  }
  XLA_FFI_Extension_Base* extension = frame->extension_start;
  if (extension != nullptr && extension->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata& metadata =
        *reinterpret_cast<XLA_FFI_Metadata_Extension*>(extension)->metadata;
    metadata.api_version.major_version = XLA_FFI_API_MAJOR;
    metadata.api_version.minor_version = XLA_FFI_API_MINOR;
  }
  return nullptr;
}

// Asks a handler which FFI version it was built for, the way XLA does.
Version handler_version(FfiHandler handler) {
  XLA_FFI_Metadata metadata{};
  metadata.struct_size = XLA_FFI_Metadata_STRUCT_SIZE;
  metadata.api_version.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE;
  XLA_FFI_Metadata_Extension extension{};
  extension.extension_base.struct_size = XLA_FFI_Metadata_Extension_STRUCT_SIZE;
  extension.extension_base.type = XLA_FFI_Extension_Metadata;
  extension.metadata = &metadata;
  XLA_FFI_CallFrame frame{};
  frame.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE;
  frame.extension_start = &extension.extension_base;
  handler(&frame);
  return {metadata.api_version.major_version, metadata.api_version.minor_version};
}

PJRT_Error* call_register(const FfiExtension& extension, const std::string& target,
                          FfiHandler handler) {
  constexpr std::string_view kPlatform = "Host";
  FfiRegisterArgs args{};
  args.struct_size = sizeof args;
  args.target_name = target.data();
  args.target_name_size = target.size();
  args.handler = reinterpret_cast<void*>(handler);
  args.platform_name = kPlatform.data();
  args.platform_name_size = kPlatform.size();
  return extension.register_handler(&args);
}

void check_version(const Plugin& plugin, const FfiEntry& entry, Version spoken) {
  if (spoken == kUnknown) return;
  Version built = handler_version(entry.handler);
  if (built.first == spoken.first && built.second <= spoken.second) return;
  fail(ErrorCode::kUnimplemented,
       "the kernel {} was built for FFI {}.{}, but the plugin {} speaks FFI {}.{}", entry.target,
       built.first, built.second, plugin.path(), spoken.first, spoken.second);
}

}  // namespace

void add_ffi_handler(const std::string& target, FfiHandler handler) {
  std::lock_guard<std::mutex> lock(table().mutex);
  for (const FfiEntry& entry : table().entries) {
    if (entry.target == target) {
      fail(ErrorCode::kInternal, "the FFI handler {} is registered twice", target);
    }
  }
  table().entries.push_back({target, handler});
}

std::vector<FfiEntry> ffi_handlers() {
  std::lock_guard<std::mutex> lock(table().mutex);
  return table().entries;
}

void register_ffi_handlers(const std::shared_ptr<Plugin>& plugin) {
  std::vector<FfiEntry> entries = ffi_handlers();
  std::string device = plugin_name(plugin->path());
  if (entries.empty() || device == "cuda" || device == "tpu") return;  // these are CPU code
  const auto* extension =
      static_cast<const FfiExtension*>(plugin->extension(PJRT_Extension_Type_FFI));
  if (extension == nullptr || extension->base.struct_size < sizeof(FfiExtension)) return;
  std::lock_guard<std::mutex> lock(plugin->ffi_mutex_);
  static const std::string kProbe = "xylem.probe";
  if (plugin->ffi_targets_.insert(kProbe).second) {
    plugin->check(call_register(*extension, kProbe, probe), "cannot register an FFI handler");
    plugin->ffi_version_ = probed_version;
  }
  for (const FfiEntry& entry : entries) {
    if (plugin->ffi_targets_.count(entry.target) != 0) continue;
    check_version(*plugin, entry, plugin->ffi_version_);
    plugin->check(call_register(*extension, entry.target, entry.handler),
                  "cannot register an FFI handler");
    plugin->ffi_targets_.insert(entry.target);
  }
}

}  // namespace xylem::runtime
