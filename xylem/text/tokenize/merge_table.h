// The merges of a byte-pair encoding: which two neighbours join, how early, and into what.
//
//   MergeTable table(merges.size());
//   table.add(left_id, right_id, {.rank = 0, .id = joined_id});
//   const Merge merge = table.find(left_id, right_id);   // merge.rank == kNoMerge when they do not
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace xylem::text {

inline constexpr uint32_t kNoMerge = UINT32_MAX;

struct Merge {
  uint32_t rank = kNoMerge;  // 0 is applied first
  int32_t id = -1;           // the joined token
};

// An open-addressing hash table; immutable once filled.
class MergeTable {
 public:
  explicit MergeTable(size_t count) {
    size_t slots = 16;
    while (slots < 2 * count) {
      slots *= 2;
      --shift_;
    }
    slots_.resize(slots);
  }

  // Of equal pairs the last added counts. At most `count` pairs may be added.
  void add(int32_t left, int32_t right, Merge merge) {
    Slot& slot = slots_[position(key_of(left, right))];
    slot.key = key_of(left, right);
    slot.merge = merge;
  }

  Merge find(int32_t left, int32_t right) const {
    return slots_[position(key_of(left, right))].merge;
  }

 private:
  static constexpr uint64_t kEmpty = UINT64_MAX;  // ids are not negative
  struct Slot {
    uint64_t key = kEmpty;
    Merge merge;
  };

  static uint64_t key_of(int32_t left, int32_t right) {
    return (static_cast<uint64_t>(static_cast<uint32_t>(left)) << 32) |
           static_cast<uint32_t>(right);
  }
  // The slot that holds the key, or the empty one where it belongs.
  size_t position(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = (key * 0x9E3779B97F4A7C15ull) >> shift_;
    while (slots_[at].key != key && slots_[at].key != kEmpty) at = (at + 1) & mask;
    return at;
  }

  std::vector<Slot> slots_;
  int shift_ = 60;  // 64 - log2(slots)
};

}  // namespace xylem::text
