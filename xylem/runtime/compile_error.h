// Inside the runtime layer: handing StableHLO text to a compiler, and showing the lines that its
// complaints point at.
#pragma once

#include <pjrt_c_api.h>

#include <string>

#include "xylem/runtime/plugin.h"

namespace xylem::runtime {

// Points the program at the text, which must outlive it.
void set_stablehlo(const std::string& stablehlo, PJRT_Program* program);

// Throws when the compilation failed: the compiler's message and, after it, those lines of the
// program that the message names as line:column (the first few).
void check_compile(const Plugin& plugin, PJRT_Error* error, const std::string& stablehlo);

}  // namespace xylem::runtime
