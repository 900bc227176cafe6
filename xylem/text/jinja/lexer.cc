#include "xylem/text/jinja/lexer.h"

#include <algorithm>
#include <array>
#include <optional>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/string_literal.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

// Two characters first, so that the longest operator wins.
constexpr std::array<std::string_view, 26> kOperators = {
    "//", "**", "==", "!=", ">=", "<=", "+", "-", "/", "*", "%", "~", "[",
    "]",  "(",  ")",  "{",  "}",  ">",  "<", "=", ".", ":", "|", ",", ";"};

bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

// Line ends become \n; one at the end of the text is dropped.
std::string normalize_lines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] != '\r') {
      out += source[i];
      continue;
    }
    out += '\n';
    if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view source, std::string_view name)
      : storage_(normalize_lines(source)), source_(storage_), name_(name) {}

  std::vector<Token> run() {
    while (position_ < source_.size()) lex_data();
    emit(TokenType::kEnd, "");
    return std::move(tokens_);
  }

 private:
  template <class... Args>
  [[noreturn]] void fail_here(fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorCode::kInvalidArgument, "{}:{}: {}", name_, line_,
         fmt::format(format, std::forward<Args>(args)...));
  }

  std::string_view rest() const { return source_.substr(position_); }
  bool at(std::string_view text) const { return rest().starts_with(text); }

  void emit(TokenType type, std::string_view text) {
    tokens_.push_back({type, std::string(text), line_});
  }

  void advance(size_t size) {
    const std::string_view passed = source_.substr(position_, size);
    line_ += static_cast<int>(std::count(passed.begin(), passed.end(), '\n'));
    if (size > 0) line_starts_ = passed.back() == '\n';
    position_ += size;
  }

  // The data up to a tag: what white space control leaves of it. sign is the tag's.
  std::string_view trimmed_data(std::string_view data, char sign, bool is_variable) const {
    if (sign == '-') return strip_right(data);
    if (sign == '+' || is_variable) return data;
    const size_t line_start = data.rfind('\n') + 1;
    if (line_start == 0 && !line_starts_) return data;
    const bool only_space = strip_left(data.substr(line_start)).empty();
    return only_space ? data.substr(0, line_start) : data;
  }

  // A "-" or "+" right after the opening of a tag; 0 for none.
  char sign_at(size_t position) const {
    if (position >= source_.size()) return 0;
    const char c = source_[position];
    return c == '-' || c == '+' ? c : 0;
  }

  void lex_data() {
    const size_t tag = find_tag(position_);
    if (tag == std::string_view::npos) {
      emit(TokenType::kData, rest());
      position_ = source_.size();
      return;
    }
    const char kind = source_[tag + 1];
    const char sign = sign_at(tag + 2);
    const std::string_view data = source_.substr(position_, tag - position_);
    const std::string_view kept = trimmed_data(data, sign, kind == '{');
    if (!kept.empty()) emit(TokenType::kData, kept);
    const size_t raw = kind == '%' ? raw_begin_size(tag) : 0;
    advance(tag - position_ + (raw != 0 ? raw : sign != 0 ? 3 : 2));
    if (raw != 0) {
      lex_raw();
    } else if (kind == '#') {
      skip_comment();
    } else if (kind == '%') {
      emit(TokenType::kBlockBegin, "");
      lex_tag("%}", TokenType::kBlockEnd);
    } else {
      emit(TokenType::kVariableBegin, "");
      lex_tag("}}", TokenType::kVariableEnd);
    }
  }

  size_t find_tag(size_t from) const {
    for (size_t i = source_.find('{', from); i != std::string_view::npos;
         i = source_.find('{', i + 1)) {
      if (i + 1 < source_.size() &&
          std::string_view("{%#").find(source_[i + 1]) != std::string_view::npos) {
        return i;
      }
    }
    return std::string_view::npos;
  }

  size_t skip_space(size_t position) const {
    return source_.size() - strip_left(source_.substr(position)).size();
  }

  // The size of "{% word" with any white space and sign; 0 when something else stands there.
  size_t match_tag_word(size_t tag, std::string_view word) const {
    size_t i = tag + 2;
    if (sign_at(i) != 0) ++i;
    i = skip_space(i);
    if (!source_.substr(i).starts_with(word)) return 0;
    return skip_space(i + word.size()) - tag;
  }

  size_t raw_begin_size(size_t tag) const {
    const size_t size = match_tag_word(tag, "raw");
    if (size == 0) return 0;
    const std::string_view after = source_.substr(tag + size);
    if (after.starts_with("-%}")) return skip_space(tag + size + 3) - tag;
    return after.starts_with("%}") ? size + 2 : 0;
  }

  // The size of a closing "%}" or "#}" at the position with its sign and what it swallows: all
  // white space after "-", else one newline. 0 when there is none.
  size_t close_size(size_t position, std::string_view close) const {
    const std::string_view text = source_.substr(position);
    if (text.starts_with("-") && text.substr(1).starts_with(close)) {
      return skip_space(position + 1 + close.size()) - position;
    }
    if (close == "}}") return text.starts_with(close) ? close.size() : 0;
    if (text.starts_with("+") && text.substr(1).starts_with(close)) return 1 + close.size();
    if (!text.starts_with(close)) return 0;
    return close.size() + (text.substr(close.size()).starts_with("\n") ? 1 : 0);
  }

  void lex_raw() {
    for (size_t tag = source_.find("{%", position_); tag != std::string_view::npos;
         tag = source_.find("{%", tag + 1)) {
      const size_t words = match_tag_word(tag, "endraw");
      const size_t close = words == 0 ? 0 : close_size(tag + words, "%}");
      if (close == 0) continue;
      const std::string_view data = source_.substr(position_, tag - position_);
      const std::string_view kept = trimmed_data(data, sign_at(tag + 2), false);
      if (!kept.empty()) emit(TokenType::kData, kept);
      advance(tag + words + close - position_);
      return;
    }
    fail_here("a raw block is not closed, expected {{% endraw %}}");
  }

  void skip_comment() {
    const size_t end = source_.find("#}", position_);
    if (end == std::string_view::npos) fail_here("a comment is not closed, expected #}}");
    const bool has_sign = end > position_ && sign_at(end - 1) != 0;
    const size_t close = has_sign ? end - 1 : end;
    advance(close + close_size(close, "#}") - position_);
  }

  void lex_tag(std::string_view close, TokenType end_type) {
    std::string open_brackets;
    while (position_ < source_.size()) {
      const size_t end = open_brackets.empty() ? close_size(position_, close) : 0;
      if (end != 0) {
        emit(end_type, "");
        advance(end);
        return;
      }
      lex_token(open_brackets);
    }
  }

  void lex_token(std::string& open_brackets) {
    const CodePoint c = first_code_point(rest());
    if (is_space(c.value)) {
      advance(c.size);
    } else if (const size_t number = float_size(); number != 0) {
      emit_sized(TokenType::kFloat, number);
    } else if (is_digit_char(rest()[0])) {
      emit_sized(TokenType::kInteger, integer_size());
    } else if (is_identifier_start(c.value)) {
      emit_sized(TokenType::kName, name_size());
    } else if (c.value == '\'' || c.value == '"') {
      lex_string();
    } else {
      lex_operator(open_brackets);
    }
  }

  void emit_sized(TokenType type, size_t size) {
    emit(type, source_.substr(position_, size));
    advance(size);
  }

  // Digits with single underscores between them, from the position; 0 when there are none.
  size_t digits_size(size_t position, bool (*accepts)(char)) const {
    size_t i = position;
    while (i < source_.size()) {
      const size_t digit = source_[i] == '_' && i > position ? i + 1 : i;
      if (digit >= source_.size() || !accepts(source_[digit])) break;
      i = digit + 1;
    }
    return i - position;
  }

  size_t float_size() const {
    if (position_ > 0 && source_[position_ - 1] == '.') return 0;
    const size_t whole = digits_size(position_, is_digit_char);
    if (whole == 0) return 0;
    size_t size = whole;
    bool is_float = false;
    if (position_ + size < source_.size() && source_[position_ + size] == '.') {
      const size_t fraction = digits_size(position_ + size + 1, is_digit_char);
      if (fraction != 0) {
        size += 1 + fraction;
        is_float = true;
      }
    }
    if (position_ + size < source_.size() && (source_[position_ + size] | 0x20) == 'e') {
      const size_t sign = sign_at(position_ + size + 1) != 0 ? 1 : 0;
      const size_t exponent = digits_size(position_ + size + 1 + sign, is_digit_char);
      if (exponent != 0) {
        size += 1 + sign + exponent;
        is_float = true;
      }
    }
    return is_float ? size : 0;
  }

  size_t integer_size() const {
    const std::string_view text = rest();
    const char mark = text.size() > 1 && text[0] == '0' ? static_cast<char>(text[1] | 0x20) : '\0';
    bool (*accepts)(char) =
        mark == 'b'   ? +[](char c) { return c == '0' || c == '1'; }
        : mark == 'o' ? +[](char c) { return c >= '0' && c <= '7'; }
        : mark == 'x' ? +[](char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }
                      : nullptr;
    if (accepts != nullptr) {
      const size_t skipped = text.size() > 2 && text[2] == '_' ? 3 : 2;
      if (const size_t digits = digits_size(position_ + skipped, accepts)) return skipped + digits;
      return 1;
    }
    if (text[0] == '0') return digits_size(position_, [](char c) { return c == '0'; });
    return digits_size(position_, is_digit_char);
  }

  size_t name_size() const {
    size_t i = position_;
    while (i < source_.size()) {
      const CodePoint c = first_code_point(source_.substr(i));
      if (!is_identifier_part(c.value)) break;
      i += c.size;
    }
    return i - position_;
  }

  void lex_string() {
    const char quote = rest()[0];
    size_t end = position_ + 1;
    while (end < source_.size() && source_[end] != quote) end += source_[end] == '\\' ? 2 : 1;
    if (end >= source_.size()) fail_here("a string is not closed, expected {}", quote);
    const std::string_view body = source_.substr(position_ + 1, end - position_ - 1);
    std::string error;
    const auto value = unescape_string(body, error);
    if (!value) fail_here("{}", error);
    emit(TokenType::kString, *value);
    advance(end + 1 - position_);
  }

  void lex_operator(std::string& open_brackets) {
    for (std::string_view symbol : kOperators) {
      if (!at(symbol)) continue;
      check_brackets(symbol[0], open_brackets);
      emit_sized(TokenType::kOperator, symbol.size());
      return;
    }
    fail_here("unexpected character '{}'", rest().substr(0, first_code_point(rest()).size));
  }

  void check_brackets(char symbol, std::string& open_brackets) const {
    constexpr std::string_view kOpen = "{([";
    constexpr std::string_view kClose = "})]";
    if (const size_t open = kOpen.find(symbol); open != std::string_view::npos) {
      open_brackets += kClose[open];
    } else if (kClose.find(symbol) != std::string_view::npos) {
      if (open_brackets.empty()) fail_here("unexpected '{}'", symbol);
      if (open_brackets.back() != symbol) {
        fail_here("unexpected '{}', expected '{}'", symbol, open_brackets.back());
      }
      open_brackets.pop_back();
    }
  }

  std::string storage_;
  std::string_view source_;
  std::string_view name_;
  size_t position_ = 0;
  int line_ = 1;
  bool line_starts_ = true;
  std::vector<Token> tokens_;
};

}  // namespace

std::string Token::description() const {
  switch (type) {
    case TokenType::kData:
      return "template data";
    case TokenType::kVariableBegin:
      return "begin of print statement";
    case TokenType::kVariableEnd:
      return "end of print statement";
    case TokenType::kBlockBegin:
      return "begin of statement block";
    case TokenType::kBlockEnd:
      return "end of statement block";
    case TokenType::kString:
      return "a string";
    case TokenType::kEnd:
      return "end of template";
    default:
      return "'" + text + "'";
  }
}

std::vector<Token> tokenize(std::string_view source, std::string_view name) {
  return Lexer(source, name).run();
}

}  // namespace xylem::text::jinja
