#include "xylem/runtime/future.h"

#include "xylem/runtime/pjrt_api.h"

namespace xylem::runtime {

struct Future::State {
  State(std::shared_ptr<Plugin> owner, PJRT_Event* handle)
      : plugin(std::move(owner)), event(handle) {}
  ~State() {
    if (Plugin::leave_to_exit(event)) return;
    XYLEM_PJRT_ARGS(PJRT_Event_Destroy_Args, args);
    args.event = event;
    plugin->ignore(plugin->api()->PJRT_Event_Destroy(&args));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::shared_ptr<Plugin> plugin;
  PJRT_Event* event;
};

Future::Future(std::shared_ptr<Plugin> plugin, PJRT_Event* event) {
  if (event != nullptr) state_ = std::make_shared<State>(std::move(plugin), event);
}

void Future::wait() const {
  if (state_ == nullptr) return;
  XYLEM_PJRT_ARGS(PJRT_Event_Await_Args, args);
  args.event = state_->event;
  state_->plugin->check(state_->plugin->api()->PJRT_Event_Await(&args), "the device work failed");
}

bool Future::is_ready() const {
  if (state_ == nullptr) return true;
  XYLEM_PJRT_ARGS(PJRT_Event_IsReady_Args, args);
  args.event = state_->event;
  state_->plugin->check(state_->plugin->api()->PJRT_Event_IsReady(&args),
                        "cannot ask whether the device work is done");
  return args.is_ready;
}

}  // namespace xylem::runtime
