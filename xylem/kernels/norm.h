// RMS normalisation as array operations, fused with the residual addition on the CPU.
#pragma once

#include "xylem/core/array.h"

namespace xylem::kernels {

// x rsqrt(mean(x²) + eps) weight, over the last axis; x [m, n] f32, weight [n] f32.
Array rms_norm(const Array& x, const Array& weight, float eps, Loc loc = Loc::current());

void register_norm_handlers();

}  // namespace xylem::kernels
