// The per-level code of norm.h.
#pragma once

#include <cstdint>

#include "xylem/kernels/cpu/dispatch.h"

namespace xylem::kernels {

XYLEM_FOR_EACH_ISA(void rms_norm_row(int64_t n, const float* x, const float* weight, float eps,
                                     float* y);)

}  // namespace xylem::kernels
