// A hash index from strings to their positions in a vector of strings that somebody else owns.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::text {

class StringIndex {
 public:
  // strings must outlive the index and keep its place; of equal strings the last inserted counts.
  explicit StringIndex(const std::vector<std::string>* strings) : strings_(strings) {
    size_t slots = 16;
    while (slots < 2 * strings->size()) slots *= 2;
    slots_.assign(slots, kEmpty);
  }

  // Inserts (*strings)[position]; at most once a position.
  void insert(int32_t position) { slots_[slot_of((*strings_)[position])] = position; }

  // The position, or -1.
  int32_t find(std::string_view text) const { return slots_[slot_of(text)]; }

 private:
  static constexpr int32_t kEmpty = -1;

  // The slot that holds text, or the empty one where it belongs.
  size_t slot_of(std::string_view text) const {
    const size_t mask = slots_.size() - 1;
    size_t at = std::hash<std::string_view>{}(text)&mask;
    while (slots_[at] != kEmpty && (*strings_)[slots_[at]] != text) at = (at + 1) & mask;
    return at;
  }

  const std::vector<std::string>* strings_;
  std::vector<int32_t> slots_;
};

}  // namespace xylem::text
