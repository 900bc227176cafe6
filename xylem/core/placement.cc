#include "xylem/core/placement.h"

#include <cstring>
#include <vector>

#include "xylem/core/node.h"
#include "xylem/runtime/client.h"

namespace xylem {
namespace {

// Copies the block of `part` shape at `origin` between a whole row-major array and a dense part.
void copy_block(char* whole, const Shape& shape, char* part, const Shape& part_shape,
                const std::vector<int64_t>& origin, size_t item, bool to_part) {
  size_t ndim = shape.size();
  if (ndim == 0) {
    std::memcpy(to_part ? part : whole, to_part ? whole : part, item);
    return;
  }
  size_t run = static_cast<size_t>(part_shape[ndim - 1]) * item;
  std::vector<int64_t> index(ndim, 0);
  int64_t rows = part_shape[ndim - 1] == 0 ? 0 : element_count(part_shape) / part_shape[ndim - 1];
  for (int64_t row = 0; row < rows; ++row) {
    int64_t offset = 0;
    for (size_t d = 0; d < ndim; ++d) offset = offset * shape[d] + origin[d] + index[d];
    char* place = whole + static_cast<size_t>(offset) * item;
    std::memcpy(to_part ? part : place, to_part ? place : part, run);
    part += run;
    for (size_t d = ndim - 1; d-- > 0;) {  // next row of the part
      if (++index[d] < part_shape[d]) break;
      index[d] = 0;
    }
  }
}

std::vector<int64_t> part_origin(const Sharding& sharding, const Shape& local, int64_t device) {
  std::vector<int64_t> origin = sharding.part_index(device);
  for (size_t d = 0; d < origin.size(); ++d) origin[d] *= local[d];
  return origin;
}

std::vector<char> host_copy(const Array& array) {
  std::vector<char> whole(static_cast<size_t>(host_bytes(array.dtype(), array.size())));
  array.copy_to(whole.data());
  return whole;
}

}  // namespace

void gather_to_host(const Array& array, void* dst) {
  const runtime::Buffers& parts = array.node()->values[static_cast<size_t>(array.output())];
  const Sharding& sharding = array.sharding();
  if (parts.size() == 1 || !sharding.is_set()) {
    parts[0]->copy_to_host(dst);
    return;
  }
  size_t item = static_cast<size_t>(host_bytes(array.dtype(), 1));
  Shape local = sharding.local_shape(array.shape());
  std::vector<char> part(static_cast<size_t>(host_bytes(array.dtype(), element_count(local))));
  for (size_t device = 0; device < parts.size(); ++device) {
    parts[device]->copy_to_host(part.data());
    copy_block(static_cast<char*>(dst), array.shape(), part.data(), local,
               part_origin(sharding, local, static_cast<int64_t>(device)), item, false);
  }
}

void upload(Node& node) {
  const auto& host = *static_cast<const HostData*>(node.payload.get());
  const Aval& aval = node.outputs[0];
  node.values = {{runtime::default_client()->from_host(host.data, aval.dtype, aval.shape, 0,
                                                       runtime::HostUse::kZeroCopy, host.owner)}};
  node.op = &kBufferOp;
  node.payload.reset();
}

runtime::Buffers place_on_devices(const Array& array, const Sharding& sharding) {
  std::vector<char> whole = host_copy(array);
  std::shared_ptr<runtime::Client> client = runtime::default_client();
  if (!sharding.is_set()) {
    return {client->from_host(whole.data(), array.dtype(), array.shape())};
  }
  if (sharding.mesh->size() > client->num_addressable_devices()) {
    fail(ErrorCode::kFailedPrecondition, "[device_put] {} needs {} devices, this process has {}",
         sharding.mesh->text(), sharding.mesh->size(), client->num_addressable_devices());
  }
  size_t item = static_cast<size_t>(host_bytes(array.dtype(), 1));
  Shape local = sharding.local_shape(array.shape());
  std::vector<char> part(static_cast<size_t>(host_bytes(array.dtype(), element_count(local))));
  runtime::Buffers buffers;
  for (int64_t device = 0; device < sharding.mesh->size(); ++device) {
    copy_block(whole.data(), array.shape(), part.data(), local,
               part_origin(sharding, local, device), item, true);
    buffers.push_back(
        client->from_host(part.data(), array.dtype(), local, static_cast<int>(device)));
  }
  return buffers;
}

runtime::Buffers replicate(const Array& array, int64_t devices) {
  std::vector<char> whole = host_copy(array);
  runtime::Buffers buffers;
  for (int64_t device = 0; device < devices; ++device) {
    buffers.push_back(runtime::default_client()->from_host(
        whole.data(), array.dtype(), array.shape(), static_cast<int>(device)));
  }
  return buffers;
}

}  // namespace xylem
