#include "xylem/text/tokenize/scratch_pool.h"

namespace xylem::text {
namespace {

// More threads than this at once pay for a new scratch each time.
constexpr size_t kMaxFree = 64;
// What one huge text took beyond this goes back.
constexpr size_t kKeptBytes = size_t{1} << 20;

template <typename Container>
void trim_to(Container& container, size_t kept_bytes) {
  if (container.capacity() * sizeof(*container.data()) > kept_bytes) container = {};
}

}  // namespace

void ModelScratch::trim() {
  trim_to(ids, kKeptBytes);
  trim_to(symbols, kKeptBytes);
  trim_to(queue, kKeptBytes);
  trim_to(word_ids, kKeptBytes);
}

void Scratch::trim() {
  words.trim();
  model.trim();
  trim_to(repaired, kKeptBytes);
  trim_to(normalized, kKeptBytes);
}

ScratchPool::ScratchPool() { free_.reserve(kMaxFree); }

std::unique_ptr<Scratch> ScratchPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Scratch> scratch = std::move(free_.back());
      free_.pop_back();
      return scratch;
    }
  }
  return std::make_unique<Scratch>();
}

void ScratchPool::give_back(std::unique_ptr<Scratch> scratch) {
  scratch->trim();
  const std::lock_guard lock(mutex_);
  if (free_.size() < kMaxFree) free_.push_back(std::move(scratch));
}

}  // namespace xylem::text
