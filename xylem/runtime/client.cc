#include "xylem/runtime/client.h"

#include <utility>

#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/base/sha256.h"
#include "xylem/runtime/compile_cache.h"
#include "xylem/runtime/compile_error.h"
#include "xylem/runtime/donation.h"
#include "xylem/runtime/ffi_registry.h"
#include "xylem/runtime/pjrt_api.h"
#include "xylem/runtime/serialized.h"

namespace xylem::runtime {
namespace {

PJRT_NamedValue named_value(const std::string& name, const NamedValue& value) {
  XYLEM_PJRT_ARGS(PJRT_NamedValue, out);
  out.name = name.data();
  out.name_size = name.size();
  out.value_size = 1;
  if (const auto* text = std::get_if<std::string>(&value)) {
    out.type = PJRT_NamedValue_kString;
    out.string_value = text->data();
    out.value_size = text->size();
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    out.type = PJRT_NamedValue_kInt64;
    out.int64_value = *integer;
  } else if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) {
    out.type = PJRT_NamedValue_kInt64List;
    out.int64_array_value = list->data();
    out.value_size = list->size();
  } else if (const auto* number = std::get_if<float>(&value)) {
    out.type = PJRT_NamedValue_kFloat;
    out.float_value = *number;
  } else {
    out.type = PJRT_NamedValue_kBool;
    out.bool_value = std::get<bool>(value);
  }
  return out;
}

}  // namespace

std::shared_ptr<Client> Client::create(std::shared_ptr<Plugin> plugin, const NamedValues& options) {
  register_ffi_handlers(plugin);
  std::vector<PJRT_NamedValue> values;
  for (const auto& [name, value] : options) values.push_back(named_value(name, value));
  std::shared_ptr<Client> client(new Client(std::move(plugin)));
  const Plugin& api = *client->plugin_;
  XYLEM_PJRT_ARGS(PJRT_Client_Create_Args, args);
  args.create_options = values.data();
  args.num_options = values.size();
  std::string action = fmt::format("cannot create a client of the plugin {}", api.path());
  api.check(api.api()->PJRT_Client_Create(&args), action.c_str());
  client->client_ = args.client;
  client->list_devices();
  return client;
}

Client::~Client() {
  if (client_ == nullptr || Plugin::leave_to_exit(client_)) return;
  XYLEM_PJRT_ARGS(PJRT_Client_Destroy_Args, args);
  args.client = client_;
  plugin_->ignore(plugin_->api()->PJRT_Client_Destroy(&args));
}

// Names the devices: a plugin's ids need not be 0, 1, 2...
CompileOptions Client::place(CompileOptions options) const {
  size_t wanted =
      static_cast<size_t>(options.num_replicas) * static_cast<size_t>(options.num_partitions);
  if (options.num_replicas < 1 || options.num_partitions < 1 || !options.device_ids.empty()) {
    return options;
  }
  if (wanted > addressable_ids_.size()) {
    fail(ErrorCode::kFailedPrecondition,
         "the program needs {} devices, but this client has {} (XYLEM_CPU_DEVICES makes more on a "
         "CPU)",
         wanted, addressable_ids_.size());
  }
  options.device_ids.assign(addressable_ids_.begin(),
                            addressable_ids_.begin() + static_cast<ptrdiff_t>(wanted));
  return options;
}

std::string Client::cache_key(const std::string& stablehlo, const std::string& options) const {
  Sha256 hash;
  for (const std::string& part : {stablehlo, options, plugin_->fingerprint(), platform_version(),
                                  std::to_string(addressable_.size()), machine_identity()}) {
    hash.add(std::to_string(part.size())).add(":").add(part);
  }
  return hash.hex();
}

std::shared_ptr<Executable> Client::from_cache(const std::string& key) {
  CompileCache cache = CompileCache::from_environment();
  std::optional<std::string> bytes = cache.find(key);
  if (!bytes) return nullptr;
  try {
    return deserialize(*bytes);
  } catch (const Error& error) {
    // Some machines refuse an executable that they wrote themselves (openxla/xla#44565).
    log(LogLevel::kInfo, "a cached program does not load, compiling anew: {}", error.what());
    cache.remove(key);
    return nullptr;
  }
}

std::shared_ptr<Executable> Client::compile(const std::string& stablehlo,
                                            const CompileOptions& options, bool cache) {
  std::string serialized = place(options).serialize();
  std::string key;
  if (cache) {
    key = cache_key(stablehlo, serialized);
    if (std::shared_ptr<Executable> found = from_cache(key)) return found;
  }
  XYLEM_PJRT_ARGS(PJRT_Program, program);
  set_stablehlo(stablehlo, &program);
  XYLEM_PJRT_ARGS(PJRT_Client_Compile_Args, args);
  args.client = client_;
  args.program = &program;
  args.compile_options = serialized.data();
  args.compile_options_size = serialized.size();
  PJRT_Error* error = plugin_->api()->PJRT_Client_Compile(&args);
  check_compile(*plugin_, error, stablehlo);
  compilations_.fetch_add(1, std::memory_order_relaxed);
  auto executable = std::make_shared<Executable>(shared_from_this(), args.executable,
                                                 donated_arguments(stablehlo));
  if (cache) {
    try {
      CompileCache::from_environment().store(key, executable->serialize());
    } catch (const Error& failure) {  // the plugin cannot serialise: nothing to keep
      log(LogLevel::kInfo, "the compiled program is not kept: {}", failure.what());
    }
  }
  return executable;
}

std::shared_ptr<Executable> Client::deserialize(const std::string& bytes) {
  SerializedExecutable parts = split_serialized(bytes);
  XYLEM_PJRT_ARGS(PJRT_Executable_DeserializeAndLoad_Args, args);
  args.client = client_;
  args.serialized_executable = parts.plugin_bytes.data();
  args.serialized_executable_size = parts.plugin_bytes.size();
  plugin_->check(plugin_->api()->PJRT_Executable_DeserializeAndLoad(&args),
                 "cannot load the serialised program");
  return std::make_shared<Executable>(shared_from_this(), args.loaded_executable,
                                      std::move(parts.donated));
}

}  // namespace xylem::runtime
