// Inside the runtime layer: which arguments a program takes over.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace xylem::runtime {

// Indices of the arguments of @main that carry tf.aliasing_output or jax.buffer_donor in StableHLO
// text, in order. Text without a readable @main gives none: the compiler will say what is wrong.
std::vector<int64_t> donated_arguments(const std::string& stablehlo);

}  // namespace xylem::runtime
