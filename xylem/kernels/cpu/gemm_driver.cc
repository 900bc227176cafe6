#include "xylem/kernels/cpu/gemm_driver.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>

#include "xylem/kernels/cpu/scratch.h"

namespace xylem::kernels {
namespace {

int64_t divide_up(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t round_up(int64_t a, int64_t b) { return divide_up(a, b) * b; }

int64_t l2_bytes() {
  static const int64_t kBytes = [] {
    const long bytes = ::sysconf(_SC_LEVEL2_CACHE_SIZE);
    return bytes > 0 ? static_cast<int64_t>(bytes) : int64_t{512} << 10;
  }();
  return kBytes;
}

constexpr int kTilePanels = 2;  // panels of B in a tile of C
constexpr int64_t kTileColumns = kTilePanels * kPanelColumns;

// Packed operands are shared by the threads; more than this is packed and multiplied in turns.
constexpr int64_t kPackedLimit = int64_t{16} << 20;

// Sizes that follow from the level and the shape. None of them changes a result.
struct Blocking {
  Blocking(const Product& p, int threads) {
    const CpuLevel level = cpu_level();
    sliver_rows = p.tiles ? 2 * kTileRows : level == CpuLevel::kAvx2 ? 6 : 14;
    element = p.tiles ? 2 : 4;
    depth = p.tiles ? round_up(p.k, kStep) : p.k;
    const int64_t most = p.tiles ? 2048 : 256;
    k_blocks = std::max<int64_t>(1, divide_up(depth, most));
    k_block = std::max<int64_t>(kStep, round_up(divide_up(depth, k_blocks), kStep));
    // Pack functions write whole vectors past a sliver of f32.
    sliver_elements = round_up(depth * sliver_rows + 16, 32);
    panel_elements = depth * kPanelColumns;

    block_rows = std::clamp<int64_t>(l2_bytes() / 2 / (k_block * element), 2 * sliver_rows, 512);
    chunk_rows = std::max(block_rows, kPackedLimit / std::max<int64_t>(1, depth * element));
    chunk_tiles = std::max<int64_t>(
        8, kPackedLimit / std::max<int64_t>(1, panel_elements * kTilePanels * element));
    const int64_t tiles = divide_up(p.n, kTileColumns);
    range_tiles =
        k_blocks == 1 ? 4 : std::max<int64_t>(1, l2_bytes() / 4 / (block_rows * 4) / kTileColumns);
    range_tiles = std::clamp<int64_t>(divide_up(tiles, int64_t{4} * threads), 1, range_tiles);
  }

  int sliver_rows;  // most rows of a register tile
  int64_t element;  // bytes of a packed value
  int64_t depth;    // k as packed
  int64_t k_blocks, k_block;
  int64_t sliver_elements;  // from one sliver of A to the next
  int64_t panel_elements;   // from one panel of B to the next
  int64_t block_rows;       // rows of A that stay in L2
  int64_t chunk_rows;       // rows packed at once
  int64_t chunk_tiles;      // register tiles' columns packed at once
  int64_t range_tiles;      // register tiles' columns that a thread takes at once
};

class Multiplication {
 public:
  Multiplication(const Product& product, ThreadPool& pool)
      : p_(product), pool_(pool), b_(product, pool.size()) {}

  void run() {
    for (int64_t row = 0; row < p_.m; row += b_.chunk_rows) {
      row_ = row;
      rows_ = std::min(b_.chunk_rows, p_.m - row);
      slivers_ = divide_up(rows_, b_.sliver_rows);
      pack_rows();
      blocks_ = divide_up(rows_, b_.block_rows);
      const int64_t tiles = divide_up(p_.n, kTileColumns);
      if (blocks_ == 1) {
        // Every panel is used once: whoever multiplies it packs it, into its own cache.
        packed_b_ = nullptr;
        multiply_tiles(0, tiles);
        continue;
      }
      for (int64_t tile = 0; tile < tiles; tile += b_.chunk_tiles) {
        const int64_t end = std::min(tiles, tile + b_.chunk_tiles);
        pack_panels(tile, end);
        multiply_tiles(tile, end);
      }
    }
  }

 private:
  // First row of a sliver within the chunk. f32 slivers are all about as high: no ragged end.
  int64_t sliver_row(int64_t sliver) const {
    return p_.tiles ? std::min(rows_, sliver * b_.sliver_rows) : sliver * rows_ / slivers_;
  }
  char* sliver(int64_t index) const { return packed_a_ + index * b_.sliver_elements * b_.element; }
  int panels_of(int64_t tile) const {
    const int64_t left = divide_up(p_.n, kPanelColumns) - tile * kTilePanels;
    return static_cast<int>(std::min<int64_t>(kTilePanels, left));
  }

  void pack_rows() {
    packed_a_ = scratch(Scratch::kRows, slivers_ * b_.sliver_elements * b_.element);
    const int64_t grain = std::max<int64_t>(1, slivers_ / (8 * pool_.size()));
    pool_.parallel_for(slivers_, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t s = begin; s < end; ++s) {
        const int64_t row = sliver_row(s);
        p_.rows(row_ + row, static_cast<int>(sliver_row(s + 1) - row), sliver(s));
      }
    });
  }

  void pack_panels(int64_t first, int64_t end) {
    const int64_t begin_panel = first * kTilePanels;
    const int64_t count = std::min(end * kTilePanels, divide_up(p_.n, kPanelColumns)) - begin_panel;
    const int64_t bytes = b_.panel_elements * b_.element;
    packed_b_ = scratch(Scratch::kPanels, count * bytes);
    first_panel_ = begin_panel;
    const int64_t grain = std::max<int64_t>(1, count / (8 * pool_.size()));
    pool_.parallel_for(count, grain, [&](int64_t begin, int64_t stop, int) {
      for (int64_t i = begin; i < stop; ++i) {
        p_.panel(begin_panel + i, 0, p_.k, packed_b_ + i * bytes);
      }
    });
  }

  // Blocks of rows times ranges of tiles, those of one block of rows one after another.
  void multiply_tiles(int64_t first, int64_t end) {
    const int64_t ranges = divide_up(end - first, b_.range_tiles);
    std::atomic<int64_t> next{0};
    pool_.run([&](int) {
      if (p_.tiles) amx::tile_begin();
      for (int64_t unit = next++; unit < blocks_ * ranges; unit = next++) {
        const int64_t block = unit / ranges;
        const int64_t tile = first + unit % ranges * b_.range_tiles;
        multiply_block(block * slivers_ / blocks_, (block + 1) * slivers_ / blocks_, tile,
                       std::min(end, tile + b_.range_tiles));
      }
      if (p_.tiles) amx::tile_end();
    });
  }

  void multiply_block(int64_t sliver_begin, int64_t sliver_end, int64_t tile_begin,
                      int64_t tile_end) {
    // Partial sums wait here for their next block of k; with one block, a single tile is enough.
    const int64_t slot = b_.sliver_rows * kTileColumns;
    const int64_t slots =
        b_.k_blocks == 1 ? 1 : (sliver_end - sliver_begin) * (tile_end - tile_begin);
    const int64_t own_panels = packed_b_ ? 0 : kTilePanels * b_.k_block * kPanelColumns;
    char* own = scratch(Scratch::kOwn, slots * slot * 4 + own_panels * b_.element);
    auto* partial = reinterpret_cast<float*>(own);
    char* panels = own + slots * slot * 4;

    for (int64_t k0 = 0, kb = 0; kb < b_.k_blocks; ++kb, k0 += b_.k_block) {
      const int64_t kc = std::min(b_.k_block, b_.depth - k0);
      const bool last = kb + 1 == b_.k_blocks;
      float* c = partial;
      for (int64_t tile = tile_begin; tile < tile_end; ++tile) {
        const Panels right = panels_at(tile, k0, kc, panels);
        for (int64_t s = sliver_begin; s < sliver_end; ++s) {
          multiply_tile(s, right, k0, kc, c);
          if (last) finish(s, tile, right.count, c);
          if (b_.k_blocks > 1) c += slot;
        }
      }
    }
  }

  struct Panels {
    const char* data;
    int64_t stride;  // elements
    int count;
  };

  Panels panels_at(int64_t tile, int64_t k0, int64_t kc, char* own) const {
    const int64_t first = tile * kTilePanels;
    const int count = panels_of(tile);
    if (packed_b_) {
      const int64_t offset = (first - first_panel_) * b_.panel_elements + k0 * kPanelColumns;
      return {packed_b_ + offset * b_.element, b_.panel_elements, count};
    }
    for (int i = 0; i < count; ++i) {
      p_.panel(first + i, k0, std::min(kc, p_.k - k0), own + i * kc * kPanelColumns * b_.element);
    }
    return {own, kc * kPanelColumns, count};
  }

  void multiply_tile(int64_t s, const Panels& right, int64_t k0, int64_t kc, float* c) const {
    const int rows = static_cast<int>(sliver_row(s + 1) - sliver_row(s));
    if (p_.tiles) {
      amx::tile_bf16(rows > kTileRows ? 2 : 1, right.count, kc / kStep,
                     reinterpret_cast<const uint16_t*>(sliver(s)) + k0 * kTileRows,
                     b_.depth * kTileRows, reinterpret_cast<const uint16_t*>(right.data),
                     right.stride, c, k0 > 0);
      return;
    }
    XYLEM_DISPATCH_F32(tile_f32)
    (rows, right.count, kc, reinterpret_cast<const float*>(sliver(s)) + k0 * rows,
     reinterpret_cast<const float*>(right.data), right.stride, c, k0 > 0);
  }

  void finish(int64_t s, int64_t tile, int panels, const float* c) const {
    const int64_t row = row_ + sliver_row(s);
    const int rows = static_cast<int>(sliver_row(s + 1) - sliver_row(s));
    const int64_t first = tile * kTileColumns;
    const int columns = static_cast<int>(std::min(kTileColumns, p_.n - first));
    const int64_t column = p_.out.epilogue == Epilogue::kSiluMul ? first / 2 : first;
    TileOutput out = p_.out;
    out.data += row * out.stride + column * (out.bf16 ? 2 : 4);
    if (out.add != nullptr) out.add += row * out.add_stride + column;
    XYLEM_DISPATCH_F32(finish_tile)(c, panels * kPanelColumns, rows, columns, out);
  }

  const Product& p_;
  ThreadPool& pool_;
  const Blocking b_;
  int64_t row_ = 0, rows_ = 0;  // the chunk of rows at hand
  int64_t slivers_ = 0, blocks_ = 0;
  char* packed_a_ = nullptr;
  char* packed_b_ = nullptr;  // nullptr: panels are packed by those who multiply them
  int64_t first_panel_ = 0;
};

}  // namespace

void multiply(const Product& product, ThreadPool& pool) {
  if (product.m <= 0 || product.n <= 0) return;
  Multiplication(product, pool).run();
}

}  // namespace xylem::kernels
