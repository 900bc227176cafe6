// Files: read-only memory maps, whole-file reads, and writes that leave the old file or the new
// one, never half.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace xylem {

// A read-only memory map of a whole regular file. Immutable after opening; safe to share.
class MappedFile {
 public:
  // Throws kNotFound or kInvalidArgument naming the path and the system's reason.
  static std::shared_ptr<const MappedFile> open(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::string& path() const { return path_; }
  // Tells the kernel that these bytes will not be read again, so that they leave the process's
  // resident memory (they can still be read: the kernel fetches them anew).
  void release(size_t offset, size_t size) const;
  // The same for a view into bytes(); a view of something else is ignored.
  void release(std::span<const std::byte> part) const;

 private:
  MappedFile(std::string path, const std::byte* data, size_t size);
  std::string path_;
  const std::byte* data_;
  size_t size_;
};

// The whole file as a string; refuses files above max_bytes.
std::string read_file(const std::string& path, size_t max_bytes = size_t{1} << 30);

// A file that appears under its path complete or not at all: bytes go to a temporary name beside
// it, commit() syncs and renames, and a destructor without commit() removes the temporary file.
//
//   AtomicFile file(path);
//   file.write(header);
//   file.write(body);
//   file.commit();
//
// Errors (kResourceExhausted when the disk is full) name the path and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text);
  void commit();

 private:
  std::string path_;
  std::string temporary_;
  int fd_;  // -1 once committed
};

// Writes the whole contents through an AtomicFile.
void write_file_atomic(const std::string& path, std::string_view contents);

}  // namespace xylem
