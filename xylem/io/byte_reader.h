// A cursor over the bytes of an untrusted file: every read is checked against what is left, and a
// short file is an error that says what was being read, where, and how much was missing.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "xylem/base/error.h"
#include "xylem/io/printable.h"

namespace xylem::io {

static_assert(std::endian::native == std::endian::little, "files are read in place");

class ByteReader {
 public:
  // file names the source in messages and must outlive the reader.
  ByteReader(std::span<const std::byte> bytes, std::string_view file)
      : bytes_(bytes), file_(file) {}

  size_t position() const { return position_; }
  size_t left() const { return bytes_.size() - position_; }
  std::string_view file() const { return file_; }
  // The bytes from an earlier position up to the cursor.
  std::span<const std::byte> since(size_t begin) const {
    return bytes_.subspan(begin, position_ - begin);
  }

  // kDataLoss when fewer than size bytes are left. what says in words what is read.
  std::span<const std::byte> take(uint64_t size, std::string_view what) {
    if (size > left()) {
      fail(ErrorCode::kDataLoss,
           "{} is truncated or corrupt: {} at byte {} needs {} bytes, {} left", file_,
           printable(what), position_, size, left());
    }
    auto taken = bytes_.subspan(position_, static_cast<size_t>(size));
    position_ += taken.size();
    return taken;
  }

  template <typename T>
  T read(std::string_view what) {
    static_assert(std::is_trivially_copyable_v<T>);
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  // kDataLoss when count items of at least min_bytes each cannot be in what is left: to be called
  // before anything is allocated for them.
  void expect_items(uint64_t count, size_t min_bytes, std::string_view what) const {
    if (count > left() / min_bytes) {
      fail(ErrorCode::kDataLoss, "{} is truncated or corrupt: it claims {} {} with {} bytes left",
           file_, count, printable(what), left());
    }
  }

 private:
  std::span<const std::byte> bytes_;
  std::string_view file_;
  size_t position_ = 0;
};

}  // namespace xylem::io
