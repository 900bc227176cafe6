// What the tests of this layer share: reference files, hand-made bytes, expected errors.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "xylem/base/error.h"

namespace xylem::io {

inline std::string data_path(std::string_view name) {
  return std::string(XYLEM_SOURCE_DIR "/tests/data/io/") + std::string(name);
}

// A fresh folder of the running test, removed with its contents at the end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = testing::TempDir() + "/xylem_io_XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  const std::string& path() const { return path_; }
  size_t count() const {
    auto files = std::filesystem::directory_iterator(path_);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

 private:
  std::string path_;
};

// Runs the action and expects an Error of this code whose message has this text in it.
inline void expect_error(const std::function<void()>& action, ErrorCode code,
                         std::string_view text) {
  try {
    action();
    ADD_FAILURE() << "expected an error with: " << text;
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), code) << e.what();
    EXPECT_NE(std::string_view(e.what()).find(text), std::string_view::npos) << e.what();
  }
}

// Little-endian bytes put together by hand.
class Bytes {
 public:
  template <typename T>
  Bytes& put(T value) {
    text_.append(reinterpret_cast<const char*>(&value), sizeof value);
    return *this;
  }
  Bytes& raw(std::string_view text) {
    text_.append(text);
    return *this;
  }
  // A GGUF string: 64-bit length and characters.
  Bytes& string(std::string_view text) { return put<uint64_t>(text.size()).raw(text); }
  Bytes& pad_to(size_t multiple) {
    text_.append((multiple - text_.size() % multiple) % multiple, '\0');
    return *this;
  }
  const std::string& text() const { return text_; }
  std::span<const std::byte> span() const { return std::as_bytes(std::span(text_)); }

 private:
  std::string text_;
};

inline std::string hex(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out;
  for (std::byte b : bytes) {
    out += kDigits[static_cast<uint8_t>(b) >> 4];
    out += kDigits[static_cast<uint8_t>(b) & 15];
  }
  return out;
}

}  // namespace xylem::io
