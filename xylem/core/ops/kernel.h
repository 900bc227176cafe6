// Kernels: fused operations with a native implementation for some platforms and a reference
// composition in array code for all others.
#pragma once

#include <utility>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/attrs.h"

namespace xylem {

struct KernelDef {
  // Name of the kernel and of its custom-call target.
  const char* name;
  // Shapes and dtypes of the results; throws on inputs that do not fit.
  std::vector<Aval> (*infer)(const std::vector<Array>& inputs, const Attrs& attrs, Loc loc);
  // The same results in array code.
  std::vector<Array> (*reference)(const std::vector<Array>& inputs, const Attrs& attrs);
  // Results that are written into an input's memory: {result, input}.
  std::vector<std::pair<int, int>> aliases = {};
  // True when the CPU has a handler registered under `name`.
  bool native_cpu = true;
};

// Calls the kernel: a custom call where it is native, else a private function of the composition.
// `def` must live for ever (a constant). Attributes reach the handler as i64, f32, bool, string
// and dense i64 arrays.
std::vector<Array> call_kernel(const KernelDef& def, std::vector<Array> inputs, Attrs attrs = {},
                               Loc loc = Loc::current());

}  // namespace xylem
