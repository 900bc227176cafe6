#include "xylem/runtime/executable.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>

#include "xylem/base/error.h"
#include "xylem/runtime/client.h"
#include "xylem/runtime/pjrt_api.h"

namespace xylem::runtime {
namespace {

// Room for n pointers without an allocation in the usual case.
template <typename T, size_t kInline>
class PointerList {
 public:
  explicit PointerList(size_t n) : heap_(n > kInline ? new T[n] : nullptr) {}
  T* data() { return heap_ ? heap_.get() : inline_; }
  T& operator[](size_t i) { return data()[i]; }

 private:
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
};

constexpr size_t kInlineArguments = 512;
constexpr size_t kInlineOutputs = 128;
constexpr size_t kInlineDevices = 16;

PJRT_ExecuteOptions execute_options(std::span<const int64_t> keep) {
  XYLEM_PJRT_ARGS(PJRT_ExecuteOptions, options);
  options.non_donatable_input_indices = keep.data();
  options.num_non_donatable_input_indices = keep.size();
  return options;
}

bool contains(std::span<const int64_t> list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

// Delegates, so that the destructor frees the handle when a call below throws.
Executable::Executable(std::shared_ptr<Client> client, PJRT_LoadedExecutable* handle,
                       std::vector<int64_t> donated)
    : Executable(std::move(client), handle, nullptr) {
  donated_ = std::move(donated);
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_LoadedExecutable_GetExecutable_Args, args);
  args.loaded_executable = handle_;
  plugin.check(plugin.api()->PJRT_LoadedExecutable_GetExecutable(&args),
               "cannot read the compiled program");
  executable_ = args.executable;
  XYLEM_PJRT_ARGS(PJRT_Executable_NumOutputs_Args, outputs);
  outputs.executable = executable_;
  plugin.check(plugin.api()->PJRT_Executable_NumOutputs(&outputs),
               "cannot count the program's results");
  num_outputs_ = static_cast<int>(outputs.num_outputs);
  XYLEM_PJRT_ARGS(PJRT_LoadedExecutable_AddressableDevices_Args, devices);
  devices.executable = handle_;
  plugin.check(plugin.api()->PJRT_LoadedExecutable_AddressableDevices(&devices),
               "cannot count the program's devices");
  num_devices_ = static_cast<int>(devices.num_addressable_devices);
}

Executable::~Executable() {
  if (Plugin::leave_to_exit(executable_) && Plugin::leave_to_exit(handle_)) return;
  const Plugin& plugin = *client_->plugin();
  XYLEM_PJRT_ARGS(PJRT_Executable_Destroy_Args, args);
  args.executable = executable_;
  plugin.ignore(plugin.api()->PJRT_Executable_Destroy(&args));
  XYLEM_PJRT_ARGS(PJRT_LoadedExecutable_Destroy_Args, loaded);
  loaded.executable = handle_;
  plugin.ignore(plugin.api()->PJRT_LoadedExecutable_Destroy(&loaded));
}

void Executable::check_arguments(Arguments arguments, std::span<const int64_t> keep) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr) {
      fail(ErrorCode::kInvalidArgument, "argument {} of the program is null", i);
    }
    if (arguments[i]->client_ != client_) {
      fail(ErrorCode::kInvalidArgument,
           "argument {} of the program is a buffer of another client than the program's", i);
    }
  }
  if (!donated_.empty()) check_donated(arguments, keep);
}

// Marks each donated buffer with the number of this call, and looks for the mark on all arguments:
// one pass, no allocation.
void Executable::check_donated(Arguments arguments, std::span<const int64_t> keep) const {
  static std::atomic<uint64_t> last_call{0};
  uint64_t call = last_call.fetch_add(1, std::memory_order_relaxed) + 1;
  auto index_of = [&](const Buffer* buffer) {
    size_t i = 0;
    while (arguments[i].get() != buffer) ++i;
    return i;
  };
  for (int64_t d : donated_) {
    if (d >= static_cast<int64_t>(arguments.size()) || contains(keep, d)) continue;
    Buffer* buffer = arguments[static_cast<size_t>(d)].get();
    if (buffer->donated_to_.exchange(call, std::memory_order_relaxed) == call) {
      fail(ErrorCode::kInvalidArgument,
           "arguments {} and {} of the program are the same buffer and both are donated",
           index_of(buffer), d);
    }
  }
  size_t next = 0;  // in donated_, which is sorted
  for (size_t i = 0; i < arguments.size(); ++i) {
    bool is_donated = next < donated_.size() && donated_[next] == static_cast<int64_t>(i);
    if (is_donated) ++next;
    if (arguments[i]->donated_to_.load(std::memory_order_relaxed) != call) continue;
    if (is_donated && !contains(keep, static_cast<int64_t>(i))) continue;
    const Buffer* buffer = arguments[i].get();
    for (int64_t d : donated_) {
      if (arguments[static_cast<size_t>(d)].get() != buffer || contains(keep, d)) continue;
      fail(ErrorCode::kInvalidArgument,
           "argument {} of the program is donated and passed again as argument {}", d, i);
    }
  }
}

Buffers Executable::execute(Arguments arguments, std::span<const int64_t> keep, Future* done) {
  if (num_devices_ != 1) {
    fail(ErrorCode::kFailedPrecondition,
         "the program runs on {} devices, expected one argument list for each", num_devices_);
  }
  check_arguments(arguments, keep);
  PointerList<PJRT_Buffer*, kInlineArguments> inputs(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) inputs[i] = arguments[i]->handle();
  PointerList<PJRT_Buffer*, kInlineOutputs> outputs(static_cast<size_t>(num_outputs_));
  PJRT_Buffer* const* input_list = inputs.data();
  PJRT_Buffer** output_list = outputs.data();
  PJRT_Event* event = nullptr;
  PJRT_ExecuteOptions options = execute_options(keep);
  XYLEM_PJRT_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = handle_;
  args.options = &options;
  args.argument_lists = &input_list;
  args.num_devices = 1;
  args.num_args = arguments.size();
  args.output_lists = &output_list;
  args.device_complete_events = done == nullptr ? nullptr : &event;
  const Plugin& plugin = *client_->plugin();
  plugin.check(plugin.api()->PJRT_LoadedExecutable_Execute(&args), "cannot run the program");
  if (done != nullptr) *done = Future(client_->plugin(), event);
  Buffers results;
  results.reserve(static_cast<size_t>(num_outputs_));
  for (int i = 0; i < num_outputs_; ++i) {
    results.push_back(std::make_shared<Buffer>(client_, output_list[i]));
  }
  return results;
}

std::vector<Buffers> Executable::execute_sharded(std::span<const Buffers> arguments,
                                                 std::span<const int64_t> keep) {
  size_t devices = static_cast<size_t>(num_devices_);
  if (arguments.size() != devices) {
    fail(ErrorCode::kInvalidArgument, "the program runs on {} devices, got {} argument lists",
         devices, arguments.size());
  }
  if (devices == 1) {
    std::vector<Buffers> results;
    results.push_back(execute(arguments[0], keep));
    return results;
  }
  size_t count = arguments[0].size();
  for (const Buffers& list : arguments) {
    if (list.size() != count) {
      fail(ErrorCode::kInvalidArgument, "device argument lists differ in length: {} and {}", count,
           list.size());
    }
    check_arguments(list, keep);
  }
  size_t output_count = static_cast<size_t>(num_outputs_);
  PointerList<PJRT_Buffer*, kInlineArguments> inputs(devices * count);
  PointerList<PJRT_Buffer*, kInlineOutputs> outputs(devices * output_count);
  PointerList<PJRT_Buffer* const*, kInlineDevices> input_lists(devices);
  PointerList<PJRT_Buffer**, kInlineDevices> output_lists(devices);
  for (size_t device = 0; device < devices; ++device) {
    input_lists[device] = inputs.data() + device * count;
    output_lists[device] = outputs.data() + device * output_count;
    for (size_t i = 0; i < count; ++i) inputs[device * count + i] = arguments[device][i]->handle();
  }
  PJRT_ExecuteOptions options = execute_options(keep);
  XYLEM_PJRT_ARGS(PJRT_LoadedExecutable_Execute_Args, args);
  args.executable = handle_;
  args.options = &options;
  args.argument_lists = input_lists.data();
  args.num_devices = devices;
  args.num_args = count;
  args.output_lists = output_lists.data();
  const Plugin& plugin = *client_->plugin();
  plugin.check(plugin.api()->PJRT_LoadedExecutable_Execute(&args), "cannot run the program");
  std::vector<Buffers> results(devices);
  for (size_t device = 0; device < devices; ++device) {
    results[device].reserve(output_count);
    for (size_t i = 0; i < output_count; ++i) {
      results[device].push_back(std::make_shared<Buffer>(client_, output_lists[device][i]));
    }
  }
  return results;
}

}  // namespace xylem::runtime
