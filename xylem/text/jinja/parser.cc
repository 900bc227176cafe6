#include "xylem/text/jinja/parser.h"

#include <algorithm>

namespace xylem::text::jinja {

Parser::Parser(std::string_view source, std::string_view name)
    : name_(name), tokens_(tokenize(source, name)) {}

Body Parser::parse() {
  Body body = parse_until({});
  fail_unknown_since(0);
  return body;
}

Parser::Nesting::Nesting(Parser& parser) : parser_(parser) {
  if (++parser_.nesting_ > kMaxSyntaxDepth) {
    parser_.fail_at(parser_.current().line,
                    "the template is nested too deeply, expected at most {} levels",
                    kMaxSyntaxDepth);
  }
}

Token Parser::next() {
  Token token = current();
  if (position_ + 1 < tokens_.size()) ++position_;
  return token;
}

bool Parser::skip_operator(std::string_view symbol) {
  if (!at_operator(symbol)) return false;
  next();
  return true;
}

bool Parser::skip_name(std::string_view name) {
  if (!at_name(name)) return false;
  next();
  return true;
}

void Parser::fail_expected(std::string_view expected) const {
  fail_at(current().line, "unexpected {}, expected {}", current().description(), expected);
}

void Parser::expect_operator(std::string_view symbol) {
  if (!skip_operator(symbol)) fail_expected(fmt::format("'{}'", symbol));
}

void Parser::expect_name(std::string_view name) {
  if (!skip_name(name)) fail_expected(fmt::format("'{}'", name));
}

void Parser::expect(TokenType type) {
  if (current().type != type) fail_expected(Token{type, "", 0}.description());
  next();
}

std::string Parser::expect_any_name() {
  if (current().type != TokenType::kName) fail_expected("a name");
  return next().text;
}

Symbol Parser::intern(std::string_view name) {
  const auto [entry, added] =
      symbols_.emplace(std::string(name), static_cast<Symbol>(names_.size()));
  if (added) names_.emplace_back(name);
  return entry->second;
}

void Parser::note_use(const std::string& name) {
  if (name != "caller" && name != "varargs" && name != "kwargs") return;
  for (SpecialNames& macro : macros_) {
    if (!macro.bound.contains(name)) macro.used.insert(name);
  }
}

void Parser::note_binding(const std::string& name) {
  if (macros_.empty()) return;
  for (SpecialNames& macro : macros_) macro.bound.insert(name);
}

void Parser::fail_unknown_since(size_t mark) {
  if (unknown_.size() == mark) return;
  fail_at(unknown_[mark].line, "{}", unknown_[mark].message);
}

}  // namespace xylem::text::jinja
