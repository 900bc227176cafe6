// Array: a cheap, immutable handle on a node of a lazily evaluated graph. Nothing runs until a
// value is needed.
//
//   Array x = array<float>({1, 2, 3, 4}, {2, 2});
//   Array y = matmul(x, x) + 1.0;
//   std::vector<float> values = y.to_vector<float>();   // compiles, runs, copies
//
// Not thread-safe to evaluate the same graph from two threads at once.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "xylem/base/dtype.h"
#include "xylem/core/sharding.h"

namespace xylem {

namespace runtime {
class Buffer;
}

using Shape = std::vector<int64_t>;
// The user's line, for error messages: the last, defaulted parameter of every operation.
// std::source_location by hand, for compilers whose library lacks it.
struct Loc {
  const char* file;
  int line;

  static constexpr Loc current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// The product of the dimensions.
int64_t element_count(const Shape& shape);
// "float32(2,3)".
std::string describe(const Shape& shape, DType dtype);

// What is known of a value before it runs.
struct Aval {
  Shape shape;
  DType dtype = DType::kF32;
  Sharding sharding;

  std::string text() const { return describe(shape, dtype); }
};
bool operator==(const Aval& a, const Aval& b);

struct Node;

class Array {
 public:
  // An empty handle; using it is an Error. is_valid() tells.
  Array() = default;
  Array(std::shared_ptr<Node> node, int output) : node_(std::move(node)), output_(output) {}

  bool is_valid() const { return node_ != nullptr; }
  const Aval& aval() const;
  const Shape& shape() const { return aval().shape; }
  DType dtype() const { return aval().dtype; }
  const Sharding& sharding() const { return aval().sharding; }
  int ndim() const { return static_cast<int>(shape().size()); }
  int64_t size() const { return element_count(shape()); }
  // Size of a dimension; negative counts from the end.
  int64_t dim(int axis, Loc loc = Loc::current()) const;

  // True while the value exists on a device (or the host) already.
  bool is_evaluated() const;
  // True for a value that only exists while a function is traced (jit, grad, ...).
  bool is_traced() const;

  // Evaluates, and copies to the host, row-major. T must be the host type of the dtype
  // (DTypeOf<T>); bool arrays read as uint8_t.
  template <typename T>
  std::vector<T> to_vector() const;
  // The only element of an array of size 1.
  template <typename T>
  T item() const;
  // Evaluates and copies host_bytes(dtype, size) bytes.
  void copy_to(void* dst) const;
  // NumPy's text form.
  std::string to_string() const;

  const std::shared_ptr<Node>& node() const { return node_; }
  int output() const { return output_; }

 private:
  std::shared_ptr<Node> node_;
  int output_ = 0;
};

// Compiles and runs what these arrays still need, in one program.
void eval(std::span<const Array> arrays);
void eval(const Array& array);

// Arrays from host values, copied now: later changes to the source change nothing.
Array from_host(const void* data, const Shape& shape, DType dtype, Loc loc = Loc::current());
template <typename T>
Array array(const std::vector<T>& values, const Shape& shape, Loc loc = Loc::current());
template <typename T>
Array array(const std::vector<T>& values, Loc loc = Loc::current());
// An array over a device buffer (shape and dtype are the buffer's).
Array from_buffer(std::shared_ptr<runtime::Buffer> buffer);
// Over host memory that stays alive and unchanged while `owner` lives; the device reads it in
// place where it can (CPU, 64-byte aligned).
Array from_host_memory(const void* data, const Shape& shape, DType dtype,
                       std::shared_ptr<void> owner);
// The buffer of an evaluated array on device index `device`.
const std::shared_ptr<runtime::Buffer>& buffer_of(const Array& array, int device = 0);
// The same value laid out over the mesh, copied through the host.
Array device_put(const Array& array, const Sharding& sharding, Loc loc = Loc::current());

// ---- templates ----------------------------------------------------------------------------------

// Throws unless T is the host type of the array's dtype.
void check_host_type(const Array& array, DType host);

template <typename T>
std::vector<T> Array::to_vector() const {
  if (dtype() != DType::kBool || sizeof(T) != 1) check_host_type(*this, DTypeOf<T>::kValue);
  std::vector<T> values(static_cast<size_t>(size()));
  copy_to(values.data());
  return values;
}

[[noreturn]] void fail_item(const Array& array);

template <typename T>
T Array::item() const {
  if (size() != 1) fail_item(*this);
  if (dtype() != DType::kBool || sizeof(T) != 1) check_host_type(*this, DTypeOf<T>::kValue);
  T value;
  copy_to(&value);
  return value;
}

void check_value_count(size_t values, const Shape& shape, Loc loc);

template <typename T>
Array array(const std::vector<T>& values, const Shape& shape, Loc loc) {
  check_value_count(values.size(), shape, loc);
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<uint8_t> bytes(values.begin(), values.end());
    return from_host(bytes.data(), shape, DType::kBool, loc);
  } else {
    return from_host(values.data(), shape, DTypeOf<T>::kValue, loc);
  }
}

template <typename T>
Array array(const std::vector<T>& values, Loc loc) {
  return array<T>(values, Shape{static_cast<int64_t>(values.size())}, loc);
}

}  // namespace xylem
