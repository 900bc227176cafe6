// A regular expression of a tokenizer: Oniguruma's syntax and meaning on PCRE2's matcher.
//
//   const Regex regex("\\s+(?!\\S)|\\S+", "tokenizer.json");
//   RegexScratch scratch;
//   regex.for_each_match("a  b", scratch, [](size_t begin, size_t end) { ... });
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "xylem/text/tokenize/part_registry.h"

namespace xylem::text {

// Working memory of matching; one a thread at a time, usable with any Regex.
class RegexScratch {
 public:
  RegexScratch();
  ~RegexScratch();
  RegexScratch(const RegexScratch&) = delete;
  RegexScratch& operator=(const RegexScratch&) = delete;

 private:
  friend class Regex;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Immutable; safe to share between threads.
class Regex {
 public:
  enum class Syntax { kOniguruma, kLiteral };

  // Throws kInvalidArgument saying what is wrong with the pattern and where it comes from.
  Regex(std::string_view pattern, const std::string& where, Syntax syntax = Syntax::kOniguruma);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // Calls visit(begin, end) for each match from left to right; an empty match right after the
  // previous match is passed over. text must be well-formed UTF-8. Throws kResourceExhausted when
  // matching takes too many steps.
  template <typename Visit>
  void for_each_match(std::string_view text, RegexScratch& scratch, Visit&& visit) const {
    size_t from = 0;
    size_t last_end = std::string_view::npos;
    Match match;
    while (from <= text.size() && find(text, from, scratch, match)) {
      if (match.begin == match.end && match.end == last_end) {
        from = next_character(text, from);
        continue;
      }
      from = last_end = match.end;
      visit(match.begin, match.end);
    }
  }

 private:
  struct Match {
    size_t begin;
    size_t end;
  };
  struct Code;
  bool find(std::string_view text, size_t from, RegexScratch& scratch, Match& match) const;
  static size_t next_character(std::string_view text, size_t at);
  std::unique_ptr<Code> code_;
};

// The field "pattern" of a part: {"String": literal} or {"Regex": expression}.
Regex pattern_field(const Json& json, const Where& where);

}  // namespace xylem::text
