// Compiled programs on disk, so that the second start of a program compiles nothing. Entries hold
// machine code: the folder is private to the user (0700), each file carries the digest of its
// contents, and anything that does not check out is a miss.
//
// The folder is XYLEM_CACHE_DIR, else $XDG_CACHE_HOME/xylem, else ~/.cache/xylem; entries lie in
// its sub-folder "programs" as <key>.bin. Together they take at most XYLEM_CACHE_MIB (1024)
// and are at most 4096; the longest unused go first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace xylem::runtime {

class CompileCache {
 public:
  // The cache under `folder`, holding at most max_bytes.
  CompileCache(std::string folder, int64_t max_bytes);
  // The cache that the environment describes, read anew at each call.
  static CompileCache from_environment();

  // The bytes stored under this key; nothing when there are none or they are damaged.
  std::optional<std::string> find(const std::string& key) const;
  // Stores the bytes, then evicts down to max_bytes. A folder that cannot be used gives one
  // warning a process, naming the cure, and is otherwise ignored.
  void store(const std::string& key, const std::string& bytes) const;
  // Forgets an entry that turned out to be unusable.
  void remove(const std::string& key) const;

  const std::string& folder() const { return folder_; }

 private:
  std::string path(const std::string& key) const;
  void prepare_folder() const;
  void evict() const;

  std::string folder_;
  int64_t max_bytes_;
};

// What compiled code depends on besides program, options and plugin: processor model and features,
// XLA_FLAGS, and the number of threads that XLA plans for.
std::string machine_identity();

}  // namespace xylem::runtime
