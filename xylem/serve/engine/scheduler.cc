#include "xylem/serve/engine/scheduler.h"

#include <algorithm>

#include "xylem/base/error.h"

namespace xylem::engine {

void Scheduler::add(std::unique_ptr<Request> request) { waiting_.push_back(std::move(request)); }

bool Scheduler::allocate(Request& request, int64_t count) {
  return blocks_->grow(request.page_table, request.computed + count);
}

void Scheduler::preempt_last() {
  std::unique_ptr<Request> request = std::move(running_.back());
  running_.pop_back();
  blocks_->release(request->page_table);
  request->computed = 0;
  ++request->preemptions;
  ++preemptions_;
  waiting_.push_front(std::move(request));
}

std::vector<ScheduledChunk> Scheduler::schedule() {
  std::vector<ScheduledChunk> chunks;
  int64_t budget = options_.max_num_batched_tokens;
  bool preempted = false;  // then there is no room for newcomers
  auto uncomputed = [](const Request& r) {
    return static_cast<int64_t>(r.tokens.size()) - r.computed;
  };
  for (size_t i = 0; i < running_.size() && budget > 0; ++i) {
    Request& request = *running_[i];
    int64_t count = std::min(uncomputed(request), budget);
    while (!allocate(request, count) && running_.size() > i + 1) {
      preempt_last();
      preempted = true;
    }
    if (!allocate(request, count)) {  // alone, and the cache is full: its own pages must suffice
      fail(ErrorCode::kResourceExhausted,
           "the KV cache of {} pages does not hold one sequence of {} tokens", blocks_->num_pages(),
           request.computed + count);
    }
    chunks.push_back({&request, count});
    budget -= count;
  }
  while (!preempted && !waiting_.empty() && budget > 0 &&
         static_cast<int64_t>(running_.size()) < options_.max_num_seqs) {
    Request& request = *waiting_.front();
    int64_t count = std::min(uncomputed(request), budget);
    // One page of headroom for each running request keeps an admission from causing a preemption
    // in the very next step.
    int64_t needed = blocks_->pages_for(count) + num_running();
    if (needed > blocks_->num_free() || !allocate(request, count)) break;
    chunks.push_back({&request, count});
    budget -= count;
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
  return chunks;
}

std::unique_ptr<Request> Scheduler::remove(RequestId id) {
  auto take = [&](auto& list) -> std::unique_ptr<Request> {
    auto found = std::find_if(list.begin(), list.end(), [&](const auto& r) { return r->id == id; });
    if (found == list.end()) return nullptr;
    std::unique_ptr<Request> request = std::move(*found);
    list.erase(found);
    blocks_->release(request->page_table);
    return request;
  };
  if (std::unique_ptr<Request> request = take(running_)) return request;
  return take(waiting_);
}

}  // namespace xylem::engine
