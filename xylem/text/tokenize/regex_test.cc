// Where Oniguruma's expressions mean something else than PCRE2's, Oniguruma's meaning counts.
#include "xylem/text/tokenize/regex.h"

#include <gtest/gtest.h>

#include "xylem/base/error.h"
#include "xylem/text/tokenize/oniguruma.h"

namespace xylem::text {
namespace {

// The matches, each in brackets.
std::string matches(std::string_view pattern, std::string_view text) {
  RegexScratch scratch;
  std::string found;
  Regex(pattern, "test").for_each_match(text, scratch, [&](size_t begin, size_t end) {
    found += "[" + std::string(text.substr(begin, end - begin)) + "]";
  });
  return found;
}

std::string translate(std::string_view pattern) { return oniguruma_to_pcre2(pattern, "test"); }

TEST(Regex, FindsMatchesFromLeftToRight) {
  EXPECT_EQ(matches("a|bc", "abcxa"), "[a][bc][a]");
  EXPECT_EQ(matches("x*", "axxb"), "[][xx][]");  // no empty match right behind a match
  EXPECT_EQ(matches("", "é"), "[][]");
  EXPECT_EQ(matches("a", ""), "");
}

TEST(Regex, TakesSpaceAsTheWhiteSpaceProperty) {
  EXPECT_EQ(matches("\\s", "\u180E"), "");
  EXPECT_EQ(matches("[\\s]", "\u0085\u3000"), "[\u0085][\u3000]");
  EXPECT_EQ(matches("\\S+", "a\u180Eb\u2003c"), "[a\u180Eb][c]");
  EXPECT_EQ(matches("[^\\S\\n]+", " \t\n "), "[ \t][ ]");
}

TEST(Regex, TakesWordsWithMarksAndConnectors) {
  EXPECT_EQ(matches("\\w+", "e\u0301_a\u203Fb-c"), "[e\u0301_a\u203Fb][c]");
  EXPECT_EQ(matches("\\W+", "a--b"), "[--]");
  EXPECT_EQ(matches("\\h+", "12fg"), "[12f]");
}

TEST(Regex, FoldsCaseAsUnicodeDoes) {
  EXPECT_EQ(matches("(?i:'s|k)", "'S'\u017F\u212A"), "['S]['\u017F][\u212A]");
}

TEST(Regex, RepeatsARepeatWhereOnigurumaDoes) {
  EXPECT_EQ(matches("\\d{1,2}+", "12345 6"), "[12345][6]");
  EXPECT_EQ(matches("(?:ab){2}+c", "ababababc"), "[ababababc]");
  EXPECT_EQ(matches("a++b", "aab"), "[aab]");  // possessive in both
  EXPECT_EQ(translate("a{,3}"), "a{0,3}");
  EXPECT_EQ(translate("a{x}[{]\\{1,2}"), "a{x}[{]\\{1,2}");
}

TEST(Regex, TakesScriptsAndLongNames) {
  EXPECT_EQ(matches("\\p{Han}+", "漢字\u3001か"), "[漢字]");  // script extensions hold U+3001
  EXPECT_EQ(matches("\\p{Uppercase_Letter}\\p{letter}*", "ABc d"), "[ABc]");
  EXPECT_EQ(matches("\\p{^L}", "a1"), "[1]");
  EXPECT_EQ(matches("[[:alpha:]\\p{Hiragana}]+", "aか漢-"), "[aか漢]");
}

TEST(Regex, TakesOptionsAndAnchorsAsRubyDoes) {
  EXPECT_EQ(matches("^a$", "a\na"), "[a][a]");
  EXPECT_EQ(matches("a.b", "a\nb"), "");
  EXPECT_EQ(matches("(?m:a.b)", "a\nb"), "[a\nb]");
}

TEST(Regex, SaysWhatItCannotDo) {
  for (const char* pattern : {"[a[b]]", "[a&&b]", "[\\W]"}) {
    EXPECT_THROW(translate(pattern), Error) << pattern;
  }
}

}  // namespace
}  // namespace xylem::text
