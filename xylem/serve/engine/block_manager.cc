#include "xylem/serve/engine/block_manager.h"

namespace xylem::engine {

BlockManager::BlockManager(int64_t pages, int64_t page_size)
    : num_pages_(pages), page_size_(page_size) {
  for (int64_t page = pages; page-- > 0;) free_.push_back(static_cast<int32_t>(page));
}

bool BlockManager::grow(std::vector<int32_t>& table, int64_t tokens) {
  int64_t missing = pages_for(tokens) - static_cast<int64_t>(table.size());
  if (missing > num_free()) return false;
  for (; missing > 0; --missing) {
    table.push_back(free_.back());
    free_.pop_back();
  }
  return true;
}

void BlockManager::release(std::vector<int32_t>& table) {
  // In reverse, so that the next sequence gets the lowest pages first.
  free_.insert(free_.end(), table.rbegin(), table.rend());
  table.clear();
}

}  // namespace xylem::engine
