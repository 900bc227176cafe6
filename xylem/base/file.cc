#include "xylem/base/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

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
  ErrorCode code = errno == ENOENT   ? ErrorCode::kNotFound
                   : errno == ENOSPC ? ErrorCode::kResourceExhausted
                                     : ErrorCode::kInvalidArgument;
  fail(code, "cannot {} {}: {}", action, path, std::strerror(errno));
}

int open_regular(const std::string& path, size_t* size) {
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail_errno(path, "open");
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    ::close(fd);
    fail(ErrorCode::kInvalidArgument, "cannot open {}: it is not a regular file", path);
  }
  *size = static_cast<size_t>(info.st_size);
  return fd;
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

void write_file_atomic(const std::string& path, std::string_view contents) {
  std::string temporary = path + ".XXXXXX";
  Descriptor fd(::mkstemp(temporary.data()));
  if (fd.get() < 0) fail_errno(path, "write");
  auto abandon = [&](const char* action) {
    int saved = errno;
    ::unlink(temporary.c_str());
    errno = saved;
    fail_errno(path, action);
  };
  size_t done = 0;
  while (done < contents.size()) {
    ssize_t n = ::write(fd.get(), contents.data() + done, contents.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) abandon("write");
    done += static_cast<size_t>(n);
  }
  if (::fchmod(fd.get(), 0644) != 0 || ::fsync(fd.get()) != 0) abandon("write");
  if (::rename(temporary.c_str(), path.c_str()) != 0) abandon("rename over");
}

}  // namespace xylem
