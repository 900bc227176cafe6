// The threads that native kernels run on. Workers spin for a short while between calls, because
// the steps of decoding are microseconds apart, and sleep when no work comes.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace xylem {

// A non-owning reference to a callable: no allocation per call.
template <typename Signature>
class FunctionRef;
template <typename R, typename... Args>
class FunctionRef<R(Args...)> {
 public:
  template <typename F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, FunctionRef>)
      FunctionRef(F&& f)  // NOLINT(google-explicit-constructor): made to be passed lambdas
      : object_(const_cast<void*>(static_cast<const void*>(&f))),
        call_([](void* o, Args... a) -> R {
          return (*static_cast<std::remove_reference_t<F>*>(o))(a...);
        }) {}
  R operator()(Args... args) const { return call_(object_, args...); }

 private:
  void* object_;
  R (*call_)(void*, Args...);
};

class ThreadPool {
 public:
  // threads >= 1; the calling thread is one of them, so ThreadPool(1) starts none.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int size() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls body(worker) once for each worker in [0, size()), one of them on this thread, and
  // returns when all have finished. When the pool is busy with another caller's work, runs every
  // worker's share on this thread. body must not throw, and must not wait for another worker.
  void run(FunctionRef<void(int worker)> body);

  // Splits [0, n) into chunks of `grain` that workers take one after another:
  // body(begin, end, worker).
  void parallel_for(int64_t n, int64_t grain,
                    FunctionRef<void(int64_t begin, int64_t end, int worker)> body);

  // The pool that kernels use. Its size is XYLEM_THREADS, else the processors this process may
  // use; set_global_threads replaces it and must not be called while kernels run.
  static ThreadPool& global();
  static void set_global_threads(int threads);

 private:
  void work(int worker);

  std::mutex busy_;
  std::vector<std::thread> workers_;
  FunctionRef<void(int)>* body_ = nullptr;
  alignas(64) std::atomic<uint32_t> generation_{0};
  alignas(64) std::atomic<int> pending_{0};
  std::atomic<int> sleeping_{0};
  std::atomic<bool> stop_{false};
};

}  // namespace xylem
