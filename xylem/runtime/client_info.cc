// What a client tells about its plugin's devices.
#include "xylem/runtime/client.h"
#include "xylem/runtime/device_info.h"
#include "xylem/runtime/pjrt_api.h"

namespace xylem::runtime {
namespace {

PJRT_DeviceDescription* description_of(const Plugin& plugin, PJRT_Device* device) {
  XYLEM_PJRT_ARGS(PJRT_Device_GetDescription_Args, args);
  args.device = device;
  plugin.check(plugin.api()->PJRT_Device_GetDescription(&args), "cannot describe a device");
  return args.device_description;
}

MemoryInfo memory_info(const Plugin& plugin, PJRT_Memory* memory) {
  XYLEM_PJRT_ARGS(PJRT_Memory_Kind_Args, args);
  args.memory = memory;
  plugin.check(plugin.api()->PJRT_Memory_Kind(&args), "cannot describe a memory");
  MemoryInfo info;
  info.kind = std::string(args.kind, args.kind_size);
  return info;
}

// Use and limit of the device's default memory, where the plugin counts them (CPUs do not).
void read_usage(const Plugin& plugin, PJRT_Device* device, MemoryInfo* info) {
  XYLEM_PJRT_ARGS(PJRT_Device_MemoryStats_Args, args);
  args.device = device;
  if (PJRT_Error* error = plugin.api()->PJRT_Device_MemoryStats(&args)) {
    plugin.ignore(error);
    return;
  }
  info->bytes_in_use = args.bytes_in_use;
  if (args.bytes_limit_is_set) info->bytes_limit = args.bytes_limit;
}

std::vector<MemoryInfo> memories_of(const Plugin& plugin, PJRT_Device* device) {
  XYLEM_PJRT_ARGS(PJRT_Device_DefaultMemory_Args, main);
  main.device = device;
  plugin.check(plugin.api()->PJRT_Device_DefaultMemory(&main), "cannot find a device's memory");
  XYLEM_PJRT_ARGS(PJRT_Device_AddressableMemories_Args, all);
  all.device = device;
  plugin.check(plugin.api()->PJRT_Device_AddressableMemories(&all),
               "cannot list a device's memories");
  std::vector<MemoryInfo> memories;
  for (size_t i = 0; i < all.num_memories; ++i) {
    MemoryInfo info = memory_info(plugin, all.memories[i]);
    bool is_default = all.memories[i] == main.memory;
    if (is_default) read_usage(plugin, device, &info);
    memories.insert(is_default ? memories.begin() : memories.end(), std::move(info));
  }
  return memories;
}

}  // namespace

int64_t device_id(const Plugin& plugin, PJRT_DeviceDescription* description) {
  XYLEM_PJRT_ARGS(PJRT_DeviceDescription_Id_Args, args);
  args.device_description = description;
  plugin.check(plugin.api()->PJRT_DeviceDescription_Id(&args), "cannot read a device's id");
  return args.id;
}

DeviceInfo describe_device(const Plugin& plugin, PJRT_DeviceDescription* description) {
  DeviceInfo info;
  info.id = device_id(plugin, description);
  XYLEM_PJRT_ARGS(PJRT_DeviceDescription_Kind_Args, kind);
  kind.device_description = description;
  plugin.check(plugin.api()->PJRT_DeviceDescription_Kind(&kind), "cannot describe a device");
  info.kind = std::string(kind.device_kind, kind.device_kind_size);
  XYLEM_PJRT_ARGS(PJRT_DeviceDescription_ToString_Args, text);
  text.device_description = description;
  plugin.check(plugin.api()->PJRT_DeviceDescription_ToString(&text), "cannot describe a device");
  info.description = std::string(text.to_string, text.to_string_size);
  XYLEM_PJRT_ARGS(PJRT_DeviceDescription_Attributes_Args, attributes);
  attributes.device_description = description;
  plugin.check(plugin.api()->PJRT_DeviceDescription_Attributes(&attributes),
               "cannot describe a device");
  info.attributes = read_named_values(attributes.attributes, attributes.num_attributes);
  return info;
}

void Client::list_devices() {
  XYLEM_PJRT_ARGS(PJRT_Client_AddressableDevices_Args, args);
  args.client = client_;
  plugin_->check(plugin_->api()->PJRT_Client_AddressableDevices(&args), "cannot list the devices");
  addressable_.assign(args.addressable_devices,
                      args.addressable_devices + args.num_addressable_devices);
  for (PJRT_Device* device : addressable_) {
    addressable_ids_.push_back(device_id(*plugin_, description_of(*plugin_, device)));
  }
}

std::string Client::platform_name() const {
  XYLEM_PJRT_ARGS(PJRT_Client_PlatformName_Args, args);
  args.client = client_;
  plugin_->check(plugin_->api()->PJRT_Client_PlatformName(&args), "cannot read the platform");
  return std::string(args.platform_name, args.platform_name_size);
}

std::string Client::platform_version() const {
  XYLEM_PJRT_ARGS(PJRT_Client_PlatformVersion_Args, args);
  args.client = client_;
  plugin_->check(plugin_->api()->PJRT_Client_PlatformVersion(&args),
                 "cannot read the platform's version");
  return std::string(args.platform_version, args.platform_version_size);
}

std::vector<DeviceInfo> Client::devices() const {
  XYLEM_PJRT_ARGS(PJRT_Client_Devices_Args, args);
  args.client = client_;
  plugin_->check(plugin_->api()->PJRT_Client_Devices(&args), "cannot list the devices");
  std::vector<DeviceInfo> devices;
  for (size_t i = 0; i < args.num_devices; ++i) {
    PJRT_Device* device = args.devices[i];
    DeviceInfo info = describe_device(*plugin_, description_of(*plugin_, device));
    XYLEM_PJRT_ARGS(PJRT_Device_IsAddressable_Args, addressable);
    addressable.device = device;
    plugin_->check(plugin_->api()->PJRT_Device_IsAddressable(&addressable),
                   "cannot describe a device");
    info.addressable = addressable.is_addressable;
    if (info.addressable) info.memories = memories_of(*plugin_, device);
    devices.push_back(std::move(info));
  }
  return devices;
}

}  // namespace xylem::runtime
