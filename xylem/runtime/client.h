// A PJRT client: the devices of one plugin, with compiling and uploading.
//
//   auto client = runtime::default_client();
//   auto x = client->from_host(values.data(), DType::kF32, std::vector<int64_t>{2, 3});
//   auto program = client->compile(stablehlo, {});
//   auto results = program->execute(std::vector{x});
#pragma once

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "xylem/base/dtype.h"
#include "xylem/runtime/buffer.h"
#include "xylem/runtime/compile_options.h"
#include "xylem/runtime/executable.h"
#include "xylem/runtime/plugin.h"

struct PJRT_Client;
struct PJRT_Device;

namespace xylem::runtime {

struct MemoryInfo {
  std::string kind;          // "device", "pinned_host", ...
  int64_t bytes_limit = -1;  // -1: not told
  int64_t bytes_in_use = -1;
};

struct DeviceInfo {
  int64_t id = 0;    // global device id
  std::string kind;  // "cpu", "TPU v6e", "NVIDIA H200"
  std::string description;
  NamedValues attributes;
  bool addressable = false;
  std::vector<MemoryInfo> memories;
};

// How host memory handed to from_host may be used.
enum class HostUse {
  kCopyNow,  // copied during the call
  // May be aliased, and is then read as long as the buffer or work on it lives: it must not change,
  // and `owner` keeps it alive until the plugin lets go. 64-byte alignment avoids a copy on the
  // CPU. A call that takes such a buffer over (donation) copies it and leaves the memory alone.
  kZeroCopy,
  // The same, and a call that takes the buffer over writes into this memory.
  kMutableZeroCopy,
};

class Client : public std::enable_shared_from_this<Client> {
 public:
  // Options are the plugin's own, for example {"cpu_device_count", 8}. Registers every entry of
  // ffi_handlers() when the plugin takes them.
  static std::shared_ptr<Client> create(std::shared_ptr<Plugin> plugin,
                                        const NamedValues& options = {});
  ~Client();

  const std::shared_ptr<Plugin>& plugin() const { return plugin_; }
  std::string platform_name() const;  // "cpu", "tpu", "cuda"
  std::string platform_version() const;
  std::vector<DeviceInfo> devices() const;
  int num_addressable_devices() const { return static_cast<int>(addressable_.size()); }

  // Uploads a row-major array to the device with this addressable index.
  std::shared_ptr<Buffer> from_host(const void* data, DType dtype, std::span<const int64_t> dims,
                                    int device = 0, HostUse use = HostUse::kCopyNow,
                                    std::shared_ptr<void> owner = nullptr);

  // Compiles StableHLO text. Parse and compile errors carry the plugin's message and the lines of
  // the program that it points at. Uses the compile cache on disk when `cache` is true.
  std::shared_ptr<Executable> compile(const std::string& stablehlo, const CompileOptions& options,
                                      bool cache = true);
  std::shared_ptr<Executable> deserialize(const std::string& bytes);
  // Programs that compile() had to compile, cache hits not counted.
  int64_t compilations() const { return compilations_.load(std::memory_order_relaxed); }

  PJRT_Client* handle() const { return client_; }
  PJRT_Device* device_handle(int addressable_index) const {
    return addressable_[addressable_index];
  }

 private:
  explicit Client(std::shared_ptr<Plugin> plugin) : plugin_(std::move(plugin)) {}

  std::shared_ptr<Plugin> plugin_;
  void list_devices();
  CompileOptions place(CompileOptions options) const;
  std::string cache_key(const std::string& stablehlo, const std::string& options) const;
  std::shared_ptr<Executable> from_cache(const std::string& key);

  PJRT_Client* client_ = nullptr;
  std::vector<PJRT_Device*> addressable_;
  std::vector<int64_t> addressable_ids_;
  std::atomic<int64_t> compilations_{0};
};

// Threads that a CPU plugin's clients made from now on use. XLA makes its pool when the client is
// created: as large as PJRT_NPROC (which this sets) or else as the processors the process may run
// on, and at least one a device. Call it before default_client(), which asks for one CPU device
// unless XYLEM_CPU_DEVICES says otherwise.
void limit_host_threads(int n);

// The process's client, created at first use from choose_plugin().
std::shared_ptr<Client> default_client();
// Replaces it (tests, --device); null means "choose again at the next use".
void set_default_client(std::shared_ptr<Client> client);

}  // namespace xylem::runtime
