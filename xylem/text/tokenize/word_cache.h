// A cache of short words' token ids: fixed size, newest wins. One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace xylem::text {

class WordCache {
 public:
  static constexpr size_t kMaxWordBytes = 26;
  static constexpr size_t kMaxIds = 9;

  // One cache line; 2 MiB in all.
  struct alignas(64) Entry {
    uint8_t bytes = 0;  // 0: empty
    uint8_t count = 0;
    std::array<char, kMaxWordBytes> word;
    std::array<int32_t, kMaxIds> ids;

    bool holds(std::string_view text) const {
      return bytes == text.size() && std::memcmp(word.data(), text.data(), text.size()) == 0;
    }
    void store(std::string_view text, std::span<const int32_t> tokens) {
      bytes = static_cast<uint8_t>(text.size());
      count = static_cast<uint8_t>(tokens.size());
      std::memcpy(word.data(), text.data(), text.size());
      std::copy(tokens.begin(), tokens.end(), ids.begin());  // tokens may be none
    }
  };

  WordCache() : entries_(std::make_unique<Entry[]>(kEntries)) {}

  // The one place where the word can be; word has 1 to kMaxWordBytes bytes.
  Entry& entry(std::string_view word) { return entries_[hash(word) >> (64 - kBits)]; }

 private:
  static constexpr int kBits = 15;
  static constexpr size_t kEntries = size_t{1} << kBits;

  static uint64_t load(const char* from, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    return value;
  }

  static uint64_t hash(std::string_view word) {
    constexpr uint64_t kMultiplier = 0x9E3779B97F4A7C15ull;
    const char* data = word.data();
    const size_t size = word.size();
    uint64_t mixed = size;
    if (size >= 8) {
      for (size_t i = 0; i + 8 < size; i += 8) {
        mixed = (mixed ^ load(data + i, 8)) * kMultiplier;
        mixed ^= mixed >> 32;
      }
      mixed ^= load(data + size - 8, 8);
    } else if (size >= 4) {
      mixed ^= (load(data, 4) << 32) ^ (load(data + size - 4, 4) << 8);
    } else {
      // 1 to 3 bytes: first, middle and last.
      mixed ^= (load(data, 1) << 32) ^ (load(data + size / 2, 1) << 24) ^
               (load(data + size - 1, 1) << 16);
    }
    mixed *= kMultiplier;
    return (mixed ^ (mixed >> 29)) * kMultiplier;
  }

  std::unique_ptr<Entry[]> entries_;
};

}  // namespace xylem::text
