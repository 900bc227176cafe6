// The table of native kernels.
#pragma once

namespace xylem::kernels {

// Hands every native kernel to the runtime. Call before the first client is made; further calls do
// nothing.
void register_kernels();

}  // namespace xylem::kernels
