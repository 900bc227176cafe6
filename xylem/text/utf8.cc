#include "xylem/text/utf8.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstring>

namespace xylem::text {
namespace {

enum class SequenceState { kComplete, kIncomplete, kInvalid };

struct Sequence {
  SequenceState state;
  size_t size;  // bytes that belong to it; at least 1
};

bool is_continuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// Looks at the first sequence of a non-empty text (Unicode 15, table 3-7).
Sequence read_sequence(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {SequenceState::kComplete, 1};
  if (lead < 0xC2 || lead > 0xF4) return {SequenceState::kInvalid, 1};
  const size_t needed = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (lead == 0xE0) low = 0xA0;
  if (lead == 0xED) high = 0x9F;
  if (lead == 0xF0) low = 0x90;
  if (lead == 0xF4) high = 0x8F;
  size_t size = 1;
  while (size < needed && size < text.size()) {
    const auto byte = static_cast<unsigned char>(text[size]);
    if (byte < low || byte > high) return {SequenceState::kInvalid, size};
    low = 0x80;
    high = 0xBF;
    ++size;
  }
  return {size == needed ? SequenceState::kComplete : SequenceState::kIncomplete, size};
}

size_t ascii_prefix(std::string_view text) {
  size_t i = 0;
  for (; i + 8 <= text.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, text.data() + i, 8);
    if ((word & 0x8080808080808080ull) != 0) break;
  }
  while (i < text.size() && static_cast<unsigned char>(text[i]) < 0x80) ++i;
  return i;
}

}  // namespace

size_t valid_utf8_prefix(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    i += ascii_prefix(text.substr(i));
    if (i == text.size()) break;
    const Sequence sequence = read_sequence(text.substr(i));
    if (sequence.state != SequenceState::kComplete) break;
    i += sequence.size;
  }
  return i;
}

std::string_view repair_utf8(std::string_view text, std::string& storage) {
  if (valid_utf8_prefix(text) == text.size()) return text;
  storage.clear();
  Utf8Assembler assembler;
  assembler.push(text, storage);
  assembler.finish(storage);
  return storage;
}

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return {lead, 1};
  const uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t value = lead & (0xFFu >> (size + 1));
  for (uint32_t i = 1; i < size && i < text.size(); ++i) {
    value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3F);
  }
  return {value, std::min<uint32_t>(size, static_cast<uint32_t>(text.size()))};
}

CodePoint last_code_point(std::string_view text) {
  size_t start = text.size() - 1;
  while (start > 0 && text.size() - start < 4 && is_continuation(text[start])) --start;
  return first_code_point(text.substr(start));
}

void append_utf8(uint32_t code_point, std::string& out) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const utf8proc_ssize_t size =
      utf8proc_encode_char(static_cast<utf8proc_int32_t>(code_point), bytes.data());
  for (utf8proc_ssize_t i = 0; i < size; ++i) out.push_back(static_cast<char>(bytes[i]));
}

bool is_white_space(uint32_t code_point) {
  return (code_point >= 0x09 && code_point <= 0x0D) || code_point == 0x20 || code_point == 0x85 ||
         code_point == 0xA0 || code_point == 0x1680 ||
         (code_point >= 0x2000 && code_point <= 0x200A) || code_point == 0x2028 ||
         code_point == 0x2029 || code_point == 0x202F || code_point == 0x205F ||
         code_point == 0x3000;
}

bool is_word_character(uint32_t code_point) {
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code_point))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return code_point == 0x200C || code_point == 0x200D;  // Join_Control
  }
}

void Utf8Assembler::push(std::string_view bytes, std::string& out) {
  while (pending_size_ > 0 && !bytes.empty()) {
    // Complete the held-back character one byte at a time.
    pending_[pending_size_] = bytes[0];
    const Sequence sequence = read_sequence({pending_.data(), pending_size_ + 1});
    if (sequence.state == SequenceState::kInvalid) {
      out += kReplacementCharacter;  // the new byte starts afresh
      pending_size_ = 0;
      break;
    }
    bytes.remove_prefix(1);
    ++pending_size_;
    if (sequence.state == SequenceState::kComplete) {
      out.append(pending_.data(), pending_size_);
      pending_size_ = 0;
    }
  }
  while (!bytes.empty()) {
    const size_t valid = valid_utf8_prefix(bytes);
    out += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) return;
    const Sequence sequence = read_sequence(bytes);
    if (sequence.state == SequenceState::kIncomplete) {
      std::copy_n(bytes.data(), sequence.size, pending_.data());
      pending_size_ = sequence.size;
    } else {
      out += kReplacementCharacter;
    }
    bytes.remove_prefix(sequence.size);
  }
}

void Utf8Assembler::finish(std::string& out) {
  if (pending_size_ > 0) out += kReplacementCharacter;
  pending_size_ = 0;
}

}  // namespace xylem::text
