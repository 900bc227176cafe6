// Oniguruma's regular expressions (Ruby syntax, which tokenizer.json files are written in) in the
// words of PCRE2.
//
// The engines differ in: \s (Oniguruma follows the White_Space property, PCRE2 adds U+180E), \w
// (with marks and connector punctuation), \h (a hexadecimal digit), \p{Han} (the script, PCRE2
// means script extensions), long names of properties, (?m) (dot matches newline), {,n}, and {n,m}+
// (a repeat of the repeat, PCRE2 reads it as possessive). ^ and $ match at every line: compile the
// result with PCRE2_MULTILINE.
#pragma once

#include <string>
#include <string_view>

namespace xylem::text {

// where is for messages. Throws kUnimplemented, naming the construct, for nested character sets,
// set intersection and \W or \H inside a set; other errors are left to PCRE2.
std::string oniguruma_to_pcre2(std::string_view pattern, std::string_view where);

}  // namespace xylem::text
