#include "xylem/runtime/compile_options.h"

#include <type_traits>

#include "compile_options.pb.h"
#include "xylem/base/error.h"

namespace xylem::runtime {
namespace {

void set_flag(OptionOverride& out, const std::variant<std::string, bool, int64_t, double>& flag) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::string>) out.set_string_field(value);
        if constexpr (std::is_same_v<T, bool>) out.set_bool_field(value);
        if constexpr (std::is_same_v<T, int64_t>) out.set_int_field(value);
        if constexpr (std::is_same_v<T, double>) out.set_double_field(value);
      },
      flag);
}

}  // namespace

std::string CompileOptions::serialize() const {
  if (num_replicas < 1 || num_partitions < 1) {
    fail(ErrorCode::kInvalidArgument,
         "compile options ask for {} replicas and {} partitions, expected at least one of each",
         num_replicas, num_partitions);
  }
  size_t wanted = static_cast<size_t>(num_replicas) * static_cast<size_t>(num_partitions);
  if (!device_ids.empty() && device_ids.size() != wanted) {
    fail(ErrorCode::kInvalidArgument,
         "compile options name {} devices, expected {} ({} replicas of {} partitions)",
         device_ids.size(), wanted, num_replicas, num_partitions);
  }
  CompileOptionsMessage message;
  ExecutableBuildOptions& build = *message.mutable_executable_build_options();
  build.set_num_replicas(num_replicas);
  build.set_num_partitions(num_partitions);
  build.set_use_spmd_partitioning(num_partitions > 1);
  build.set_use_shardy_partitioner(true);
  DeviceAssignment& assignment = *build.mutable_device_assignment();
  assignment.set_replica_count(num_replicas);
  assignment.set_computation_count(num_partitions);
  for (int partition = 0; partition < num_partitions; ++partition) {
    DeviceAssignment::Partition& devices = *assignment.add_computation_devices();
    for (int replica = 0; replica < num_replicas; ++replica) {
      int index = replica * num_partitions + partition;
      devices.add_replica_device_ids(device_ids.empty() ? index
                                                        : device_ids[static_cast<size_t>(index)]);
    }
  }
  for (const auto& [name, value] : flags) {
    OptionOverrideEntry& entry = *message.add_env_option_overrides();
    entry.set_key(name);
    set_flag(*entry.mutable_value(), value);
  }
  return message.SerializeAsString();
}

}  // namespace xylem::runtime
