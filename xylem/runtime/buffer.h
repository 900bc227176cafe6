// A device buffer: memory of one device holding a dense, row-major array.
#pragma once

#include <cstdint>
#include <memory>
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

  DType dtype() const { return dtype_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t size() const;         // elements
  int64_t host_size() const;    // bytes a host copy needs
  int64_t device_size() const;  // bytes on the device

  // Copies to dst (host_size() bytes, row-major) and waits.
  void copy_to_host(void* dst) const;
  Future copy_to_host_async(void* dst) const;
  Future ready() const;
  // The memory itself, readable in place where the device is the host (CPU plugins).
  const void* unsafe_pointer() const;
  std::string memory_kind() const;
  // True after the buffer was donated to a call.
  bool is_deleted() const;

  PJRT_Buffer* handle() const { return buffer_; }
  const std::shared_ptr<Client>& client() const { return client_; }

 private:
  std::shared_ptr<Client> client_;
  PJRT_Buffer* buffer_;
  std::shared_ptr<void> owner_;
  DType dtype_;
  std::vector<int64_t> dims_;
};

}  // namespace xylem::runtime
