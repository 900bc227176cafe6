// Which plugin and client a process uses when it does not say.
#include <cstdlib>
#include <mutex>

#include "xylem/base/env.h"
#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/runtime/client.h"
#include "xylem/runtime/plugin_search.h"

namespace xylem::runtime {
namespace {

constexpr int kMaxCpuDevices = 256;

struct Chosen {
  PluginFile file;
  std::shared_ptr<Client> client;  // null when choosing needed none
};

std::shared_ptr<Client> open_client(const PluginFile& file) {
  NamedValues options;
  if (file.name == "cpu") {
    options["cpu_device_count"] = env_int("XYLEM_CPU_DEVICES", 1, kMaxCpuDevices).value_or(1);
  }
  std::shared_ptr<Client> client = Client::create(Plugin::load(file.path), options);
  if (client->num_addressable_devices() == 0) {
    fail(ErrorCode::kUnavailable, "the plugin {} has no device here", file.path);
  }
  return client;
}

PluginFile named_plugin(const std::string& name) {
  if (name.find('/') != std::string::npos || name.ends_with(".so")) {
    return {plugin_name(name), name};
  }
  if (name != "cpu" && name != "cuda" && name != "tpu") {
    fail(ErrorCode::kInvalidArgument,
         "XYLEM_DEVICE={} is no device: expected cpu, cuda, tpu or the path of a PJRT plugin",
         name);
  }
  for (PluginFile& file : find_plugins()) {
    if (file.name == name) return file;
  }
  fail(ErrorCode::kNotFound,
       "no plugin for XYLEM_DEVICE={} was found; `xylem plugins install {}` fetches it", name,
       name);
}

// A machine's accelerator can be absent or busy while its plugin is installed, so anything better
// than a CPU must answer first.
Chosen choose() {
  if (auto name = env("XYLEM_DEVICE")) return {named_plugin(*name), nullptr};
  for (const PluginFile& file : find_plugins()) {
    if (file.name == "cpu") return {file, nullptr};
    if (!device_present(file.name)) continue;
    try {
      return {file, open_client(file)};
    } catch (const Error& error) {
      log(LogLevel::kWarn, "{} is passed over: {}", file.name, error.what());
    }
  }
  fail(ErrorCode::kNotFound,
       "no PJRT plugin was found; run scripts/setup.sh, or name one with XYLEM_DEVICE=PATH");
}

struct Default {
  std::mutex mutex;
  std::shared_ptr<Client> client;
};

// Never destroyed: clients end with the process, after every static object that may use them.
Default& current() {
  static Default& instance = *new Default;
  return instance;
}

}  // namespace

void limit_host_threads(int n) {
  if (n < 1) fail(ErrorCode::kInvalidArgument, "{} threads were asked for, expected 1 or more", n);
  ::setenv("PJRT_NPROC", std::to_string(n).c_str(), 1);
}

PluginFile choose_plugin() { return choose().file; }

std::shared_ptr<Client> default_client() {
  Default& chosen = current();
  std::lock_guard<std::mutex> lock(chosen.mutex);
  if (chosen.client == nullptr) {
    Chosen found = choose();
    chosen.client = found.client != nullptr ? found.client : open_client(found.file);
  }
  return chosen.client;
}

void set_default_client(std::shared_ptr<Client> client) {
  std::lock_guard<std::mutex> lock(current().mutex);
  current().client = std::move(client);
}

}  // namespace xylem::runtime
