// The completion of asynchronous device work: a PJRT event as a future.
#pragma once

#include <memory>

struct PJRT_Event;

namespace xylem::runtime {

class Plugin;

// Copyable; an empty Future is done. Thread-safe.
class Future {
 public:
  Future() = default;
  // Takes ownership of the event; null (some plugins return none) means done.
  Future(std::shared_ptr<Plugin> plugin, PJRT_Event* event);

  // Blocks until done; throws the plugin's error if the work failed.
  void wait() const;
  bool is_ready() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace xylem::runtime
