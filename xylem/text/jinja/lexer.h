// Splits a template's text into tokens, with the white space control of Jinja as transformers sets
// it: trim_blocks and lstrip_blocks on, one trailing newline dropped.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace xylem::text::jinja {

enum class TokenType {
  kData,           // text to copy
  kVariableBegin,  // {{
  kVariableEnd,
  kBlockBegin,  // {%
  kBlockEnd,
  kName,
  kString,  // text holds the value
  kInteger,
  kFloat,
  kOperator,
  kEnd,
};

struct Token {
  TokenType type;
  std::string text;
  int line;

  bool is_name(std::string_view name) const { return type == TokenType::kName && text == name; }
  bool is_operator(std::string_view symbol) const {
    return type == TokenType::kOperator && text == symbol;
  }
  // For messages: "'for'", "end of statement block".
  std::string description() const;
};

// The last token is kEnd. source must be well-formed UTF-8; name is for messages, which read
// "name:line: what, expected".
std::vector<Token> tokenize(std::string_view source, std::string_view name);

}  // namespace xylem::text::jinja
