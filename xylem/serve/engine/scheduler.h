// Which tokens run in the next step. There is no prefill phase and no decode phase: each request
// has tokens of which some are computed, and a step computes as many of the rest as the token
// budget and the pages allow. Running requests come first, in order of arrival; when pages run out
// the last of them is preempted and computed anew later.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "xylem/serve/engine/block_manager.h"
#include "xylem/serve/engine/request.h"

namespace xylem::engine {

struct SchedulerOptions {
  int64_t max_num_seqs = 16;
  int64_t max_num_batched_tokens = 512;
};

// Some tokens of one request: [request->computed, request->computed + count).
struct ScheduledChunk {
  Request* request = nullptr;
  int64_t count = 0;
  // True when the chunk reaches the request's last token, so that the next can be sampled.
  bool samples() const {
    return request->computed + count == static_cast<int64_t>(request->tokens.size());
  }
};

class Scheduler {
 public:
  Scheduler(SchedulerOptions options, BlockManager* blocks) : options_(options), blocks_(blocks) {}

  // The request's tokens must fit the cache when it runs alone.
  void add(std::unique_ptr<Request> request);
  // The next step's chunks; pages for them are allocated. Empty when nothing waits.
  std::vector<ScheduledChunk> schedule();
  // Takes the request out and frees its pages; null when it is not here.
  std::unique_ptr<Request> remove(RequestId id);

  int64_t num_running() const { return static_cast<int64_t>(running_.size()); }
  int64_t num_waiting() const { return static_cast<int64_t>(waiting_.size()); }
  int64_t num_preemptions() const { return preemptions_; }

 private:
  bool allocate(Request& request, int64_t count);
  void preempt_last();

  SchedulerOptions options_;
  BlockManager* blocks_;
  std::vector<std::unique_ptr<Request>> running_;
  std::deque<std::unique_ptr<Request>> waiting_;
  int64_t preemptions_ = 0;
};

}  // namespace xylem::engine
