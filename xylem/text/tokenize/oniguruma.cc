#include "xylem/text/tokenize/oniguruma.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/io/printable.h"

namespace xylem::text {
namespace {

constexpr std::string_view kWordSet = "\\p{L}\\p{M}\\p{Nd}\\p{Nl}\\p{Pc}";
constexpr std::string_view kHexSet = "0-9a-fA-F";

// Property names that PCRE2 lacks or that are no scripts, in lower case without separators.
constexpr std::array<std::pair<std::string_view, std::string_view>, 30> kProperties = {{
    {"letter", "L"},
    {"uppercaseletter", "Lu"},
    {"lowercaseletter", "Ll"},
    {"titlecaseletter", "Lt"},
    {"casedletter", "L&"},
    {"modifierletter", "Lm"},
    {"otherletter", "Lo"},
    {"mark", "M"},
    {"nonspacingmark", "Mn"},
    {"spacingmark", "Mc"},
    {"enclosingmark", "Me"},
    {"number", "N"},
    {"decimalnumber", "Nd"},
    {"digit", "Nd"},
    {"letternumber", "Nl"},
    {"othernumber", "No"},
    {"punctuation", "P"},
    {"symbol", "S"},
    {"separator", "Z"},
    {"other", "C"},
    {"alpha", "Alphabetic"},
    {"alphabetic", "Alphabetic"},
    {"space", "White_Space"},
    {"whitespace", "White_Space"},
    {"upper", "Uppercase"},
    {"uppercase", "Uppercase"},
    {"lower", "Lowercase"},
    {"lowercase", "Lowercase"},
    {"any", "Any"},
    {"emoji", "Emoji"},
}};

std::string property_name(std::string_view name) {
  std::string negation;
  if (name.starts_with('^')) {
    negation = "^";
    name.remove_prefix(1);
  }
  if (name.size() <= 2) return negation + std::string(name);
  std::string plain;
  for (const char c : name) {
    if (c != '_' && c != '-' && c != ' ') {
      plain.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  const auto* found = std::find_if(kProperties.begin(), kProperties.end(),
                                   [&](const auto& entry) { return entry.first == plain; });
  if (found != kProperties.end()) return negation + std::string(found->second);
  return negation + "sc:" + std::string(name);
}

class Translator {
 public:
  Translator(std::string_view pattern, std::string_view where) : pattern_(pattern), where_(where) {}

  std::string run() {
    while (position_ < pattern_.size()) item();
    return std::move(out_);
  }

 private:
  char peek(size_t offset = 0) const {
    return position_ + offset < pattern_.size() ? pattern_[position_ + offset] : '\0';
  }
  void copy(size_t count) {
    const std::string_view piece = pattern_.substr(position_, count);
    out_ += piece;
    position_ += piece.size();
  }

  void item() {
    switch (peek()) {
      case '\\':
        atom_ = out_.size();
        escape(/*in_set=*/false);
        break;
      case '[':
        atom_ = out_.size();
        set();
        break;
      case '(':
        groups_.push_back(out_.size());
        group_start();
        break;
      case ')':
        copy(1);
        if (!groups_.empty()) {
          atom_ = groups_.back();
          groups_.pop_back();
        }
        break;
      case '{':
        repeat();
        break;
      case '*':
      case '+':
      case '?':
        copy(1);
        break;
      default:
        atom_ = out_.size();
        copy(1);
        // Keep a multi-byte character together as one atom.
        while ((static_cast<unsigned char>(peek()) & 0xC0) == 0x80) copy(1);
    }
  }

  void replace(size_t count, std::string_view text) {
    out_ += text;
    position_ += count;
  }

  void escape(bool in_set) {
    switch (peek(1)) {
      case 's':
        return replace(2, "\\p{White_Space}");
      case 'S':
        return replace(2, "\\P{White_Space}");
      case 'd':
        return replace(2, "\\p{Nd}");
      case 'D':
        return replace(2, "\\P{Nd}");
      case 'w':
        return set_escape(in_set, "", kWordSet);
      case 'h':
        return set_escape(in_set, "", kHexSet);
      case 'W':
      case 'H':
        if (in_set) unsupported("a negated class such as \\W inside a set");
        return set_escape(in_set, "^", peek(1) == 'W' ? kWordSet : kHexSet);
      case 'u':
        return unicode_escape();
      case 'p':
      case 'P':
        return property();
      case 'Q':
      case 'E':
        return replace(2, pattern_.substr(position_ + 1, 1));
      default:
        copy(2);
    }
  }

  void set_escape(bool in_set, std::string_view negation, std::string_view set) {
    if (in_set) return replace(2, set);
    out_ += "[";
    out_ += negation;
    replace(2, set);
    out_ += "]";
  }

  void unicode_escape() {  // \uHHHH
    const std::string_view digits = pattern_.substr(position_ + 2, 4);
    out_ += "\\x{";
    out_ += digits;
    out_ += "}";
    position_ += 2 + digits.size();
  }

  void property() {
    const size_t end = pattern_.find('}', position_);
    if (peek(2) != '{' || end == std::string_view::npos) return copy(2);
    out_ += pattern_.substr(position_, 3);
    out_ += property_name(pattern_.substr(position_ + 3, end - position_ - 3));
    out_ += "}";
    position_ = end + 1;
  }

  void set() {
    copy(1);
    if (peek() == '^') copy(1);
    if (peek() == ']') replace(1, "\\]");
    while (position_ < pattern_.size() && peek() != ']') {
      if (peek() == '\\') {
        escape(/*in_set=*/true);
      } else if (peek() == '[' && peek(1) == ':') {
        const size_t end = pattern_.find(":]", position_);
        if (end == std::string_view::npos) unsupported("an unclosed [: in a set");
        copy(end + 2 - position_);
      } else if (peek() == '[') {
        unsupported("a set inside a set");
      } else if (peek() == '&' && peek(1) == '&') {
        unsupported("the intersection of sets");
      } else {
        copy(1);
      }
    }
    copy(1);
  }

  void group_start() {
    copy(1);
    if (peek() != '?') return;
    size_t end = position_ + 1;
    while (end < pattern_.size() && (pattern_[end] == 'i' || pattern_[end] == 'm' ||
                                     pattern_[end] == 'x' || pattern_[end] == '-')) {
      ++end;
    }
    const bool options = end < pattern_.size() && (pattern_[end] == ':' || pattern_[end] == ')');
    if (!options) return copy(1);
    for (; position_ < end; ++position_) out_ += peek() == 'm' ? 's' : peek();
  }

  // {n}, {n,}, {,m}, {n,m} and what follows them; anything else is a literal brace.
  void repeat() {
    size_t i = position_ + 1;
    const size_t low = i;
    while (i < pattern_.size() && std::isdigit(static_cast<unsigned char>(pattern_[i]))) ++i;
    const bool has_low = i > low;
    const bool has_comma = i < pattern_.size() && pattern_[i] == ',';
    if (has_comma) ++i;
    const size_t high = i;
    while (i < pattern_.size() && std::isdigit(static_cast<unsigned char>(pattern_[i]))) ++i;
    const bool has_high = has_comma && i > high;
    if (i >= pattern_.size() || pattern_[i] != '}' || (!has_low && !has_high)) {
      atom_ = out_.size();
      return copy(1);
    }
    out_ += has_low ? "{" : "{0";
    ++position_;
    copy(i + 1 - position_);
    const char next = peek();
    if (next == '+' || (next == '?' && !has_comma)) {
      out_.insert(atom_, "(?:");
      out_ += ")";
      copy(1);
    }
  }

  [[noreturn]] void unsupported(std::string_view what) const {
    fail(ErrorCode::kUnimplemented,
         "{}: the regular expression '{}' uses {}, which is not supported", where_,
         io::printable(pattern_), what);
  }

  std::string_view pattern_;
  std::string_view where_;
  std::string out_;
  size_t position_ = 0;
  size_t atom_ = 0;  // where the last atom begins in out_
  std::vector<size_t> groups_;
};

}  // namespace

std::string oniguruma_to_pcre2(std::string_view pattern, std::string_view where) {
  return Translator(pattern, where).run();
}

}  // namespace xylem::text
