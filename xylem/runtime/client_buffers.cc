// Uploading host memory.
#include <limits>

#include "xylem/base/error.h"
#include "xylem/runtime/client.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/pjrt_dtype.h"

namespace xylem::runtime {
namespace {

// Strides in bytes of a dense row-major array. An Error for negative or overflowing shapes.
std::vector<int64_t> row_major_strides(DType dtype, std::span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = host_bytes(dtype, 1);
  for (size_t i = dims.size(); i-- > 0;) {
    if (dims[i] < 0 || (dims[i] > 0 && stride > std::numeric_limits<int64_t>::max() / dims[i])) {
      fail(ErrorCode::kInvalidArgument,
           "cannot upload an array: dimension {} is {}, which is negative or too large", i,
           dims[i]);
    }
    strides[i] = stride;
    if (dims[i] > 0) stride *= dims[i];
  }
  return strides;
}

PJRT_HostBufferSemantics semantics(HostUse use) {
  switch (use) {
    case HostUse::kCopyNow:
      return PJRT_HostBufferSemantics_kImmutableOnlyDuringCall;
    case HostUse::kZeroCopy:
      return PJRT_HostBufferSemantics_kImmutableZeroCopy;
    case HostUse::kMutableZeroCopy:
      break;
  }
  return PJRT_HostBufferSemantics_kMutableZeroCopy;
}

// What a plugin holds of our host memory until it says that it is done with it.
struct HeldMemory {
  std::shared_ptr<Plugin> plugin;
  std::shared_ptr<void> owner;
};

void release(PJRT_Error* error, void* held) {
  std::unique_ptr<HeldMemory> memory(static_cast<HeldMemory*>(held));
  memory->plugin->ignore(error);
}

// Keeps the owner until the event, which may come after the buffer is gone: work that reads the
// memory can still be running then.
void hold_until(const std::shared_ptr<Plugin>& plugin, PJRT_Event* event,
                std::shared_ptr<void> owner) {
  auto held = std::make_unique<HeldMemory>(HeldMemory{plugin, std::move(owner)});
  XYLEM_PJRT_ARGS(PJRT_Event_OnReady_Args, args);
  args.event = event;
  args.callback = release;
  args.user_arg = held.get();
  plugin->check(plugin->api()->PJRT_Event_OnReady(&args), "cannot wait for an upload");
  held.release();  // the callback's now
}

}  // namespace

std::shared_ptr<Buffer> Client::from_host(const void* data, DType dtype,
                                          std::span<const int64_t> dims, int device, HostUse use,
                                          std::shared_ptr<void> owner) {
  if (device < 0 || device >= num_addressable_devices()) {
    fail(ErrorCode::kInvalidArgument, "cannot upload to device {}: this client has {} devices",
         device, num_addressable_devices());
  }
  if (use != HostUse::kCopyNow && owner == nullptr) {
    fail(ErrorCode::kInvalidArgument, "cannot upload without a copy: the memory has no owner");
  }
  std::vector<int64_t> strides = row_major_strides(dtype, dims);
  XYLEM_PJRT_ARGS(PJRT_Client_BufferFromHostBuffer_Args, args);
  args.client = client_;
  args.data = data;
  args.type = to_pjrt(dtype);
  args.dims = dims.data();
  args.num_dims = dims.size();
  // Left out, "dense" is meant; but int4 uploads fail without them (openxla/xla#16795).
  args.byte_strides = strides.data();
  args.num_byte_strides = strides.size();
  args.host_buffer_semantics = semantics(use);
  args.device = addressable_[static_cast<size_t>(device)];
  plugin_->check(plugin_->api()->PJRT_Client_BufferFromHostBuffer(&args), "cannot upload an array");
  Future done(plugin_, args.done_with_host_buffer);
  auto buffer = std::make_shared<Buffer>(shared_from_this(), args.buffer);
  if (use != HostUse::kCopyNow) {
    if (args.done_with_host_buffer == nullptr)
      buffer->owner_ = std::move(owner);
    else
      hold_until(plugin_, args.done_with_host_buffer, std::move(owner));
  }
  return buffer;
}

}  // namespace xylem::runtime
