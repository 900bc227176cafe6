#include "xylem/runtime/ffi_registry.h"

#include "xylem/base/error.h"

namespace xylem::runtime {
namespace {

std::vector<FfiEntry>& table() {
  static std::vector<FfiEntry> entries;
  return entries;
}

}  // namespace

void add_ffi_handler(const std::string& target, FfiHandler handler) {
  for (const FfiEntry& entry : table()) {
    if (entry.target == target) {
      fail(ErrorCode::kInternal, "the FFI handler {} is registered twice", target);
    }
  }
  table().push_back({target, handler});
}

const std::vector<FfiEntry>& ffi_handlers() { return table(); }

}  // namespace xylem::runtime
