#include "xylem/io/printable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace xylem::io {
namespace {

// The length of the well-formed UTF-8 sequence that text starts with; 0 when there is none.
size_t utf8_sequence(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and code points past U+10FFFF show in the second byte.
  uint8_t second = byte(1);
  if (lead == 0xe0 && second < 0xa0) return 0;
  if (lead == 0xed && second > 0x9f) return 0;
  if (lead == 0xf0 && second < 0x90) return 0;
  if (lead == 0xf4 && second > 0x8f) return 0;
  return length;
}

// Control characters of ASCII and of the C1 block (U+0080 to U+009F), which terminals obey too.
bool is_control(std::string_view sequence) {
  uint8_t lead = static_cast<uint8_t>(sequence[0]);
  if (sequence.size() == 1) return lead < 0x20 || lead == 0x7f;
  return lead == 0xc2 && static_cast<uint8_t>(sequence[1]) < 0xa0;
}

}  // namespace

std::string printable(std::string_view text, size_t max_bytes) {
  std::string out;
  size_t i = 0;
  while (i < text.size()) {
    if (out.size() >= max_bytes) return out + "...";
    size_t length = utf8_sequence(text.substr(i));
    std::string_view sequence = text.substr(i, std::max<size_t>(length, 1));
    if (length == 0 || is_control(sequence)) {
      for (char c : sequence) {
        fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<uint8_t>(c));
      }
    } else {
      out += sequence;
    }
    i += sequence.size();
  }
  return out;
}

}  // namespace xylem::io
