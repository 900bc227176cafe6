// Inside the runtime layer: what a plugin file is called, and whether its device may be here.
#pragma once

#include <string>

namespace xylem::runtime {

// "cpu" for pjrt_cpu.so and pjrt_cpu_0.81.so, "tpu" for libtpu.so; empty for other names.
std::string plugin_name(const std::string& path);
// False when this machine surely has no such device ("tpu", "cuda"), judged by the driver's files.
bool device_present(const std::string& name);

}  // namespace xylem::runtime
