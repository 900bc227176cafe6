#include "xylem/kernels/cpu/norm.h"

#include "xylem/kernels/cpu/norm_isa.h"

namespace xylem::kernels {

void rms_norm(int64_t m, int64_t n, const float* x, const float* weight, float eps, float* y,
              ThreadPool& pool) {
  auto* row = XYLEM_DISPATCH(rms_norm_row);
  constexpr int64_t kGrain = 16;  // rows: below it, waking a thread costs more than the work
  pool.parallel_for(m, kGrain, [&](int64_t begin, int64_t end, int) {
    for (int64_t r = begin; r < end; ++r) row(n, x + r * n, weight, eps, y + r * n);
  });
}

}  // namespace xylem::kernels
