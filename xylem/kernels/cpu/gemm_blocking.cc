#include "xylem/kernels/cpu/gemm_blocking.h"

#include <unistd.h>

#include <algorithm>

namespace xylem::kernels {
namespace {

int64_t l2_bytes() {
  static const int64_t kBytes = [] {
    const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<int64_t>(bytes) : int64_t{512} << 10;
  }();
  return kBytes;
}

// About equal parts of `total`, each at most `most` and a multiple of kStep.
int64_t even_part(int64_t total, int64_t most) {
  const int64_t parts = std::max<int64_t>(1, divide_up(total, most));
  return std::max<int64_t>(kStep, round_up(divide_up(total, parts), kStep));
}

}  // namespace

Blocking::Blocking(int64_t m, int64_t n, int64_t k, bool tiles, int threads) {
  const bool narrow = cpu_level() == CpuLevel::kAvx2;
  sliver_rows = tiles ? 2 * kTileRows : narrow ? 6 : 14;
  element = tiles ? 2 : 4;
  depth = tiles ? round_up(k, kStep) : k;
  // Pack functions write whole vectors past a sliver of f32.
  sliver_elements = round_up(depth * sliver_rows + 16, 32);
  k_block = even_part(depth, tiles ? 576 : narrow ? 256 : 512);
  k_blocks = std::max<int64_t>(1, divide_up(depth, k_block));

  const int64_t row_bytes = std::max<int64_t>(1, depth * element);
  constexpr int64_t kPackedLimit = int64_t{16} << 20;
  chunk_rows = std::max<int64_t>(512, kPackedLimit / row_bytes);

  const int64_t resident = l2_bytes() / 2;
  const int64_t columns = divide_up(n, kTileColumns);
  few_rows = m <= std::clamp<int64_t>(resident / row_bytes, 128, 512);
  if (few_rows) {
    outer_blocks = k_blocks;
    range_rows = m;
    range_tiles = std::clamp<int64_t>(divide_up(columns, int64_t{4} * threads), 1, 4);
    return;
  }
  // A range wide enough that A need not come from L3 faster than it can.
  const int64_t width = (tiles ? 256 : 64) / kTileColumns;
  outer_blocks = std::max<int64_t>(1, resident / (width * kTileColumns * element) / k_block);
  const int64_t part = std::min(depth, outer_blocks * k_block) * element;
  const int64_t most = std::max<int64_t>(width, resident / (part * kTileColumns));
  range_tiles = std::clamp(divide_up(columns, threads), std::min(columns, width), most);
  // As many ranges as keep all threads busy: even ones, or, where columns are few, parts of rows.
  const int64_t ranges = round_up(divide_up(columns, range_tiles), threads);
  if (divide_up(columns, ranges) >= width) range_tiles = divide_up(columns, ranges);
  const int64_t row_parts = divide_up(threads, divide_up(columns, range_tiles));
  range_rows = std::max<int64_t>(128, divide_up(std::min(m, chunk_rows), row_parts));
  if (outer_blocks < k_blocks) range_rows = std::min<int64_t>(range_rows, 1024);
}

}  // namespace xylem::kernels
