// Running graphs: the compile cache in memory, and the placement of arguments.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "xylem/core/emitter.h"
#include "xylem/runtime/executable.h"

namespace xylem {

// Where programs of this process run: the default client's platform, native kernels unless
// XYLEM_KERNELS=reference.
LowerOptions default_lower_options();

// The executable of a program: compiled once a process for each text (and once a machine, through
// the compile cache on disk).
std::shared_ptr<runtime::Executable> compile_program(const std::string& text,
                                                     int64_t num_partitions);

// Uploads what is on the host only, copies what lies on other devices than the program wants, and
// gives the buffers per device: [device][argument].
std::vector<runtime::Buffers> place_arguments(std::span<const Array> arguments,
                                              int64_t num_partitions);

// Arrays over the results [device][output] of a program.
std::vector<Array> wrap_results(std::vector<runtime::Buffers> results,
                                const std::vector<Aval>& avals);

}  // namespace xylem
