// Ahead-of-time compilation for devices that are not here: a topology by name ("v6e:2x4") and
// PJRT_Compile against it (libtpu).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "xylem/runtime/compile_options.h"
#include "xylem/runtime/executable.h"
#include "xylem/runtime/plugin.h"

struct PJRT_TopologyDescription;

namespace xylem::runtime {

// What an ahead-of-time compilation tells.
struct AotResult {
  MemoryStats memory;
  CostStats cost;
  double compile_seconds = 0;
};

class Topology {
 public:
  // Unknown names give the plugin's message and the form expected.
  static std::shared_ptr<Topology> create(std::shared_ptr<Plugin> plugin, const std::string& name);
  ~Topology();

  // Global device ids, in the order that a device assignment wants.
  const std::vector<int64_t>& device_ids() const { return device_ids_; }
  const std::string& platform_name() const { return platform_name_; }

  // Compiles in this process: libtpu may abort on impossible shapes, so callers who must survive
  // run this in a child process.
  AotResult compile(const std::string& stablehlo, const CompileOptions& options) const;

 private:
  Topology() = default;
  std::shared_ptr<Plugin> plugin_;
  PJRT_TopologyDescription* handle_ = nullptr;
  std::vector<int64_t> device_ids_;
  std::string platform_name_;
};

}  // namespace xylem::runtime
