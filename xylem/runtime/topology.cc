#include "xylem/runtime/topology.h"

#include <chrono>

#include "xylem/base/error.h"
#include "xylem/runtime/compile_error.h"
#include "xylem/runtime/device_info.h"
#include "xylem/runtime/pjrt_api.h"

namespace xylem::runtime {

std::shared_ptr<Topology> Topology::create(std::shared_ptr<Plugin> plugin,
                                           const std::string& name) {
  std::shared_ptr<Topology> topology(new Topology);
  topology->plugin_ = std::move(plugin);
  const Plugin& api = *topology->plugin_;
  XYLEM_PJRT_ARGS(PJRT_TopologyDescription_Create_Args, args);
  args.topology_name = name.data();
  args.topology_name_size = name.size();
  std::string action = fmt::format(
      "cannot describe the topology \"{}\" (expected a form like v6e:2x4 or v5p:4x4x4)", name);
  api.check(api.api()->PJRT_TopologyDescription_Create(&args), action.c_str());
  topology->handle_ = args.topology;
  XYLEM_PJRT_ARGS(PJRT_TopologyDescription_PlatformName_Args, platform);
  platform.topology = topology->handle_;
  api.check(api.api()->PJRT_TopologyDescription_PlatformName(&platform),
            "cannot read a topology's platform");
  topology->platform_name_ = std::string(platform.platform_name, platform.platform_name_size);
  XYLEM_PJRT_ARGS(PJRT_TopologyDescription_GetDeviceDescriptions_Args, devices);
  devices.topology = topology->handle_;
  api.check(api.api()->PJRT_TopologyDescription_GetDeviceDescriptions(&devices),
            "cannot list a topology's devices");
  for (size_t i = 0; i < devices.num_descriptions; ++i) {
    topology->device_ids_.push_back(device_id(api, devices.descriptions[i]));
  }
  return topology;
}

Topology::~Topology() {
  if (handle_ == nullptr || Plugin::leave_to_exit(handle_)) return;
  XYLEM_PJRT_ARGS(PJRT_TopologyDescription_Destroy_Args, args);
  args.topology = handle_;
  plugin_->ignore(plugin_->api()->PJRT_TopologyDescription_Destroy(&args));
}

AotResult Topology::compile(const std::string& stablehlo, const CompileOptions& options) const {
  CompileOptions placed = options;
  if (placed.device_ids.empty()) {
    int64_t wanted = int64_t{options.num_replicas} * options.num_partitions;
    if (wanted < 1 || wanted > static_cast<int64_t>(device_ids_.size())) {
      fail(ErrorCode::kInvalidArgument, "the program needs {} devices, the topology has {}", wanted,
           device_ids_.size());
    }
    placed.device_ids.assign(device_ids_.begin(),
                             device_ids_.begin() + static_cast<ptrdiff_t>(wanted));
  }
  std::string serialized = placed.serialize();
  XYLEM_PJRT_ARGS(PJRT_Program, program);
  set_stablehlo(stablehlo, &program);
  XYLEM_PJRT_ARGS(PJRT_Compile_Args, args);
  args.topology = handle_;
  args.program = &program;
  args.compile_options = serialized.data();
  args.compile_options_size = serialized.size();
  auto start = std::chrono::steady_clock::now();
  PJRT_Error* error = plugin_->api()->PJRT_Compile(&args);
  std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  check_compile(*plugin_, error, stablehlo);
  AotResult result;
  result.compile_seconds = seconds.count();
  result.memory = read_memory_stats(*plugin_, args.executable);
  result.cost = read_cost_stats(*plugin_, args.executable);
  XYLEM_PJRT_ARGS(PJRT_Executable_Destroy_Args, destroy);
  destroy.executable = args.executable;
  plugin_->ignore(plugin_->api()->PJRT_Executable_Destroy(&destroy));
  return result;
}

}  // namespace xylem::runtime
