// SHA-256 (FIPS 180-4): names of cache entries and checks of stored files.
//
//   std::string key = Sha256().add(text).add(options).hex();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xylem {

class Sha256 {
 public:
  Sha256();
  // Appends bytes. Fields of varying length need a separator or their length between them.
  Sha256& add(std::string_view bytes);
  // The digest of what was added so far, 32 bytes; the object may not be used afterwards.
  std::array<uint8_t, 32> digest();
  // The digest as 64 hexadecimal digits.
  std::string hex();

 private:
  void block(const uint8_t* bytes);

  std::array<uint32_t, 8> state_;
  std::array<uint8_t, 64> pending_{};
  size_t pending_size_ = 0;
  uint64_t total_ = 0;
};

}  // namespace xylem
