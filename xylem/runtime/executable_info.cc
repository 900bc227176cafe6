// What an executable tells about itself: statistics, bytes, the optimised program.
#include <cstddef>

#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/runtime/client.h"
#include "xylem/runtime/executable.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/serialized.h"

namespace xylem::runtime {
namespace {

// True when the call worked; a plugin that cannot tell is not an error.
bool told(const Plugin& plugin, PJRT_Error* error) {
  if (error == nullptr) return true;
  plugin.ignore(error);
  return false;
}

double cost(const NamedValues& costs, const char* name) {
  auto found = costs.find(name);
  if (found == costs.end()) return -1;
  if (const float* value = std::get_if<float>(&found->second)) return *value;
  if (const int64_t* value = std::get_if<int64_t>(&found->second)) {
    return static_cast<double>(*value);
  }
  return -1;
}

}  // namespace

MemoryStats read_memory_stats(const Plugin& plugin, PJRT_Executable* executable) {
  MemoryStats stats;
  if (!XYLEM_PJRT_HAS(plugin, PJRT_Executable_GetCompiledMemoryStats)) return stats;
  XYLEM_PJRT_ARGS(PJRT_Executable_GetCompiledMemoryStats_Args, args);
  args.executable = executable;
  args.peak_memory_in_bytes = -1;  // older plugins do not fill it in
  if (!told(plugin, plugin.api()->PJRT_Executable_GetCompiledMemoryStats(&args))) return stats;
  stats.arguments = args.argument_size_in_bytes;
  stats.outputs = args.output_size_in_bytes;
  stats.aliased = args.alias_size_in_bytes;
  stats.temporaries = args.temp_size_in_bytes;
  stats.code = args.generated_code_size_in_bytes;
  stats.peak = args.peak_memory_in_bytes;
  return stats;
}

CostStats read_cost_stats(const Plugin& plugin, PJRT_Executable* executable) {
  CostStats stats;
  XYLEM_PJRT_ARGS(PJRT_Executable_GetCostAnalysis_Args, args);
  args.executable = executable;
  if (!told(plugin, plugin.api()->PJRT_Executable_GetCostAnalysis(&args))) return stats;
  NamedValues costs = read_named_values(args.properties, args.num_properties);
  stats.flops = cost(costs, "flops");
  stats.bytes_accessed = cost(costs, "bytes accessed");
  // Negative where the compiler has no estimate.
  stats.optimal_seconds = cost(costs, "optimal_seconds");
  return stats;
}

MemoryStats Executable::memory_stats() const {
  return read_memory_stats(*client_->plugin(), executable_);
}

CostStats Executable::cost_stats() const {
  return read_cost_stats(*client_->plugin(), executable_);
}

std::string Executable::serialize() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Executable_Serialize_Args, args);
  args.executable = executable_;
  plugin.check(plugin.api()->PJRT_Executable_Serialize(&args), "cannot serialise the program");
  std::string bytes = join_serialized(
      donated_, std::string_view(args.serialized_bytes, args.serialized_bytes_size));
  args.serialized_executable_deleter(args.serialized_executable);
  return bytes;
}

std::string Executable::optimized_program() const {
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Program, program);
  XYLEM_PJRT_ARGS(PJRT_Executable_OptimizedProgram_Args, args);
  args.executable = executable_;
  args.program = &program;
  plugin.check(plugin.api()->PJRT_Executable_OptimizedProgram(&args),
               "cannot read the optimised program");
  std::string code(program.code_size, '\0');
  program.code = code.data();
  plugin.check(plugin.api()->PJRT_Executable_OptimizedProgram(&args),
               "cannot read the optimised program");
  return code;
}

std::string Executable::fingerprint() const {
  const Plugin& plugin = *client_->plugin();
  if (!XYLEM_PJRT_HAS(plugin, PJRT_Executable_Fingerprint)) return "";
  XYLEM_PJRT_ARGS(PJRT_Executable_Fingerprint_Args, args);
  args.executable = executable_;
  if (!told(plugin, plugin.api()->PJRT_Executable_Fingerprint(&args))) return "";
  return std::string(args.executable_fingerprint, args.executable_fingerprint_size);
}

}  // namespace xylem::runtime
