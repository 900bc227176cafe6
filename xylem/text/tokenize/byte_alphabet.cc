#include "xylem/text/tokenize/byte_alphabet.h"

#include <array>
#include <cstdint>

#include "xylem/text/utf8.h"

namespace xylem::text {
namespace {

constexpr uint32_t kFirstStandIn = 0x100;
constexpr uint32_t kMaxCharacter = 0x143;  // 68 bytes need a stand-in

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int16_t, kMaxCharacter + 1> bytes;

  Alphabet() {
    bytes.fill(-1);
    uint32_t next = kFirstStandIn;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
                             (byte >= 0xAE && byte <= 0xFF);
      const uint32_t character = printable ? byte : next++;
      append_utf8(character, characters[byte]);
      bytes[character] = static_cast<int16_t>(byte);
    }
  }
};

const Alphabet& alphabet() {
  static const Alphabet instance;
  return instance;
}

}  // namespace

const std::string& byte_to_character(unsigned char byte) { return alphabet().characters[byte]; }

std::optional<std::string> characters_to_bytes(std::string_view token) {
  const Alphabet& table = alphabet();
  std::string bytes;
  bytes.reserve(token.size());
  while (!token.empty()) {
    const CodePoint point = first_code_point(token);
    if (point.value > kMaxCharacter || table.bytes[point.value] < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(table.bytes[point.value]));
    token.remove_prefix(point.size);
  }
  return bytes;
}

}  // namespace xylem::text
