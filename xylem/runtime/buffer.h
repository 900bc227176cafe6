// A device buffer: memory of one device holding a dense, row-major array.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "xylem/base/dtype.h"
#include "xylem/runtime/future.h"

struct PJRT_Buffer;

namespace xylem::runtime {

class Client;

// Owned through shared_ptr; destroying the last reference frees the device memory. Thread-safe.
class Buffer {
 public:
  // `owner`, when given, is host memory that the buffer aliases; it lives as long as the buffer.
  Buffer(std::shared_ptr<Client> client, PJRT_Buffer* buffer,
         std::shared_ptr<void> owner = nullptr);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  DType dtype() const;
  const std::vector<int64_t>& dims() const;
  int64_t size() const;         // elements
  int64_t host_size() const;    // bytes a host copy needs
  int64_t device_size() const;  // bytes on the device

  // Copies to dst (host_size() bytes, row-major) and waits.
  void copy_to_host(void* dst) const;
  // The same without waiting, int4 apart; dst must live until the future is done.
  Future copy_to_host_async(void* dst) const;
  Future ready() const;
  // The memory itself, readable in place where the device is the host (CPU plugins): the elements
  // as the device holds them (int4 packed), valid once ready() and while the buffer lives.
  const void* unsafe_pointer() const;
  std::string memory_kind() const;
  // True after the buffer was donated to a call.
  bool is_deleted() const;

  PJRT_Buffer* handle() const { return buffer_; }
  const std::shared_ptr<Client>& client() const { return client_; }

 private:
  friend class Client;
  friend class Executable;
  struct Shape {
    std::once_flag once;
    DType dtype;
    std::vector<int64_t> dims;
  };
  const Shape& shape() const;

  std::shared_ptr<Client> client_;
  PJRT_Buffer* buffer_;
  std::shared_ptr<void> owner_;
  // The number of the last call that this buffer was donated to (see Executable).
  std::atomic<uint64_t> donated_to_{0};
  // Asked of the plugin at first use: most results only travel to the next call.
  mutable Shape shape_;
};

}  // namespace xylem::runtime
