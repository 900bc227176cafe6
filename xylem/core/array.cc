#include "xylem/core/array.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "xylem/core/node.h"
#include "xylem/core/placement.h"
#include "xylem/runtime/client.h"

namespace xylem {

int64_t element_count(const Shape& shape) {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}

std::string describe(const Shape& shape, DType dtype) {
  return fmt::format("{}({})", dtype_name(dtype), fmt::join(shape, ","));
}

bool operator==(const Aval& a, const Aval& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.sharding == b.sharding;
}

const Aval& Array::aval() const {
  if (node_ == nullptr) fail(ErrorCode::kFailedPrecondition, "[Array] an empty array has no shape");
  return node_->outputs[static_cast<size_t>(output_)];
}

int64_t Array::dim(int axis, Loc loc) const {
  return shape()[static_cast<size_t>(normalize_axis(axis, ndim(), "dim", loc))];
}

bool Array::is_evaluated() const {
  return node_ != nullptr && (node_->has_value(output_) || node_->op == &kHostOp);
}

bool Array::is_traced() const { return node_ != nullptr && node_->trace != 0; }

void Array::copy_to(void* dst) const {
  eval(*this);
  gather_to_host(*this, dst);
}

void check_host_type(const Array& array, DType host) {
  if (array.dtype() == host) return;
  // One-byte types that the host has no name for are read as raw bytes.
  if (bit_width(array.dtype()) <= 8 && bit_width(host) == 8) return;
  fail(ErrorCode::kInvalidArgument,
       "[to_vector] the array is {} but the host type is {}; use astype", array.aval().text(),
       dtype_name(host));
}

void fail_item(const Array& array) {
  fail(ErrorCode::kInvalidArgument, "[item] {} has {} elements, expected 1", array.aval().text(),
       array.size());
}

void check_value_count(size_t values, const Shape& shape, Loc loc) {
  for (int64_t d : shape) {
    if (d < 0) op_error("array", loc, "the shape ({}) has a negative size", fmt::join(shape, ","));
  }
  if (static_cast<int64_t>(values) != element_count(shape)) {
    op_error("array", loc, "{} values do not fill the shape ({})", values, fmt::join(shape, ","));
  }
}

Array from_host(const void* data, const Shape& shape, DType dtype, Loc loc) {
  check_value_count(static_cast<size_t>(element_count(shape)), shape, loc);
  size_t bytes = static_cast<size_t>(host_bytes(dtype, element_count(shape)));
  std::shared_ptr<void> copy(std::aligned_alloc(64, (bytes + 64) / 64 * 64), std::free);
  if (bytes > 0) std::memcpy(copy.get(), data, bytes);
  return from_host_memory(copy.get(), shape, dtype, copy);
}

Array from_host_memory(const void* data, const Shape& shape, DType dtype,
                       std::shared_ptr<void> owner) {
  auto host = std::make_shared<HostData>(HostData{data, std::move(owner)});
  return make_op(kHostOp, {}, {}, {shape, dtype, {}}, std::move(host));
}

Array from_buffer(std::shared_ptr<runtime::Buffer> buffer) {
  Array array = make_op(kBufferOp, {}, {}, {buffer->dims(), buffer->dtype(), {}});
  array.node()->values = {{std::move(buffer)}};
  return array;
}

const std::shared_ptr<runtime::Buffer>& buffer_of(const Array& array, int device) {
  eval(array);
  return array.node()->values[static_cast<size_t>(array.output())][static_cast<size_t>(device)];
}

Array device_put(const Array& array, const Sharding& sharding, Loc) {
  sharding.check(array.shape(), "device_put");
  Array placed = make_op(kBufferOp, {}, {}, {array.shape(), array.dtype(), sharding});
  placed.node()->values = {place_on_devices(array, sharding)};
  return placed;
}

}  // namespace xylem
