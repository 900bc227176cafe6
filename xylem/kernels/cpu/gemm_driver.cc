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
    sliver_rows = p.tiles ? 2 * kTileRows : cpu_level() == CpuLevel::kAvx2 ? 6 : 14;
    element = p.tiles ? 2 : 4;
    depth = p.tiles ? round_up(p.k, kStep) : p.k;
    // Pack functions write whole vectors past a sliver of f32.
    sliver_elements = round_up(depth * sliver_rows + 16, 32);
    panel_elements = depth * kPanelColumns;

    k_block = even_part(depth, p.tiles ? 576 : cpu_level() == CpuLevel::kAvx2 ? 256 : 512);
    k_blocks = std::max<int64_t>(1, divide_up(depth, k_block));
    outer_blocks = std::max<int64_t>(1, (p.tiles ? 4096 : 1024) / k_block);
    const int64_t resident = std::min(depth, outer_blocks * k_block) * element;
    block_rows = std::clamp<int64_t>(l2_bytes() / 2 / std::max<int64_t>(1, resident), 128, 512);

    const int64_t row_bytes = std::max<int64_t>(1, depth * element);
    chunk_rows = std::max(block_rows, kPackedLimit / row_bytes);
    chunk_tiles = std::max<int64_t>(8, kPackedLimit / (row_bytes * kTileColumns));
    const int64_t tiles = divide_up(p.n, kTileColumns);
    const int64_t most =
        partial_sums() ? std::max<int64_t>(1, l2_bytes() / 4 / (block_rows * kTileColumns * 4)) : 4;
    range_tiles = std::clamp<int64_t>(divide_up(tiles, int64_t{4} * threads), 1, most);
  }

  // About equal parts of `total`, each at most `most` and a multiple of kStep.
  static int64_t even_part(int64_t total, int64_t most) {
    const int64_t parts = std::max<int64_t>(1, divide_up(total, most));
    return std::max<int64_t>(kStep, round_up(divide_up(total, parts), kStep));
  }

  // Whether sums of a range of tiles wait for a next part of k.
  bool partial_sums() const { return k_blocks > outer_blocks; }

  int sliver_rows;          // most rows of a register tile
  int64_t element;          // bytes of a packed value
  int64_t depth;            // k as packed
  int64_t sliver_elements;  // from one sliver of A to the next
  int64_t panel_elements;   // from one panel of B to the next
  int64_t k_block;          // values of k for which a tile's panels of B stay in L1
  int64_t k_blocks;         // of which k has so many,
  int64_t outer_blocks;     // and a block of A in L2 so many
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
      if (blocks_ == 1 && !p_.panels_together) {
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
  char* sliver(int64_t index) const {
    return packed_a_ + (index - direct_slivers()) * b_.sliver_elements * b_.element;
  }
  int panels_of(int64_t tile) const {
    const int64_t left = divide_up(p_.n, kPanelColumns) - tile * kTilePanels;
    return static_cast<int>(std::min<int64_t>(kTilePanels, left));
  }

  // Slivers whose tiles are loaded from A itself.
  int64_t direct_slivers() const { return p_.direct_rows ? rows_ / b_.sliver_rows : 0; }

  void pack_rows() {
    const int64_t first = direct_slivers(), count = slivers_ - first;
    packed_a_ = scratch(Scratch::kRows, count * b_.sliver_elements * b_.element);
    const int64_t grain = std::max<int64_t>(1, count / (8 * pool_.size()));
    pool_.parallel_for(count, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t s = first + begin; s < first + end; ++s) {
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
    // Several at a time: rows of B that run across its panels are then read in longer pieces.
    const int64_t grain = std::clamp<int64_t>(divide_up(count, int64_t{4} * pool_.size()), 1, 16);
    pool_.parallel_for(count, grain, [&](int64_t begin, int64_t stop, int) {
      p_.panels({begin_panel + begin, static_cast<int>(stop - begin), 0, p_.k,
                 packed_b_ + begin * bytes, b_.panel_elements});
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
        multiply_block({block * slivers_ / blocks_, (block + 1) * slivers_ / blocks_, tile,
                        std::min(end, tile + b_.range_tiles)});
      }
      if (p_.tiles) amx::tile_end();
    });
  }

  struct Block {
    int64_t sliver_begin, sliver_end, tile_begin, tile_end;
  };

  struct Panels {
    const char* data;
    int64_t stride;  // elements
    int count;
  };

  // Tiles on their way out: one is written while the next is multiplied. Filled field by field: a
  // copy would have to wait until what was stored just before it, the tile itself, is in memory.
  struct Finishing {
    FinishedTile tiles[2];  // in turn
    int turn;
    bool pending;  // the other one has not been written
    const FinishedTile* previous() const { return pending ? &tiles[turn ^ 1] : nullptr; }
  };

  void multiply_block(const Block& block) {
    // Sums wait in slots for their next block of k.
    const int64_t slivers = block.sliver_end - block.sliver_begin;
    const int64_t tiles = b_.partial_sums() ? block.tile_end - block.tile_begin : 1;
    const int64_t slots = b_.k_blocks == 1 ? 0 : slivers * tiles;
    const int64_t own_bytes = packed_b_ ? 0 : b_.k_block * kTileColumns * b_.element;
    char* own = scratch(Scratch::kOwn, (slots + 2) * slot_floats() * 4 + own_bytes);
    auto* sums = reinterpret_cast<float*>(own + own_bytes);
    Finishing finishing = {};
    for (FinishedTile& tile : finishing.tiles) {
      tile.sums = sums;
      tile.out = p_.out;
      sums += slot_floats();
    }

    for (int64_t first = 0; first < b_.k_blocks; first += b_.outer_blocks) {
      const int64_t end = std::min(b_.k_blocks, first + b_.outer_blocks);
      for (int64_t tile = block.tile_begin; tile < block.tile_end; ++tile) {
        const int64_t slot = tiles == 1 ? 0 : (tile - block.tile_begin) * slivers;
        for (int64_t k = first; k < end; ++k) {
          const Panels right = panels_at(tile, k, own);
          Panels next = {};
          if (packed_b_ && k + 1 < end) {
            next = panels_at(tile, k + 1, own);
          } else if (packed_b_ && tile + 1 < block.tile_end) {
            next = panels_at(tile + 1, first, own);
          }
          multiply_slivers(block, tile, k, right, next, sums + slot * slot_floats(), finishing);
        }
      }
    }
    finish(finishing);
  }

  int64_t slot_floats() const { return b_.sliver_rows * kTileColumns; }

  static void finish(Finishing& finishing) {
    if (finishing.pending) XYLEM_DISPATCH_F32(finish_tile)(*finishing.previous());
    finishing.pending = false;
  }

  int64_t depth_of(int64_t k) const { return std::min(b_.k_block, b_.depth - k * b_.k_block); }

  Panels panels_at(int64_t tile, int64_t k, char* own) const {
    const int64_t k0 = k * b_.k_block, kc = depth_of(k);
    const int64_t first = tile * kTilePanels;
    const int count = panels_of(tile);
    if (packed_b_) {
      const int64_t offset = (first - first_panel_) * b_.panel_elements + k0 * kPanelColumns;
      return {packed_b_ + offset * b_.element, b_.panel_elements, count};
    }
    p_.panels({first, count, k0, std::min(kc, p_.k - k0), own, kc * kPanelColumns});
    return {own, kc * kPanelColumns, count};
  }

  // One column of tiles over one block of k.
  void multiply_slivers(const Block& block, int64_t tile, int64_t k, const Panels& right,
                        const Panels& next, float* sums, Finishing& finishing) const {
    const bool last = k + 1 == b_.k_blocks;
    const int columns = static_cast<int>(std::min(kTileColumns, p_.n - tile * kTileColumns));
    const int pitch = right.count * kPanelColumns;
    // Whole tiles of plain f32 need no second step.
    const bool plain = !p_.out.bf16 && p_.out.add == nullptr &&
                       p_.out.epilogue == Epilogue::kNone && columns == kTileColumns;
    amx::TileWork work = tile_work(block, k, right, next);
    for (int64_t s = block.sliver_begin; s < block.sliver_end; ++s) {
      const int64_t row = sliver_row(s);
      const int rows = static_cast<int>(sliver_row(s + 1) - row);
      FinishedTile& now = finishing.tiles[finishing.turn];
      const bool direct = last && plain && (!p_.tiles || rows == b_.sliver_rows);
      work.from = k == 0 ? nullptr : sums;
      work.to = sums;
      work.to_stride = pitch;
      if (last) {
        locate(row_ + row, tile, now.out);
        work.out = &now.out;
        work.to = direct ? reinterpret_cast<float*>(now.out.data) : const_cast<float*>(now.sums);
        if (direct) work.to_stride = now.out.stride / 4;
      }
      work.finished = finishing.previous();
      multiply_tile(s, rows, k, work);
      finishing.pending = last && !direct;
      if (finishing.pending) {
        now.pitch = pitch;
        now.rows = rows;
        now.columns = columns;
        finishing.turn ^= 1;
      }
      work.next += work.next_lines * work.steps * 64;
      if (b_.k_blocks > 1) sums += slot_floats();
    }
  }

  // What the tiles of a column have in common.
  amx::TileWork tile_work(const Block& block, int64_t k, const Panels& right,
                          const Panels& next) const {
    amx::TileWork work = {};
    work.panels = right.count;
    work.steps = depth_of(k) / kStep;
    work.b = reinterpret_cast<const uint16_t*>(right.data);
    work.b_panel = right.stride;
    if (p_.tiles && next.data != nullptr) {
      const int64_t lines = depth_of(k) / 2;  // of a panel: each serves two values of k
      const int64_t shares = (block.sliver_end - block.sliver_begin) * work.steps;
      work.next = next.data;
      work.next_panel = next.stride * 2;
      work.next_lines = static_cast<int>(divide_up(lines, shares));
    }
    return work;
  }

  // Also writes the tile before.
  void multiply_tile(int64_t s, int rows, int64_t k, amx::TileWork& work) const {
    const int64_t k0 = k * b_.k_block;
    if (!p_.tiles) {
      if (work.finished != nullptr) XYLEM_DISPATCH_F32(finish_tile)(*work.finished);
      XYLEM_DISPATCH_F32(tile_f32)
      (rows, work.panels, depth_of(k), reinterpret_cast<const float*>(sliver(s)) + k0 * rows,
       reinterpret_cast<const float*>(work.b), work.b_panel, work.from, work.to, work.to_stride);
      return;
    }
    work.row_tiles = rows > kTileRows ? 2 : 1;
    if (s < direct_slivers()) {
      const char* a = p_.direct_rows + (row_ + sliver_row(s)) * p_.direct_stride + k0 * 2;
      work.a = reinterpret_cast<const uint16_t*>(a);
      work.a_row = p_.direct_stride;
      work.a_step = kStep;
      work.a_tile = kTileRows * p_.direct_stride / 2;
    } else {
      work.a = reinterpret_cast<const uint16_t*>(sliver(s)) + k0 * kTileRows;
      work.a_row = kStep * 2;
      work.a_step = kTileRows * kStep;
      work.a_tile = b_.depth * kTileRows;
    }
    amx::tile_bf16(work);
  }

  // The place of a tile whose first row is `row`.
  void locate(int64_t row, int64_t tile, TileOutput& out) const {
    const int64_t first = tile * kTileColumns;
    const int64_t column = p_.out.epilogue == Epilogue::kSiluMul ? first / 2 : first;
    out.data = p_.out.data + row * out.stride + column * (out.bf16 ? 2 : 4);
    if (out.add != nullptr) out.add = p_.out.add + row * out.add_stride + column;
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
