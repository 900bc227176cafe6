#include "xylem/kernels/cpu/quant_matmul.h"

#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_isa.h"
#include "xylem/kernels/cpu/quant_layout.h"
#include "xylem/kernels/cpu/quant_pack.h"
#include "xylem/kernels/cpu/scratch.h"

namespace xylem::kernels {
namespace {

// Below this many values, rounding activations costs less than waking the other threads.
constexpr int64_t kParallelRounding = 8192;

// Blocks that the AMX kernel may read, but does not use, beyond the last one.
constexpr int64_t kPadding = 16;

const ActBlock* round_activations(const QuantCall& call, ThreadPool& pool) {
  const int64_t bytes = (call.m * (call.k / 32) + kPadding) * int64_t{sizeof(ActBlock)};
  auto* acts = reinterpret_cast<ActBlock*>(scratch(Scratch::kRows, bytes));
  const QuantFormat format = quant_format(call.type);
  auto* round = XYLEM_DISPATCH(quant_activations);
  const int64_t grain = call.m * call.k < kParallelRounding ? call.m : 1;
  pool.parallel_for(call.m, grain, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) {
      round(call.x + i * call.k, call.k, format.sub, format.mins, format.offset, acts + i, call.m);
    }
  });
  return acts;
}

void check(BlockType type, int64_t n, int64_t m, const MatmulOptions& options) {
  if (m < 0 || n < 0 || (options.epilogue == Epilogue::kSiluMul && n % (2 * kGroupRows) != 0)) {
    fail(ErrorCode::kInvalidArgument,
         "[quant_matmul] {} rows of x and {} rows of {} weights, expected 0 or more, and weight "
         "rows in multiples of 32 for silu(gate) * up",
         m, n, block_info(type).name);
  }
}

}  // namespace

void quant_matmul(BlockType type, int64_t n, int64_t k, const void* packed, const float* x,
                  int64_t m, float* y, ThreadPool& pool, const MatmulOptions& options) {
  check(type, n, m, options);
  const bool silu_mul = options.epilogue == Epilogue::kSiluMul;
  QuantCall call{.type = type,
                 .layout = quant_layout(type, k),
                 .packed = static_cast<const uint8_t*>(packed),
                 .acts = nullptr,
                 .x = x,
                 .m = m,
                 .n = n,
                 .k = k,
                 .y = y,
                 .add = options.add,
                 .ldy = silu_mul ? n / 2 : n,
                 .silu_mul = silu_mul};
  const int64_t groups = (n + kGroupRows - 1) / kGroupRows;
  const int64_t units = silu_mul ? groups / 2 : groups;
  if (m == 0 || units == 0) return;
  const bool int8 = options.precision == Precision::kFast && block_info(type).quantised;
  if (int8) call.acts = round_activations(call, pool);
  auto* run = int8 ? XYLEM_DISPATCH(quant_units_int8) : XYLEM_DISPATCH(quant_units_f32);
  const int64_t grain = std::max<int64_t>(1, units / (4 * pool.size()));
  pool.parallel_for(units, pool.size() == 1 ? units : grain,
                    [&](int64_t begin, int64_t end, int) { run(call, begin, end); });
}

}  // namespace xylem::kernels
