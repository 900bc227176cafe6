#include "xylem/runtime/compile_cache.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <vector>

#include "xylem/base/env.h"
#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/base/log.h"
#include "xylem/base/sha256.h"

namespace xylem::runtime {
namespace {

namespace fs = std::filesystem;

// A file: magic, the digest of what follows (64 hex digits), newline, the plugin's bytes.
constexpr std::string_view kMagic = "xylem program 1\n";
constexpr size_t kDigestSize = 64;
constexpr size_t kHeaderSize = kMagic.size() + kDigestSize + 1;
constexpr size_t kMaxEntry = size_t{1} << 31;
constexpr size_t kMaxEntries = 4096;  // each store looks at all of them
constexpr int64_t kMiB = 1 << 20;

std::string default_folder() {
  if (auto folder = env("XYLEM_CACHE_DIR")) return *folder;
  if (auto cache = env("XDG_CACHE_HOME")) return *cache + "/xylem";
  if (auto home = env("HOME")) return *home + "/.cache/xylem";
  return "";
}

void warn_once(const std::string& folder, const std::string& reason) {
  static std::atomic<bool> warned{false};
  if (warned.exchange(true)) return;
  log(LogLevel::kWarn,
      "compiled programs are not kept, because the cache folder {} cannot be used ({}); set "
      "XYLEM_CACHE_DIR to a folder that you can write to",
      folder.empty() ? "(none: HOME is not set)" : folder, reason);
}

std::string header_of(std::string_view payload) {
  return std::string(kMagic) + Sha256().add(payload).hex() + "\n";
}

std::string cpuinfo_line(std::ifstream& file, std::string_view key) {
  std::string line;
  while (std::getline(file, line)) {
    if (line.rfind(key, 0) == 0) return line;
  }
  return "";
}

int affinity_count() {
  cpu_set_t set;
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

}  // namespace

CompileCache::CompileCache(std::string folder, int64_t max_bytes)
    : folder_(folder.empty() ? "" : folder + "/programs"), max_bytes_(max_bytes) {}

CompileCache CompileCache::from_environment() {
  int64_t mib = env_int("XYLEM_CACHE_MIB", 0, int64_t{1} << 30).value_or(1024);
  return CompileCache(default_folder(), mib * kMiB);
}

std::string CompileCache::path(const std::string& key) const {
  return folder_ + "/" + key + ".bin";
}

std::optional<std::string> CompileCache::find(const std::string& key) const {
  struct stat info {};
  std::string file = path(key);
  // Machine code that somebody else wrote must not run.
  if (::lstat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) return std::nullopt;
  std::string contents;
  try {
    contents = read_file(file, kMaxEntry);
  } catch (const Error& error) {
    log(LogLevel::kInfo, "the compile cache: {}", error.what());
    return std::nullopt;
  }
  std::string_view view = contents;
  std::string header = header_of(view.substr(std::min(kHeaderSize, view.size())));
  if (!view.starts_with(header)) {
    log(LogLevel::kInfo, "the compile cache: {} is damaged, compiling anew", file);
    return std::nullopt;
  }
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);  // used now: evicted last; best effort
  return contents.substr(kHeaderSize);
}

void CompileCache::prepare_folder() const {
  if (folder_.empty()) fail(ErrorCode::kFailedPrecondition, "no folder is known");
  std::error_code error;
  fs::create_directories(fs::path(folder_).parent_path(), error);
  if (::mkdir(folder_.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    fail(ErrorCode::kFailedPrecondition, "{}", std::strerror(errno));
  }
  struct stat info {};
  if (::lstat(folder_.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    fail(ErrorCode::kFailedPrecondition, "it is not a folder");
  }
  if (info.st_uid != ::geteuid()) fail(ErrorCode::kFailedPrecondition, "another user owns it");
  if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0 && ::chmod(folder_.c_str(), S_IRWXU) != 0) {
    fail(ErrorCode::kFailedPrecondition, "{}", std::strerror(errno));
  }
}

void CompileCache::store(const std::string& key, const std::string& bytes) const {
  if (static_cast<int64_t>(bytes.size() + kHeaderSize) > max_bytes_) return;
  try {
    prepare_folder();
    AtomicFile file(path(key));
    file.write(header_of(bytes));
    file.write(bytes);
    file.commit();
    evict();
  } catch (const Error& error) {
    warn_once(folder_, error.what());
  }
}

void CompileCache::remove(const std::string& key) const { ::unlink(path(key).c_str()); }

void CompileCache::evict() const {
  struct Entry {
    fs::path path;
    fs::file_time_type used;
    int64_t size;
  };
  std::vector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder_, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;  // another process may evict at the same time
    auto size = static_cast<int64_t>(it->file_size(gone));
    auto used = gone ? fs::file_time_type() : it->last_write_time(gone);
    if (gone) continue;
    entries.push_back({it->path(), used, size});
    total += size;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.used < b.used; });
  size_t count = entries.size();
  for (const Entry& entry : entries) {
    if (total <= max_bytes_ && count <= kMaxEntries) break;
    std::error_code gone;
    fs::remove(entry.path, gone);
    total -= entry.size;
    --count;
  }
}

std::string machine_identity() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string text = cpuinfo_line(cpuinfo, "model name");
  text += "\n" + cpuinfo_line(cpuinfo, "flags");
  text += "\nXLA_FLAGS=" + env("XLA_FLAGS").value_or("");
  text += "\nthreads=" + env("PJRT_NPROC").value_or(std::to_string(affinity_count()));
  return text;
}

}  // namespace xylem::runtime
