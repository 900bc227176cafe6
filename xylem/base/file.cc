#include "xylem/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "xylem/base/error.h"

namespace xylem {
namespace {

// An open file descriptor, closed on scope exit.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

[[noreturn]] void fail_errno(const std::string& path, const char* action) {
  ErrorCode code = errno == ENOENT                      ? ErrorCode::kNotFound
                   : errno == ENOSPC || errno == EDQUOT ? ErrorCode::kResourceExhausted
                                                        : ErrorCode::kInvalidArgument;
  fail(code, "cannot {} {}: {}", action, path, std::strerror(errno));
}

int open_regular(const std::string& path, size_t* size) {
  // O_NONBLOCK: a named pipe must be refused below, not waited for here.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) fail_errno(path, "open");
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    fail(ErrorCode::kInvalidArgument, "cannot open {}: it is not a regular file", path);
  }
  *size = static_cast<size_t>(info.st_size);
  return fd;
}

// Makes a rename in the path's folder durable. Best effort: some file systems refuse it, and the
// file itself is already whole.
void sync_folder_of(const std::string& path) {
  size_t slash = path.rfind('/');
  std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  Descriptor fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());
}

}  // namespace

MappedFile::MappedFile(std::string path, const std::byte* data, size_t size)
    : path_(std::move(path)), data_(data), size_(size) {}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string& path) {
  size_t size = 0;
  Descriptor fd(open_regular(path, &size));
  void* data = nullptr;
  if (size > 0) {
    data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (data == MAP_FAILED) fail_errno(path, "map");
  }
  return std::shared_ptr<const MappedFile>(
      new MappedFile(path, static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  if (size_ > 0) ::munmap(const_cast<std::byte*>(data_), size_);
}

void MappedFile::release(size_t offset, size_t size) const {
  const size_t page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t begin = (offset + page - 1) / page * page;
  size_t end = (offset + size) / page * page;
  if (begin < end) ::madvise(const_cast<std::byte*>(data_) + begin, end - begin, MADV_DONTNEED);
}

void MappedFile::release(std::span<const std::byte> part) const {
  std::less_equal<const std::byte*> not_after;
  if (not_after(data_, part.data()) && not_after(part.data() + part.size(), data_ + size_)) {
    release(static_cast<size_t>(part.data() - data_), part.size());
  }
}

std::string read_file(const std::string& path, size_t max_bytes) {
  size_t size = 0;
  Descriptor fd(open_regular(path, &size));
  if (size > max_bytes) {
    fail(ErrorCode::kInvalidArgument, "{} has {} bytes, more than the {} expected here", path, size,
         max_bytes);
  }
  std::string contents(size, '\0');
  size_t done = 0;
  while (done < size) {
    ssize_t n = ::read(fd.get(), contents.data() + done, size - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno(path, "read");
    if (n == 0) break;
    done += static_cast<size_t>(n);
  }
  contents.resize(done);
  return contents;
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), temporary_(path_ + ".XXXXXX") {
  fd_ = ::mkostemp(temporary_.data(), O_CLOEXEC);
  if (fd_ < 0) fail_errno(path_, "write");
}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail_errno(path_, "write");
    done += static_cast<size_t>(n);
  }
}

void AtomicFile::write(std::string_view text) { write(std::as_bytes(std::span(text))); }

void AtomicFile::commit() {
  if (::fchmod(fd_, 0644) != 0 || ::fsync(fd_) != 0) fail_errno(path_, "write");
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_errno(path_, "rename over");
  ::close(fd_);
  fd_ = -1;
  sync_folder_of(path_);
}

void write_file_atomic(const std::string& path, std::string_view contents) {
  AtomicFile file(path);
  file.write(contents);
  file.commit();
}

}  // namespace xylem
