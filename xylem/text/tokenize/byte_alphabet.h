// The byte alphabet of byte-level BPE: every byte has a printable character (GPT-2's
// bytes_to_unicode). Printable Latin-1 bytes are their own character; the others, in order, take
// U+0100 and up, so that the space is 'Ġ' (U+0120) and the newline 'Ċ' (U+010A).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace xylem::text {

// The character of a byte, in UTF-8.
const std::string& byte_to_character(unsigned char byte);

// The bytes that a token's characters stand for; nothing when one is outside the alphabet.
std::optional<std::string> characters_to_bytes(std::string_view token);

}  // namespace xylem::text
