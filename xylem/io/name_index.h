// A sorted index over named items. Not a hash table: a hostile file cannot make it slow, and a
// name that occurs twice shows while building it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/io/printable.h"

namespace xylem::io {

// Positions of the items sorted by name(item). kDataLoss, naming the file, what the items are and
// the name, when two are the same.
template <typename Items, typename Name>
std::vector<uint32_t> sorted_unique(const Items& items, Name name, std::string_view what,
                                    const std::string& file) {
  std::vector<uint32_t> order(items.size());
  std::iota(order.begin(), order.end(), 0u);
  auto less = [&](uint32_t a, uint32_t b) { return name(items[a]) < name(items[b]); };
  std::sort(order.begin(), order.end(), less);
  for (size_t i = 1; i < order.size(); ++i) {
    if (!less(order[i - 1], order[i])) {
      fail(ErrorCode::kDataLoss, "{} has {} '{}' twice", file, what,
           printable(name(items[order[i]])));
    }
  }
  return order;
}

// The item of that name by an index of sorted_unique; null when there is none.
template <typename Item, typename Name>
const Item* find_sorted(const std::vector<Item>& items, const std::vector<uint32_t>& order,
                        Name name, std::string_view wanted) {
  auto at = std::lower_bound(order.begin(), order.end(), wanted,
                             [&](uint32_t a, std::string_view b) { return name(items[a]) < b; });
  if (at == order.end() || name(items[*at]) != wanted) return nullptr;
  return &items[*at];
}

}  // namespace xylem::io
