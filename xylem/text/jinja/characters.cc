#include "xylem/text/jinja/characters.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "xylem/text/jinja/special_casing.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

utf8proc_category_t category(uint32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

bool is_cased(uint32_t c) { return is_lower(c) || is_upper(c) || is_title(c); }

bool is_case_ignorable(uint32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return c == '\'' || c == '.' || c == ':' || c == 0xB7 || c == 0x2019;
  }
}

void append_upper(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  } else if (std::string_view special = special_upper(c); !special.empty()) {
    out += special;
  } else {
    append_utf8(static_cast<uint32_t>(utf8proc_toupper(static_cast<utf8proc_int32_t>(c))), out);
  }
}

void append_title(uint32_t c, std::string& out) {
  if (c < 0x80) {
    append_upper(c, out);
  } else if (std::string_view special = special_title(c); !special.empty()) {
    out += special;
  } else {
    append_utf8(static_cast<uint32_t>(utf8proc_totitle(static_cast<utf8proc_int32_t>(c))), out);
  }
}

constexpr uint32_t kCapitalSigma = 0x3A3;

// A capital sigma becomes the final form at the end of a word.
bool is_final_sigma(std::string_view before, std::string_view after) {
  bool follows_letter = false;
  while (!before.empty()) {
    const CodePoint c = last_code_point(before);
    before.remove_suffix(c.size);
    if (is_case_ignorable(c.value)) continue;
    follows_letter = is_cased(c.value);
    break;
  }
  if (!follows_letter) return false;
  while (!after.empty()) {
    const CodePoint c = first_code_point(after);
    after.remove_prefix(c.size);
    if (is_case_ignorable(c.value)) continue;
    return !is_cased(c.value);
  }
  return true;
}

void append_lower(std::string_view text, size_t position, CodePoint c, std::string& out) {
  if (c.value < 0x80) {
    out += static_cast<char>(c.value >= 'A' && c.value <= 'Z' ? c.value + 32 : c.value);
  } else if (c.value == kCapitalSigma) {
    const bool is_final = is_final_sigma(text.substr(0, position), text.substr(position + c.size));
    append_utf8(is_final ? 0x3C2 : 0x3C3, out);
  } else if (c.value == 0x130) {  // I with dot above: the only lower case of two characters
    out += "i\xCC\x87";
  } else {
    append_utf8(static_cast<uint32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c.value))),
                out);
  }
}

template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    visit(i, c);
    i += c.size;
  }
}

}  // namespace

size_t count_code_points(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

size_t byte_offset(std::string_view text, size_t index) {
  size_t position = 0;
  for (; index > 0 && position < text.size(); --index) position += character_size(text, position);
  return position;
}

size_t character_size(std::string_view text, size_t position) {
  return first_code_point(text.substr(position)).size;
}

bool is_space(uint32_t c) { return is_white_space(c) || (c >= 0x1C && c <= 0x1F); }

bool is_printable(uint32_t c) {
  if (c == ' ') return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

bool is_alpha(uint32_t c) {
  const utf8proc_category_t kind = category(c);
  return kind >= UTF8PROC_CATEGORY_LU && kind <= UTF8PROC_CATEGORY_LO;
}

bool is_decimal(uint32_t c) { return category(c) == UTF8PROC_CATEGORY_ND; }

bool is_digit(uint32_t c) {
  const bool superscript = c == 0xB2 || c == 0xB3 || c == 0xB9 || c == 0x2070 ||
                           (c >= 0x2074 && c <= 0x2079) || (c >= 0x2080 && c <= 0x2089);
  const bool circled = (c >= 0x2460 && c <= 0x2468) || (c >= 0x2474 && c <= 0x247C);
  return is_decimal(c) || superscript || circled;
}

bool is_numeric(uint32_t c) {
  const utf8proc_category_t kind = category(c);
  return is_digit(c) || kind == UTF8PROC_CATEGORY_NL || kind == UTF8PROC_CATEGORY_NO;
}

bool is_lower(uint32_t c) { return category(c) == UTF8PROC_CATEGORY_LL; }
bool is_upper(uint32_t c) { return category(c) == UTF8PROC_CATEGORY_LU; }
bool is_title(uint32_t c) { return category(c) == UTF8PROC_CATEGORY_LT; }

bool is_identifier_start(uint32_t c) {
  return c == '_' || is_alpha(c) || category(c) == UTF8PROC_CATEGORY_NL;
}

bool is_identifier_part(uint32_t c) {
  if (is_identifier_start(c)) return true;
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_PC:
      return true;
    default:
      return c == 0xB7;
  }
}

bool all_characters(std::string_view text, bool (*predicate)(uint32_t)) {
  if (text.empty()) return false;
  for (size_t i = 0; i < text.size();) {
    const CodePoint c = first_code_point(text.substr(i));
    if (!predicate(c.value)) return false;
    i += c.size;
  }
  return true;
}

bool is_lower_text(std::string_view text) {
  bool cased = false;
  bool other = false;
  for_each_character(text, [&](size_t, CodePoint c) {
    cased = cased || is_lower(c.value);
    other = other || is_upper(c.value) || is_title(c.value);
  });
  return cased && !other;
}

bool is_upper_text(std::string_view text) {
  bool cased = false;
  bool other = false;
  for_each_character(text, [&](size_t, CodePoint c) {
    cased = cased || is_upper(c.value);
    other = other || is_lower(c.value) || is_title(c.value);
  });
  return cased && !other;
}

bool is_title_text(std::string_view text) {
  bool cased = false;
  bool inside_word = false;
  bool wrong = false;
  for_each_character(text, [&](size_t, CodePoint c) {
    const bool capital = is_upper(c.value) || is_title(c.value);
    wrong = wrong || (capital && inside_word) || (is_lower(c.value) && !inside_word);
    inside_word = capital || is_lower(c.value);
    cased = cased || inside_word;
  });
  return cased && !wrong;
}

std::string upper_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](size_t, CodePoint c) { append_upper(c.value, out); });
  return out;
}

std::string lower_case(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for_each_character(text, [&](size_t i, CodePoint c) { append_lower(text, i, c, out); });
  return out;
}

std::string fold_case(std::string_view text) {
  std::string out;
  for_each_character(text, [&](size_t, CodePoint c) {
    std::array<utf8proc_int32_t, 4> folded{};
    int last_boundclass = 0;
    const utf8proc_ssize_t count =
        utf8proc_decompose_char(static_cast<utf8proc_int32_t>(c.value), folded.data(),
                                folded.size(), UTF8PROC_CASEFOLD, &last_boundclass);
    for (utf8proc_ssize_t k = 0; k < count; ++k) append_utf8(static_cast<uint32_t>(folded[k]), out);
  });
  return out;
}

std::string swap_case(std::string_view text) {
  std::string out;
  for_each_character(text, [&](size_t i, CodePoint c) {
    if (is_upper(c.value)) {
      append_lower(text, i, c, out);
    } else if (is_lower(c.value)) {
      append_upper(c.value, out);
    } else {
      append_utf8(c.value, out);
    }
  });
  return out;
}

std::string title_case(std::string_view text) {
  std::string out;
  bool inside_word = false;
  for_each_character(text, [&](size_t i, CodePoint c) {
    if (inside_word) {
      append_lower(text, i, c, out);
    } else {
      append_title(c.value, out);
    }
    inside_word = is_cased(c.value);
  });
  return out;
}

std::string capitalized(std::string_view text) {
  std::string out;
  for_each_character(text, [&](size_t i, CodePoint c) {
    if (i == 0) {
      append_title(c.value, out);
    } else {
      append_lower(text, i, c, out);
    }
  });
  return out;
}

std::string_view strip_left(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (!is_space(c.value)) break;
    text.remove_prefix(c.size);
  }
  return text;
}

std::string_view strip_right(std::string_view text) {
  while (!text.empty()) {
    const CodePoint c = last_code_point(text);
    if (!is_space(c.value)) break;
    text.remove_suffix(c.size);
  }
  return text;
}

}  // namespace xylem::text::jinja
