#include "xylem/runtime/buffer.h"

#include "xylem/base/error.h"
#include "xylem/runtime/client.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/pjrt_dtype.h"

namespace xylem::runtime {
namespace {

// Plugins unpack int4 to one value a byte without extending its sign.
void extend_sign(void* values, int64_t n) {
  auto* bytes = static_cast<int8_t*>(values);
  for (int64_t i = 0; i < n; ++i) bytes[i] = static_cast<int8_t>(((bytes[i] & 15) ^ 8) - 8);
}

}  // namespace

Buffer::Buffer(std::shared_ptr<Client> client, PJRT_Buffer* buffer, std::shared_ptr<void> owner)
    : client_(std::move(client)), buffer_(buffer), owner_(std::move(owner)) {}

Buffer::~Buffer() {
  if (Plugin::leave_to_exit(buffer_)) return;
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_Destroy_Args, args);
  args.buffer = buffer_;
  plugin.ignore(plugin.api()->PJRT_Buffer_Destroy(&args));
}

const Buffer::Shape& Buffer::shape() const {
  std::call_once(shape_.once, [this] {
    const Plugin& plugin = *client_->plugin();
    XYLEM_PJRT_ARGS(PJRT_Buffer_ElementType_Args, type);
    type.buffer = buffer_;
    plugin.check(plugin.api()->PJRT_Buffer_ElementType(&type), "cannot read a buffer's type");
    XYLEM_PJRT_ARGS(PJRT_Buffer_Dimensions_Args, dims);
    dims.buffer = buffer_;
    plugin.check(plugin.api()->PJRT_Buffer_Dimensions(&dims), "cannot read a buffer's shape");
    shape_.dtype = from_pjrt(raw_enum(type.type));
    shape_.dims.assign(dims.dims, dims.dims + dims.num_dims);
  });
  return shape_;
}

DType Buffer::dtype() const { return shape().dtype; }

const std::vector<int64_t>& Buffer::dims() const { return shape().dims; }

int64_t Buffer::size() const {
  int64_t n = 1;
  for (int64_t dim : dims()) n *= dim;
  return n;
}

int64_t Buffer::host_size() const { return host_bytes(dtype(), size()); }

int64_t Buffer::device_size() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_OnDeviceSizeInBytes_Args, args);
  args.buffer = buffer_;
  plugin.check(plugin.api()->PJRT_Buffer_OnDeviceSizeInBytes(&args), "cannot read a buffer's size");
  return static_cast<int64_t>(args.on_device_size_in_bytes);
}

void Buffer::copy_to_host(void* dst) const { copy_to_host_async(dst).wait(); }

Future Buffer::copy_to_host_async(void* dst) const {
  const Plugin& plugin = *client_->plugin();
  // Row-major whatever the device's own layout is.
  std::vector<int64_t> minor_to_major(dims().size());
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    minor_to_major[i] = static_cast<int64_t>(minor_to_major.size() - 1 - i);
  }
  XYLEM_PJRT_ARGS(PJRT_Buffer_MemoryLayout, layout);
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = minor_to_major.data();
  layout.tiled.minor_to_major_size = minor_to_major.size();
  XYLEM_PJRT_ARGS(PJRT_Buffer_ToHostBuffer_Args, args);
  args.src = buffer_;
  args.host_layout = &layout;
  args.dst = dst;
  args.dst_size = static_cast<size_t>(host_size());
  plugin.check(plugin.api()->PJRT_Buffer_ToHostBuffer(&args), "cannot copy a buffer to the host");
  Future done(client_->plugin(), args.event);
  if (dtype() != DType::kS4) return done;
  done.wait();
  extend_sign(dst, size());
  return Future();
}

Future Buffer::ready() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_ReadyEvent_Args, args);
  args.buffer = buffer_;
  plugin.check(plugin.api()->PJRT_Buffer_ReadyEvent(&args), "cannot wait for a buffer");
  return Future(client_->plugin(), args.event);
}

const void* Buffer::unsafe_pointer() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_UnsafePointer_Args, args);
  args.buffer = buffer_;
  plugin.check(plugin.api()->PJRT_Buffer_UnsafePointer(&args), "cannot read a buffer's address");
  return reinterpret_cast<const void*>(args.buffer_pointer);
}

std::string Buffer::memory_kind() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_Memory_Args, args);
  args.buffer = buffer_;
  plugin.check(plugin.api()->PJRT_Buffer_Memory(&args), "cannot read a buffer's memory");
  XYLEM_PJRT_ARGS(PJRT_Memory_Kind_Args, kind);
  kind.memory = args.memory;
  plugin.check(plugin.api()->PJRT_Memory_Kind(&kind), "cannot read a memory's kind");
  return std::string(kind.kind, kind.kind_size);
}

bool Buffer::is_deleted() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Buffer_IsDeleted_Args, args);
  args.buffer = buffer_;
  plugin.check(plugin.api()->PJRT_Buffer_IsDeleted(&args), "cannot ask for a buffer's state");
  return args.is_deleted;
}

}  // namespace xylem::runtime
