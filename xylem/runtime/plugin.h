// A PJRT plugin: a shared library that exports GetPjrtApi. Loading negotiates versions, initialises
// the plugin once, and indexes its extensions.
//
//   auto client = runtime::Client::create(runtime::Plugin::load(path));
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

struct PJRT_Api;
struct PJRT_Error;

namespace xylem::runtime {

// A named value of PJRT: plugin attributes, client options, cost figures.
using NamedValue = std::variant<std::string, int64_t, std::vector<int64_t>, float, bool>;
using NamedValues = std::map<std::string, NamedValue>;

class Plugin {
 public:
  // dlopens the library, checks the API version and initialises. One object a path for the life of
  // the process (plugins cannot be unloaded). Errors name the path and the system's reason.
  static std::shared_ptr<Plugin> load(const std::string& path);

  const std::string& path() const { return path_; }
  // PJRT API version, major and minor.
  std::pair<int, int> api_version() const;
  // The plugin's own attributes, for example "xla_version", "stablehlo_current_version".
  const NamedValues& attributes() const { return attributes_; }
  // Name, size and date of the library file and its API version: part of compile-cache keys.
  std::string fingerprint() const;

  const PJRT_Api* api() const { return api_; }
  // The extension of this type (PJRT_Extension_Type), or null.
  const void* extension(int type) const;
  // Throws the plugin's message as an Error, with `action` before it; frees the PJRT error.
  void check(PJRT_Error* error, const char* action) const;
  // For destructors, which must not throw: frees the error and logs it.
  void ignore(PJRT_Error* error) const noexcept;

  // For destructors: true once the process runs its exit handlers. The plugins' own globals are
  // going away then, so that an object of theirs must be left to the system; it is remembered, to
  // tell it from a leak.
  static bool leave_to_exit(void* plugin_object);

 private:
  friend void register_ffi_handlers(const std::shared_ptr<Plugin>& plugin);

  Plugin() = default;
  void open();
  void initialize();
  std::string path_;
  const PJRT_Api* api_ = nullptr;
  NamedValues attributes_;
  std::mutex ffi_mutex_;
  std::set<std::string> ffi_targets_;        // registered with the plugin so far
  std::pair<int, int> ffi_version_{-1, -1};  // of the plugin, once a handler is registered
};

// A plugin that could be loaded: its short name ("cpu", "cuda", "tpu") and file.
struct PluginFile {
  std::string name;
  std::string path;
};

// Plugins found in XYLEM_PLUGIN_PATH (folders separated by ':'), in the set-up's folder and in
// the user's plugin folder ($XDG_DATA_HOME/xylem/plugins), best device first (tpu, cuda, cpu).
std::vector<PluginFile> find_plugins();
// The plugin for XYLEM_DEVICE=cpu|cuda|tpu|PATH; without it the first of find_plugins() whose
// client answers with a device.
PluginFile choose_plugin();

}  // namespace xylem::runtime
