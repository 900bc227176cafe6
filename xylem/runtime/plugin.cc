#include "xylem/runtime/plugin.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/plugin_search.h"

namespace xylem::runtime {
namespace {

std::atomic<bool> exiting{false};

// Extensions form a linked list in the plugin's memory; a longer one than this is a broken list.
constexpr int kMaxExtensions = 256;

ErrorCode error_code(int code) {
  switch (code) {
    case PJRT_Error_Code_INVALID_ARGUMENT:
    case PJRT_Error_Code_OUT_OF_RANGE:
      return ErrorCode::kInvalidArgument;
    case PJRT_Error_Code_NOT_FOUND:
      return ErrorCode::kNotFound;
    case PJRT_Error_Code_FAILED_PRECONDITION:
    case PJRT_Error_Code_ALREADY_EXISTS:
    case PJRT_Error_Code_PERMISSION_DENIED:
      return ErrorCode::kFailedPrecondition;
    case PJRT_Error_Code_RESOURCE_EXHAUSTED:
      return ErrorCode::kResourceExhausted;
    case PJRT_Error_Code_UNIMPLEMENTED:
      return ErrorCode::kUnimplemented;
    case PJRT_Error_Code_UNAVAILABLE:
    case PJRT_Error_Code_DEADLINE_EXCEEDED:
      return ErrorCode::kUnavailable;
    case PJRT_Error_Code_CANCELLED:
    case PJRT_Error_Code_ABORTED:
      return ErrorCode::kCancelled;
    case PJRT_Error_Code_DATA_LOSS:
      return ErrorCode::kDataLoss;
    default:
      return ErrorCode::kInternal;
  }
}

std::string error_text(const PJRT_Api& api, const PJRT_Error* error) {
  XYLEM_PJRT_ARGS(PJRT_Error_Message_Args, args);
  args.error = error;
  api.PJRT_Error_Message(&args);
  std::string message(args.message, args.message_size);
  // Newer plugins append where in their own source the error arose.
  message.resize(std::min(message.find("\n=== Source Location Trace"), message.size()));
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return message;
}

void destroy_error(const PJRT_Api& api, PJRT_Error* error) {
  XYLEM_PJRT_ARGS(PJRT_Error_Destroy_Args, args);
  args.error = error;
  api.PJRT_Error_Destroy(&args);
}

// dlerror() without the path that it begins with: our message has named it already.
std::string loader_error(const std::string& path) {
  const char* text = ::dlerror();
  std::string message = text == nullptr ? "unknown reason" : text;
  std::string prefix = path + ": ";
  return message.rfind(prefix, 0) == 0 ? message.substr(prefix.size()) : message;
}

std::string resolve(const std::string& path) {
  std::error_code error;
  std::filesystem::path real = std::filesystem::canonical(path, error);
  if (error) fail(ErrorCode::kNotFound, "cannot load the plugin {}: {}", path, error.message());
  if (!std::filesystem::is_regular_file(real)) {
    fail(ErrorCode::kInvalidArgument,
         "cannot load the plugin {}: expected a shared library, not a folder or device", path);
  }
  return real.string();
}

}  // namespace

bool Plugin::leave_to_exit(void* plugin_object) {
  if (!exiting.load(std::memory_order_relaxed)) return false;
  static std::mutex mutex;
  static auto& left = *new std::vector<void*>;
  std::lock_guard<std::mutex> lock(mutex);
  left.push_back(plugin_object);
  return true;
}

std::shared_ptr<Plugin> Plugin::load(const std::string& path) {
  static std::mutex mutex;
  // Never destroyed: plugins stay loaded while static objects of other files still use them.
  static auto& loaded = *new std::map<std::string, std::shared_ptr<Plugin>>;
  std::string real = resolve(path);
  std::lock_guard<std::mutex> lock(mutex);
  if (auto found = loaded.find(real); found != loaded.end()) return found->second;
  std::shared_ptr<Plugin> plugin(new Plugin);
  plugin->path_ = path;
  plugin->open();
  plugin->initialize();
  loaded.emplace(real, plugin);
  return plugin;
}

void Plugin::open() {
  if (plugin_name(path_) == "tpu" && !device_present("tpu")) {
    // Without a TPU, libtpu would ask a cloud metadata server for minutes.
    ::setenv("TPU_SKIP_MDS_QUERY", "1", 0);
  }
  // XLA would report on every client and repeat errors that it returns to us anyway.
  if (!log_enabled(LogLevel::kDebug)) ::setenv("TF_CPP_MIN_LOG_LEVEL", "3", 0);
  void* library = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fail(ErrorCode::kInvalidArgument, "cannot load the plugin {}: {}", path_, loader_error(path_));
  }
  // Registered after the plugin's own exit handlers, so it runs before them.
  std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
  auto get_api = reinterpret_cast<const PJRT_Api* (*)()>(::dlsym(library, "GetPjrtApi"));
  if (get_api == nullptr) {
    ::dlclose(library);
    fail(ErrorCode::kInvalidArgument,
         "{} is a shared library but no PJRT plugin: it does not export GetPjrtApi", path_);
  }
  api_ = get_api();
  if (api_ == nullptr) fail(ErrorCode::kUnavailable, "the plugin {} gave no PJRT API", path_);
}

void Plugin::initialize() {
  auto [major, minor] = api_version();
  if (major != PJRT_API_MAJOR) {
    fail(ErrorCode::kUnimplemented, "the plugin {} speaks PJRT {}.{}, expected {}.x", path_, major,
         minor, PJRT_API_MAJOR);
  }
  // Everything up to PJRT_Compile has been in the API since its first stable form; what came
  // later is asked for where it is used.
  if (!XYLEM_PJRT_HAS(*this, PJRT_Compile)) {
    fail(ErrorCode::kUnimplemented, "the plugin {} has an incomplete PJRT API (version {}.{})",
         path_, major, minor);
  }
  if (api_->PJRT_Plugin_Initialize != nullptr) {
    XYLEM_PJRT_ARGS(PJRT_Plugin_Initialize_Args, args);
    check(api_->PJRT_Plugin_Initialize(&args), "cannot initialise the plugin");
  }
  if (api_->PJRT_Plugin_Attributes != nullptr) {
    XYLEM_PJRT_ARGS(PJRT_Plugin_Attributes_Args, args);
    check(api_->PJRT_Plugin_Attributes(&args), "cannot read the plugin's attributes");
    attributes_ = read_named_values(args.attributes, args.num_attributes);
  }
}

std::pair<int, int> Plugin::api_version() const {
  return {api_->pjrt_api_version.major_version, api_->pjrt_api_version.minor_version};
}

std::string Plugin::fingerprint() const {
  auto [major, minor] = api_version();
  std::string name = std::filesystem::path(path_).filename().string();
  struct stat info {};
  if (::stat(path_.c_str(), &info) != 0) return fmt::format("{} {}.{}", name, major, minor);
  return fmt::format("{} {} {}.{:09} {}.{}", name, info.st_size, info.st_mtim.tv_sec,
                     info.st_mtim.tv_nsec, major, minor);
}

const void* Plugin::extension(int type) const {
  const PJRT_Extension_Base* extension = api_->extension_start;
  for (int i = 0; extension != nullptr && i < kMaxExtensions; ++i) {
    if (raw_enum(extension->type) == type) return extension;
    extension = extension->next;
  }
  return nullptr;
}

void Plugin::check(PJRT_Error* error, const char* action) const {
  if (error == nullptr) return;
  std::string message = error_text(*api_, error);
  XYLEM_PJRT_ARGS(PJRT_Error_GetCode_Args, args);
  args.error = error;
  PJRT_Error* failure = api_->PJRT_Error_GetCode(&args);
  ErrorCode code = failure == nullptr ? error_code(raw_enum(args.code)) : ErrorCode::kInternal;
  if (failure != nullptr) destroy_error(*api_, failure);
  destroy_error(*api_, error);
  fail(code, "{}: {}", action, message);
}

void Plugin::ignore(PJRT_Error* error) const noexcept {
  if (error == nullptr) return;
  try {
    log(LogLevel::kDebug, "PJRT: {}", error_text(*api_, error));
  } catch (...) {  // no memory for the message: nothing else is lost
  }
  destroy_error(*api_, error);
}

}  // namespace xylem::runtime
