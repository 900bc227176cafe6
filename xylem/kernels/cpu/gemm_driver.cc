#include "xylem/kernels/cpu/gemm_driver.h"

#include <algorithm>
#include <atomic>

#include "xylem/kernels/cpu/gemm_blocking.h"
#include "xylem/kernels/cpu/scratch.h"

namespace xylem::kernels {
namespace {

// A part of C that one thread makes: slivers of rows times columns of tiles.
struct Range {
  int64_t sliver_begin, sliver_end, tile_begin, tile_end;
  int64_t slivers() const { return sliver_end - sliver_begin; }
  int64_t tiles() const { return tile_end - tile_begin; }
};

// Two panels of B over a block of k, `stride` elements apart.
struct Panels {
  const char* data;
  int64_t stride;
  int count;
};

class Multiplication {
 public:
  Multiplication(const Product& product, ThreadPool& pool)
      : p_(product), pool_(pool), b_(product.m, product.n, product.k, product.tiles, pool.size()) {}

  void run() {
    for (int64_t row = 0; row < p_.m; row += b_.chunk_rows) {
      row_ = row;
      rows_ = std::min(b_.chunk_rows, p_.m - row);
      slivers_ = divide_up(rows_, b_.sliver_rows);
      pack_rows();
      multiply_chunk();
    }
  }

 private:
  friend class RangeMultiplication;

  // First row of a sliver within the chunk. f32 slivers are all about as high: no ragged end.
  int64_t sliver_row(int64_t sliver) const {
    return p_.tiles ? std::min(rows_, sliver * b_.sliver_rows) : sliver * rows_ / slivers_;
  }
  char* sliver(int64_t index) const { return packed_ + index * b_.sliver_elements * b_.element; }

  void pack_rows() {
    packed_ = scratch(Scratch::kRows, slivers_ * b_.sliver_elements * b_.element);
    const int64_t grain = std::max<int64_t>(1, slivers_ / (8 * pool_.size()));
    pool_.parallel_for(slivers_, grain, [&](int64_t begin, int64_t end, int) {
      for (int64_t s = begin; s < end; ++s) {
        const int64_t row = sliver_row(s);
        p_.rows(row_ + row, static_cast<int>(sliver_row(s + 1) - row), sliver(s));
      }
    });
  }

  void multiply_chunk();

  const Product& p_;
  ThreadPool& pool_;
  const Blocking b_;
  const bool amx_ = cpu_level() == CpuLevel::kAmx;
  int64_t row_ = 0, rows_ = 0, slivers_ = 0;  // the chunk of rows at hand
  char* packed_ = nullptr;                    // its slivers
};

// One thread's work on a range.
class RangeMultiplication {
 public:
  RangeMultiplication(const Multiplication& all, const Range& range)
      : all_(all), p_(all.p_), b_(all.b_), range_(range) {
    // Panels: of one tile's columns at a time, or of all of the range.
    const int64_t part =
        b_.few_rows ? b_.k_block : std::min(b_.depth, b_.outer_blocks * b_.k_block);
    panel_stride_ = part * kPanelColumns;
    const int64_t panels = kTilePanels * (b_.few_rows ? 1 : range.tiles());
    // Sums that wait for their next block of k, each in a slot, and two tiles on their way out.
    slot_ = b_.sliver_rows * kTileColumns;
    const int64_t slots = b_.k_blocks == 1                ? 0
                          : b_.few_rows                   ? range.slivers()
                          : b_.outer_blocks < b_.k_blocks ? range.slivers() * range.tiles()
                                                          : range.tiles();
    const int64_t panel_bytes = panels * panel_stride_ * b_.element;
    panels_ = scratch(Scratch::kOwn, panel_bytes + (slots + 2) * slot_ * 4);
    sums_ = reinterpret_cast<float*>(panels_ + panel_bytes);
    for (FinishedTile& tile : finishing_) {
      tile.sums = sums_;
      tile.out = p_.out;
      sums_ += slot_;
    }
  }

  void run() {
    if (b_.few_rows) {
      pass_panels();
    } else {
      for (int64_t k = 0; k < b_.k_blocks; k += b_.outer_blocks) {
        pass_slivers(k, std::min(b_.k_blocks, k + b_.outer_blocks));
      }
    }
    if (const FinishedTile* tile = previous()) XYLEM_DISPATCH_F32(finish_tile)(*tile);
  }

 private:
  // A stays in L2; panels of B are filled one tile's columns at a time and stay in L1.
  void pass_panels() {
    for (int64_t tile = range_.tile_begin; tile < range_.tile_end; ++tile) {
      for (int64_t k = 0; k < b_.k_blocks; ++k) {
        const Panels right = {panels_, panel_stride_, panels_of(tile)};
        p_.panels({tile * kTilePanels, right.count, k * b_.k_block, filled(k, k + 1), panels_,
                   panel_stride_});
        for (int64_t s = 0; s < range_.slivers(); ++s) {
          multiply_tile(range_.sliver_begin + s, tile, k, right, s, {});
        }
      }
    }
  }

  // Panels of the range stay in L2 for the blocks of k from k_begin on; slivers of A pass.
  void pass_slivers(int64_t k_begin, int64_t k_end) {
    const int64_t first = range_.tile_begin * kTilePanels;
    const int64_t panels = std::min(range_.tile_end * kTilePanels, divide_up(p_.n, kPanelColumns));
    p_.panels({first, static_cast<int>(panels - first), k_begin * b_.k_block,
               filled(k_begin, k_end), panels_, panel_stride_});
    const bool slots_for_all = b_.outer_blocks < b_.k_blocks;
    for (int64_t s = range_.sliver_begin; s < range_.sliver_end; ++s) {
      for (int64_t k = k_begin; k < k_end; ++k) {
        const char* next = k + 1 < k_end               ? sliver_at(s, k + 1)
                           : s + 1 < range_.sliver_end ? sliver_at(s + 1, k_begin)
                                                       : nullptr;
        for (int64_t t = 0; t < range_.tiles(); ++t) {
          const int64_t offset =
              t * kTilePanels * panel_stride_ + (k - k_begin) * b_.k_block * kPanelColumns;
          const Panels right = {panels_ + offset * b_.element, panel_stride_,
                                panels_of(range_.tile_begin + t)};
          const int64_t slot = slots_for_all ? (s - range_.sliver_begin) * range_.tiles() + t : t;
          multiply_tile(s, range_.tile_begin + t, k, right, slot, {next, t});
        }
      }
    }
  }

  int panels_of(int64_t tile) const {
    const int64_t left = divide_up(p_.n, kPanelColumns) - tile * kTilePanels;
    return static_cast<int>(std::min<int64_t>(kTilePanels, left));
  }
  int64_t depth_of(int64_t k) const { return std::min(b_.k_block, b_.depth - k * b_.k_block); }
  // Values of k that the blocks [begin, end) hold.
  int64_t filled(int64_t begin, int64_t end) const {
    return std::min(p_.k, end * b_.k_block) - begin * b_.k_block;
  }
  int64_t sliver_height(int64_t s) const { return all_.sliver_row(s + 1) - all_.sliver_row(s); }
  const char* sliver_at(int64_t s, int64_t k) const {
    const int64_t rows = p_.tiles ? kTileRows : sliver_height(s);
    return all_.sliver(s) + k * b_.k_block * rows * b_.element;
  }

  const FinishedTile* previous() const { return pending_ ? &finishing_[turn_ ^ 1] : nullptr; }

  // What the tiles before this one leave to be fetched of the block of A that comes next: each of
  // the range's tiles takes its share.
  struct Ahead {
    const char* data = nullptr;
    int64_t share = 0;
  };

  void multiply_tile(int64_t s, int64_t tile, int64_t k, const Panels& right, int64_t slot,
                     const Ahead& ahead) {
    const bool last = k + 1 == b_.k_blocks;
    const int columns = static_cast<int>(std::min(kTileColumns, p_.n - tile * kTileColumns));
    const int rows = static_cast<int>(sliver_height(s));
    // Filled field by field: a copy of what was just stored would wait until the tile stored
    // before it is in memory.
    FinishedTile& now = finishing_[turn_];
    float* sums = sums_ + slot * slot_;
    const float* from = k == 0 ? nullptr : sums;
    if (!last) {
      product_of(s, rows, k, right, ahead, from, sums, right.count * kPanelColumns, nullptr);
      pending_ = false;
      return;
    }
    now.pitch = right.count * kPanelColumns;
    now.rows = rows;
    now.columns = columns;
    locate(all_.row_ + all_.sliver_row(s), tile, now.out);
    // Whole tiles of plain f32 need no second step.
    if (!now.out.bf16 && now.out.add == nullptr && now.out.epilogue == Epilogue::kNone &&
        columns == kTileColumns && (!p_.tiles || rows == b_.sliver_rows)) {
      product_of(s, rows, k, right, ahead, from, reinterpret_cast<float*>(now.out.data),
                 now.out.stride / 4, &now.out);
      pending_ = false;
      return;
    }
    product_of(s, rows, k, right, ahead, from, const_cast<float*>(now.sums), now.pitch, &now.out);
    pending_ = true;
    turn_ ^= 1;
  }

  // to = from + the tile's product over a block of k; the tile before is written, too.
  void product_of(int64_t s, int rows, int64_t k, const Panels& right, const Ahead& ahead,
                  const float* from, float* to, int64_t to_stride, const TileOutput* out) const {
    const char* a = sliver_at(s, k);
    if (!p_.tiles) {
      if (const FinishedTile* tile = previous()) XYLEM_DISPATCH_F32(finish_tile)(*tile);
      XYLEM_DISPATCH_F32(tile_f32)
      (rows, right.count, depth_of(k), reinterpret_cast<const float*>(a),
       reinterpret_cast<const float*>(right.data), right.stride, from, to, to_stride);
      return;
    }
    TileWork work;
    work.row_tiles = rows > kTileRows ? 2 : 1;
    work.panels = right.count;
    work.steps = depth_of(k) / kStep;
    work.a = reinterpret_cast<const uint16_t*>(a);
    work.a_tile = b_.depth * kTileRows;
    work.b = reinterpret_cast<const uint16_t*>(right.data);
    work.b_panel = right.stride;
    work.b_passes = !b_.few_rows;
    work.from = from;
    work.to = to;
    work.to_stride = to_stride;
    work.out = out;
    work.next_lines = 0;
    if (ahead.data != nullptr) {
      const int64_t lines = depth_of(k) / 2;  // of a row tile: each holds 32 values of a row
      work.next_lines = static_cast<int>(divide_up(lines, range_.tiles() * work.steps));
      work.next = ahead.data + ahead.share * work.next_lines * work.steps * 64;
    }
    work.finished = previous();
    all_.amx_ ? amx::tile_bf16(work) : avx512bf16::tile_bf16(work);
  }

  // The place of a tile whose first row is `row`.
  void locate(int64_t row, int64_t tile, TileOutput& out) const {
    const int64_t first = tile * kTileColumns;
    const int64_t column = p_.out.epilogue == Epilogue::kSiluMul ? first / 2 : first;
    out.data = p_.out.data + row * out.stride + column * (out.bf16 ? 2 : 4);
    if (out.add != nullptr) out.add = p_.out.add + row * out.add_stride + column;
  }

  const Multiplication& all_;
  const Product& p_;
  const Blocking& b_;
  const Range range_;
  char* panels_;
  int64_t panel_stride_;  // elements
  float* sums_;
  int64_t slot_;               // floats of a tile's sums
  FinishedTile finishing_[2];  // one is written while the next is multiplied
  int turn_ = 0;
  bool pending_ = false;  // the other one has not been written
};

void Multiplication::multiply_chunk() {
  const int64_t tiles = divide_up(p_.n, kTileColumns);
  const int64_t columns = divide_up(tiles, b_.range_tiles);
  const int64_t parts = divide_up(rows_, b_.range_rows);
  std::atomic<int64_t> next{0};
  pool_.run([&](int) {
    if (p_.tiles && amx_) amx::tile_begin();
    for (int64_t unit = next++; unit < columns * parts; unit = next++) {
      const int64_t column = unit / parts, part = unit % parts;
      const Range range = {part * slivers_ / parts, (part + 1) * slivers_ / parts,
                           column * b_.range_tiles, std::min(tiles, (column + 1) * b_.range_tiles)};
      if (range.slivers() > 0) RangeMultiplication(*this, range).run();
    }
    if (p_.tiles && amx_) amx::tile_end();
  });
}

}  // namespace

void multiply(const Product& product, ThreadPool& pool) {
  if (product.m <= 0 || product.n <= 0) return;
  Multiplication(product, pool).run();
}

}  // namespace xylem::kernels
