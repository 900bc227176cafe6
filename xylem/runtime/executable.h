// A compiled program, loaded on its devices.
//
//   auto results = program->execute(arguments);
//   results[0]->copy_to_host(values.data());  // waits for the work
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "xylem/runtime/buffer.h"
#include "xylem/runtime/future.h"
#include "xylem/runtime/plugin.h"

struct PJRT_Device;
struct PJRT_Executable;
struct PJRT_LoadedExecutable;

namespace xylem::runtime {

class Client;

// Bytes per device; -1 where the plugin does not tell.
struct MemoryStats {
  int64_t arguments = -1;
  int64_t outputs = -1;
  int64_t aliased = -1;  // outputs that reuse argument memory
  int64_t temporaries = -1;
  int64_t code = -1;
  int64_t peak = -1;
};

struct CostStats {
  double flops = -1;
  double bytes_accessed = -1;
  double optimal_seconds = -1;
};

using Buffers = std::vector<std::shared_ptr<Buffer>>;

// Statistics of an executable of this plugin, loaded or not.
MemoryStats read_memory_stats(const Plugin& plugin, PJRT_Executable* executable);
CostStats read_cost_stats(const Plugin& plugin, PJRT_Executable* executable);

// Thread-safe. May be destroyed while its work runs.
class Executable {
 public:
  // `donated`: the arguments that the program takes over, for the check below.
  Executable(std::shared_ptr<Client> client, PJRT_LoadedExecutable* handle,
             std::vector<int64_t> donated = {});
  ~Executable();
  Executable(const Executable&) = delete;
  Executable& operator=(const Executable&) = delete;

  int num_outputs() const { return num_outputs_; }
  int num_devices() const { return num_devices_; }
  const std::vector<int64_t>& donated() const { return donated_; }

  // Runs on one device: arguments in order, results in order. Which arguments are donated is part
  // of the program (aliasing attributes); an argument that must survive although the program would
  // take it goes by index into `keep`. Returns when the work is enqueued; a failure of the work
  // itself arrives through `done` (when given) and through the outputs' ready(). A buffer that is
  // donated twice, or donated and passed again, is an Error naming both arguments. Inputs may be
  // dropped right after.
  Buffers execute(std::span<const std::shared_ptr<Buffer>> arguments,
                  std::span<const int64_t> keep = {}, Future* done = nullptr);

  // Runs on num_devices() devices: arguments[device][i] to results[device][i].
  std::vector<Buffers> execute_sharded(std::span<const Buffers> arguments,
                                       std::span<const int64_t> keep = {});

  MemoryStats memory_stats() const;
  CostStats cost_stats() const;
  // For Client::deserialize on the same plugin and machine.
  std::string serialize() const;
  // Optimised HLO as the plugin gives it (a serialised HloModuleProto, or text).
  std::string optimized_program() const;
  std::string fingerprint() const;

 private:
  Executable(std::shared_ptr<Client> client, PJRT_LoadedExecutable* handle, std::nullptr_t) noexcept
      : client_(std::move(client)), handle_(handle) {}
  using Arguments = std::span<const std::shared_ptr<Buffer>>;
  void check_arguments(Arguments arguments, std::span<const int64_t> keep) const;
  void check_donated(Arguments arguments, std::span<const int64_t> keep) const;

  std::shared_ptr<Client> client_;
  PJRT_LoadedExecutable* handle_;
  PJRT_Executable* executable_ = nullptr;
  std::vector<int64_t> donated_;
  int num_outputs_ = 0;
  int num_devices_ = 1;
};

}  // namespace xylem::runtime
