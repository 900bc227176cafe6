// UTF-8: validation, and decoding of bytes that may be broken, as the WHATWG decoder and Rust's
// from_utf8_lossy do it: each maximal part of an ill-formed sequence becomes one U+FFFD.
//
//   Utf8Assembler assembler;
//   std::string out;
//   assembler.push("\xf0\x9f", out);      // out is empty: the character is not complete
//   assembler.push("\x98\x80", out);      // out is the emoji
//   assembler.finish(out);                // a held-back rest would become U+FFFD
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xylem::text {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

// The number of leading bytes that are well-formed UTF-8.
size_t valid_utf8_prefix(std::string_view text);

// The text itself when well-formed; else a repaired copy, kept in storage.
std::string_view repair_utf8(std::string_view text, std::string& storage);

// One code point of well-formed UTF-8.
struct CodePoint {
  uint32_t value;
  uint32_t size;  // bytes
};
CodePoint first_code_point(std::string_view text);  // text must not be empty
CodePoint last_code_point(std::string_view text);   // text must not be empty
void append_utf8(uint32_t code_point, std::string& out);

// The Unicode property White_Space.
bool is_white_space(uint32_t code_point);
// What a regular expression's \w matches: letters, marks, digits, connector punctuation.
bool is_word_character(uint32_t code_point);

// Turns pieces of a byte stream into well-formed text, never splitting a character.
class Utf8Assembler {
 public:
  void push(std::string_view bytes, std::string& out);
  void finish(std::string& out);

 private:
  std::array<char, 4> pending_{};
  size_t pending_size_ = 0;
};

}  // namespace xylem::text
