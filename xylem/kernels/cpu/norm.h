// RMS normalisation on the CPU.
#pragma once

#include <cstdint>

#include "xylem/base/thread_pool.h"

namespace xylem::kernels {

// y[r] = x[r] rsqrt(mean(x[r]²) + eps) weight for each of m rows of n; y may be x. A row's result
// depends on nothing but the row and the level.
void rms_norm(int64_t m, int64_t n, const float* x, const float* weight, float eps, float* y,
              ThreadPool& pool);

}  // namespace xylem::kernels
