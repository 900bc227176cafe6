// xylem devices: the plugins found and the devices behind them.
#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "xylem/base/cpu.h"
#include "xylem/base/error.h"
#include "xylem/cli/command.h"
#include "xylem/io/json.h"
#include "xylem/runtime/client.h"

namespace xylem::cli {
namespace {

using nlohmann::ordered_json;

ordered_json value_json(const runtime::NamedValue& value) {
  return std::visit([](const auto& v) { return ordered_json(v); }, value);
}

ordered_json device_json(const runtime::DeviceInfo& device) {
  ordered_json object = {{"id", device.id},
                         {"kind", device.kind},
                         {"description", device.description},
                         {"addressable", device.addressable}};
  object["memories"] = ordered_json::array();
  for (const runtime::MemoryInfo& memory : device.memories) {
    ordered_json m = {{"kind", memory.kind}};
    if (memory.bytes_limit >= 0) m["bytes_limit"] = memory.bytes_limit;
    if (memory.bytes_in_use >= 0) m["bytes_in_use"] = memory.bytes_in_use;
    object["memories"].push_back(m);
  }
  return object;
}

// A plugin that does not answer is listed with its reason, not an error.
ordered_json plugin_json(const runtime::PluginFile& file) {
  ordered_json object = {{"name", file.name}, {"path", file.path}};
  try {
    std::shared_ptr<runtime::Plugin> plugin = runtime::Plugin::load(file.path);
    auto [major, minor] = plugin->api_version();
    object["pjrt_api"] = fmt::format("{}.{}", major, minor);
    object["attributes"] = ordered_json::object();
    for (const auto& [name, value] : plugin->attributes()) {
      object["attributes"][name] = value_json(value);
    }
    std::shared_ptr<runtime::Client> client = runtime::Client::create(plugin);
    object["platform"] = client->platform_name();
    object["platform_version"] = client->platform_version();
    object["devices"] = ordered_json::array();
    for (const runtime::DeviceInfo& device : client->devices()) {
      object["devices"].push_back(device_json(device));
    }
  } catch (const Error& e) {
    object["error"] = e.what();
  }
  return object;
}

void print_text(const ordered_json& plugin, bool chosen) {
  fmt::print("{}{}  {}\n", chosen ? "* " : "  ", plugin["name"].get<std::string>(),
             plugin["path"].get<std::string>());
  if (plugin.contains("pjrt_api")) {
    fmt::print("    PJRT {}", plugin["pjrt_api"].get<std::string>());
    for (const char* key : {"xla_version", "stablehlo_current_version"}) {
      if (plugin["attributes"].contains(key)) {
        fmt::print(", {} {}", key, io::dump_json(plugin["attributes"][key]));
      }
    }
    fmt::print("\n");
  }
  if (plugin.contains("error")) {
    fmt::print("    not usable: {}\n", plugin["error"].get<std::string>());
    return;
  }
  for (const ordered_json& device : plugin["devices"]) {
    fmt::print("    device {}: {}", device["id"].get<int64_t>(), device["kind"].get<std::string>());
    for (const ordered_json& memory : device["memories"]) {
      fmt::print(", {}", memory["kind"].get<std::string>());
      if (memory.contains("bytes_limit")) {
        fmt::print(" {:.1f} GiB", memory["bytes_limit"].get<double>() / (1 << 30));
      }
    }
    fmt::print("\n");
  }
}

void run(bool json) {
  ordered_json plugins = ordered_json::array();
  for (const runtime::PluginFile& file : runtime::find_plugins()) {
    plugins.push_back(plugin_json(file));
  }
  std::string chosen = runtime::choose_plugin().path;
  if (json) {
    ordered_json report = {{"chosen", chosen},
                           {"cpu", cpu_description()},
                           {"cpu_level", cpu_level_name(cpu_level())},
                           {"plugins", plugins}};
    fmt::print("{}\n", io::dump_json(report, 2));
    return;
  }
  for (const ordered_json& plugin : plugins) print_text(plugin, plugin["path"] == chosen);
  fmt::print("processor: {} (kernels: {})\n", cpu_description(), cpu_level_name(cpu_level()));
}

}  // namespace

void add_devices(CLI::App& program) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = program.add_subcommand(
      "devices", "List plugins, versions, devices and memory; * marks the one in use.");
  command->add_flag("--json", *json, "one JSON object");
  command->footer("XYLEM_DEVICE=cpu|cuda|tpu|PATH chooses the device.");
  command->callback([json] { run(*json); });
}

}  // namespace xylem::cli
