// What Python says of Unicode characters and does with the case of text. All strings are
// well-formed UTF-8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace xylem::text::jinja {

size_t count_code_points(std::string_view text);
// The byte where code point `index` starts; text.size() when the text is shorter.
size_t byte_offset(std::string_view text, size_t index);
// How many bytes the character starting at `position` takes.
size_t character_size(std::string_view text, size_t position);

bool is_space(uint32_t c);      // str.isspace
bool is_printable(uint32_t c);  // str.isprintable
bool is_alpha(uint32_t c);
bool is_decimal(uint32_t c);
bool is_digit(uint32_t c);
bool is_numeric(uint32_t c);
bool is_lower(uint32_t c);
bool is_upper(uint32_t c);
bool is_title(uint32_t c);
bool is_identifier_start(uint32_t c);
bool is_identifier_part(uint32_t c);

// Whether every character satisfies the predicate, and there is one.
bool all_characters(std::string_view text, bool (*predicate)(uint32_t));

// str.islower and its like: at least one cased character, and no other case.
bool is_lower_text(std::string_view text);
bool is_upper_text(std::string_view text);
bool is_title_text(std::string_view text);

std::string upper_case(std::string_view text);
std::string lower_case(std::string_view text);
std::string fold_case(std::string_view text);
std::string swap_case(std::string_view text);
std::string title_case(std::string_view text);  // str.title
std::string capitalized(std::string_view text);

// Without leading and trailing white space.
std::string_view strip_left(std::string_view text);
std::string_view strip_right(std::string_view text);

}  // namespace xylem::text::jinja
