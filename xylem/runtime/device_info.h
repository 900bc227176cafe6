// Inside the runtime layer: reading device descriptions, of clients and of topologies.
#pragma once

#include <pjrt_c_api.h>

#include "xylem/runtime/client.h"

namespace xylem::runtime {

int64_t device_id(const Plugin& plugin, PJRT_DeviceDescription* description);
// Everything but memories and addressability, which only a device that is here has.
DeviceInfo describe_device(const Plugin& plugin, PJRT_DeviceDescription* description);

}  // namespace xylem::runtime
