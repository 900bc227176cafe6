// What a compilation is told besides the program; serialised as XLA's CompileOptionsProto.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace xylem::runtime {

struct CompileOptions {
  int num_replicas = 1;
  int num_partitions = 1;  // above 1: SPMD with the Shardy partitioner
  // Global device id of each partition; empty means 0..num_partitions-1.
  std::vector<int64_t> device_ids;
  // XLA flags for this compilation alone, for example {"xla_cpu_enable_fast_math", false}.
  std::map<std::string, std::variant<std::string, bool, int64_t, double>> flags;

  // The CompileOptionsProto bytes. The same options give the same bytes.
  std::string serialize() const;
};

}  // namespace xylem::runtime
