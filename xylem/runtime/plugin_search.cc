#include "xylem/runtime/plugin_search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

#include "xylem/base/env.h"
#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/runtime/plugin.h"

namespace xylem::runtime {
namespace {

namespace fs = std::filesystem;

// Best device first.
constexpr std::array<const char*, 3> kNames = {"tpu", "cuda", "cpu"};

size_t rank(const std::string& name) {
  return static_cast<size_t>(std::find(kNames.begin(), kNames.end(), name) - kNames.begin());
}

std::vector<std::string> split_folders(const std::string& list) {
  std::vector<std::string> folders;
  size_t begin = 0;
  while (begin <= list.size()) {
    size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) folders.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return folders;
}

std::string user_folder() {
  if (auto data = env("XDG_DATA_HOME")) return *data + "/xylem/plugins";
  if (auto home = env("HOME")) return *home + "/.local/share/xylem/plugins";
  return "";
}

void add_folder(const std::string& folder, std::vector<PluginFile>* found) {
  std::error_code error;
  std::vector<std::string> paths;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    paths.push_back(it->path().string());
  }
  // pjrt_cpu.so, the default of its folder, before pjrt_cpu_0.81.so.
  std::sort(paths.begin(), paths.end(), [](const std::string& a, const std::string& b) {
    return std::make_pair(a.size(), a) < std::make_pair(b.size(), b);
  });
  for (const std::string& path : paths) {
    std::string name = plugin_name(path);
    if (!name.empty() && fs::is_regular_file(path, error)) found->push_back({name, path});
  }
}

// Whether the folder has a device file: `prefix` and then a number.
bool has_device_file(const char* folder, const std::string& prefix) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::string file = it->path().filename().string();
    if (file.size() > prefix.size() && file.rfind(prefix, 0) == 0 &&
        std::isdigit(static_cast<unsigned char>(file[prefix.size()]))) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::string plugin_name(const std::string& path) {
  std::string file = fs::path(path).filename().string();
  if (file == "libtpu.so") return "tpu";
  constexpr std::string_view kPrefix = "pjrt_";
  if (file.rfind(kPrefix, 0) != 0 || !file.ends_with(".so")) return "";
  std::string stem = file.substr(kPrefix.size(), file.size() - kPrefix.size() - 3);
  std::string name = stem.substr(0, stem.find('_'));
  return rank(name) < kNames.size() ? name : "";
}

bool device_present(const std::string& name) {
  if (name == "tpu") return has_device_file("/dev", "accel") || has_device_file("/dev/vfio", "");
  if (name == "cuda") return has_device_file("/dev", "nvidia");
  return true;
}

std::vector<PluginFile> find_plugins() {
  std::vector<PluginFile> found;
  for (const std::string& folder : split_folders(env("XYLEM_PLUGIN_PATH").value_or(""))) {
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
      log(LogLevel::kWarn, "XYLEM_PLUGIN_PATH names {}, which is not a folder", folder);
    }
    add_folder(folder, &found);
  }
  add_folder(XYLEM_DEPS "/plugins", &found);
  if (std::string folder = user_folder(); !folder.empty()) add_folder(folder, &found);
  std::stable_sort(found.begin(), found.end(), [](const PluginFile& a, const PluginFile& b) {
    return rank(a.name) < rank(b.name);
  });
  return found;
}

}  // namespace xylem::runtime
