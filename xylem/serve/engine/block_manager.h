// Pages of the KV cache: who has which.
#pragma once

#include <cstdint>
#include <vector>

namespace xylem::engine {

class BlockManager {
 public:
  // pages >= 1 of page_size tokens.
  BlockManager(int64_t pages, int64_t page_size);

  int64_t page_size() const { return page_size_; }
  int64_t num_pages() const { return num_pages_; }
  int64_t num_free() const { return static_cast<int64_t>(free_.size()); }

  int64_t pages_for(int64_t tokens) const { return (tokens + page_size_ - 1) / page_size_; }

  // Extends the table so that it holds this many tokens; false, with nothing taken, when pages do
  // not suffice.
  bool grow(std::vector<int32_t>& table, int64_t tokens);
  // Gives every page of the table back and empties it.
  void release(std::vector<int32_t>& table);

 private:
  int64_t num_pages_;
  int64_t page_size_;
  std::vector<int32_t> free_;  // the last is given out next
};

}  // namespace xylem::engine
