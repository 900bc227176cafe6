// Moving array values between the host and the devices of a mesh.
#pragma once

#include <memory>

#include "xylem/core/array.h"
#include "xylem/runtime/executable.h"

namespace xylem {

// Host memory behind an array that was not uploaded yet.
struct HostData {
  const void* data;
  std::shared_ptr<void> owner;
};

// Copies an evaluated array, gathering the parts of a sharded one, to row-major host memory.
void gather_to_host(const Array& array, void* dst);
// Uploads a host array behind a kHostOp node to device 0 and turns it into a buffer node.
void upload(Node& node);
// Uploads (through the host) each device's part of the array; an unset sharding means device 0.
runtime::Buffers place_on_devices(const Array& array, const Sharding& sharding);
// One whole copy on each of `devices` devices.
runtime::Buffers replicate(const Array& array, int64_t devices);

}  // namespace xylem
