#include "xylem/kernels/cpu/scratch.h"

#include <sys/mman.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <new>

namespace xylem::kernels {
namespace {

struct Free {
  void operator()(char* p) const { std::free(p); }
};

struct Buffer {
  std::unique_ptr<char, Free> data;
  int64_t bytes = 0;
};

constexpr int64_t kHugePage = int64_t{2} << 20;

}  // namespace

char* scratch(Scratch purpose, int64_t bytes) {
  thread_local std::array<Buffer, static_cast<size_t>(Scratch::kCount)> buffers;
  Buffer& buffer = buffers[static_cast<size_t>(purpose)];
  if (buffer.bytes >= bytes && buffer.data) return buffer.data.get();
  // Large buffers in huge pages: panels are read at many places at once, each a page otherwise.
  const int64_t unit = bytes >= kHugePage ? kHugePage : 4096;
  const int64_t size = (bytes + unit) / unit * unit;
  buffer.data.reset();
  buffer.data.reset(
      static_cast<char*>(std::aligned_alloc(static_cast<size_t>(unit), static_cast<size_t>(size))));
  if (!buffer.data) {
    buffer.bytes = 0;
    throw std::bad_alloc();
  }
  buffer.bytes = size;
  if (unit == kHugePage) ::madvise(buffer.data.get(), static_cast<size_t>(size), MADV_HUGEPAGE);
  return buffer.data.get();
}

}  // namespace xylem::kernels
