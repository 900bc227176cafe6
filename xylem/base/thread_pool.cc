#include "xylem/base/thread_pool.h"

#include <immintrin.h>
#include <sched.h>

#include <algorithm>

#include "xylem/base/env.h"

namespace xylem {
namespace {

// About 50 µs on a 3 GHz core: longer than the gap between two kernels of a decode step.
constexpr int kSpins = 1500;

// XLA sets these on its own threads; ours must agree, or the numbers differ by thread.
void flush_denormals() {
  constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
  _mm_setcsr(_mm_getcsr() | kFlushToZero | kDenormalsAreZero);
}

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

std::unique_ptr<ThreadPool>& global_pool() {
  static auto pool = std::make_unique<ThreadPool>(
      static_cast<int>(env_int("XYLEM_THREADS", 1, 1024).value_or(usable_processors())));
  return pool;
}

}  // namespace

ThreadPool::ThreadPool(int threads) {
  for (int worker = 1; worker < threads; ++worker) {
    workers_.emplace_back([this, worker] { work(worker); });
  }
}

ThreadPool::~ThreadPool() {
  stop_.store(true);
  generation_.fetch_add(1);
  generation_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void ThreadPool::work(int worker) {
  flush_denormals();
  uint32_t seen = 0;
  while (true) {
    for (int spin = 0; spin < kSpins && generation_.load(std::memory_order_acquire) == seen;
         ++spin) {
      _mm_pause();
    }
    if (generation_.load() == seen) {
      sleeping_.fetch_add(1);
      generation_.wait(seen);
      sleeping_.fetch_sub(1);
    }
    seen = generation_.load(std::memory_order_acquire);
    if (stop_.load()) return;
    (*body_)(worker);
    pending_.fetch_sub(1, std::memory_order_acq_rel);
  }
}

void ThreadPool::run(FunctionRef<void(int)> body) {
  std::unique_lock<std::mutex> lock(busy_, std::try_to_lock);
  if (workers_.empty() || !lock.owns_lock()) {
    for (int worker = 0; worker < size(); ++worker) body(worker);
    return;
  }
  body_ = &body;
  pending_.store(static_cast<int>(workers_.size()), std::memory_order_relaxed);
  generation_.fetch_add(1);
  if (sleeping_.load() > 0) generation_.notify_all();
  body(0);
  for (int spin = 0; pending_.load(std::memory_order_acquire) != 0; ++spin) {
    if (spin < kSpins) {
      _mm_pause();
    } else {
      std::this_thread::yield();
    }
  }
}

void ThreadPool::parallel_for(int64_t n, int64_t grain,
                              FunctionRef<void(int64_t, int64_t, int)> body) {
  if (n <= 0) return;
  if (n <= grain) {
    body(0, n, 0);
    return;
  }
  std::atomic<int64_t> next{0};
  run([&](int worker) {
    for (int64_t begin = next.fetch_add(grain); begin < n; begin = next.fetch_add(grain)) {
      body(begin, std::min(n, begin + grain), worker);
    }
  });
}

ThreadPool& ThreadPool::global() { return *global_pool(); }

void ThreadPool::set_global_threads(int threads) {
  if (global_pool()->size() != threads) global_pool() = std::make_unique<ThreadPool>(threads);
}

}  // namespace xylem
