// The grammar of statements.
#include <fmt/ranges.h>

#include <algorithm>

#include "xylem/text/jinja/parser.h"

namespace xylem::text::jinja {

Body Parser::parse_until(const EndTags& end_tags) {
  const Nesting nesting(*this);
  Body body;
  while (current().type != TokenType::kEnd) {
    if (current().type == TokenType::kData) {
      auto text = std::make_unique<TextStatement>();
      text->line = current().line;
      text->text = next().text;
      body.statements.push_back(std::move(text));
    } else if (current().type == TokenType::kVariableBegin) {
      next();
      add_output(body);
      expect(TokenType::kVariableEnd);
    } else {
      expect(TokenType::kBlockBegin);
      const bool at_end = std::any_of(end_tags.begin(), end_tags.end(),
                                      [&](std::string_view tag) { return at_name(tag); });
      if (at_end) return body;
      const int line = current().line;
      StatementPtr statement = at_name("print") ? parse_print(body) : parse_statement();
      if (statement != nullptr) {
        statement->line = line;
        body.statements.push_back(std::move(statement));
      }
      expect(TokenType::kBlockEnd);
    }
  }
  if (end_tags.empty()) return body;
  fail_at(current().line, "unexpected end of template, expected '{{% {} %}}'{}",
          fmt::join(end_tags, " %}' or '{% "),
          open_tags_.empty() ? "" : fmt::format(" to close '{}'", open_tags_.back()));
}

void Parser::add_output(Body& body) {
  auto output = std::make_unique<OutputStatement>();
  output->line = current().line;
  output->value = parse_tuple(true, "", false);
  body.statements.push_back(std::move(output));
}

Body Parser::parse_block(const EndTags& end_tags) {
  skip_operator(":");
  expect(TokenType::kBlockEnd);
  return parse_until(end_tags);
}

Body Parser::parse_closed_block(std::string_view end_tag) {
  Body body = parse_block({end_tag});
  next();
  return body;
}

Body Parser::parse_inner_block(std::string_view end_tag) {
  const size_t mark = unknown_.size();
  Body body = parse_closed_block(end_tag);
  fail_unknown_since(mark);
  return body;
}

StatementPtr Parser::parse_statement() {
  if (current().type != TokenType::kName) fail_expected("the name of a tag");
  const Token tag = current();
  open_tags_.push_back(tag.text);
  StatementPtr statement;
  if (tag.text == "for") {
    statement = parse_for();
  } else if (tag.text == "if") {
    statement = parse_if();
  } else if (tag.text == "set") {
    statement = parse_set();
  } else if (tag.text == "macro") {
    statement = parse_macro();
  } else if (tag.text == "call") {
    statement = parse_call_block();
  } else if (tag.text == "filter") {
    statement = parse_filter_block();
  } else if (tag.text == "with") {
    statement = parse_with();
  } else if (tag.text == "generation") {
    statement = parse_scope("endgeneration", false);
  } else if (tag.text == "autoescape") {
    statement = parse_scope("endautoescape", true);
  } else if (tag.text == "block") {
    statement = parse_named_block();
  } else if (tag.text == "break") {
    statement = parse_flow(Flow::kBreak);
  } else if (tag.text == "continue") {
    statement = parse_flow(Flow::kContinue);
  } else if (tag.text == "include" || tag.text == "import" || tag.text == "from" ||
             tag.text == "extends") {
    statement = parse_load();
  } else {
    open_tags_.pop_back();
    fail_unknown_tag(tag);
  }
  open_tags_.pop_back();
  return statement;
}

void Parser::fail_unknown_tag(const Token& tag) const {
  if (open_tags_.empty()) fail_at(tag.line, "unknown tag '{}', expected a statement", tag.text);
  fail_at(tag.line, "unknown tag '{}', expected a statement or the end of '{}'", tag.text,
          open_tags_.back());
}

StatementPtr Parser::parse_for() {
  next();
  auto loop = std::make_unique<ForStatement>();
  ++loops_everywhere_;
  loop->target = parse_target(false, "in");
  expect_name("in");
  loop->items = parse_tuple(false, "recursive", false);
  const size_t mark = unknown_.size();
  if (skip_name("if")) loop->test = parse_expression();
  loop->recursive = skip_name("recursive");
  loop->loop_symbol = intern("loop");
  ++loops_;
  loop->body = parse_block({"endfor", "else"});
  --loops_;
  loop->has_else = next().text == "else";
  if (loop->has_else) loop->otherwise = parse_closed_block("endfor");
  --loops_everywhere_;
  fail_unknown_since(mark);
  return loop;
}

StatementPtr Parser::parse_if() {
  const size_t mark = unknown_.size();
  auto statement = std::make_unique<IfStatement>();
  std::string end = "elif";
  while (end == "elif") {
    next();
    ExprPtr test = parse_tuple(false, "", false);
    Body body = parse_block({"elif", "else", "endif"});
    statement->branches.emplace_back(std::move(test), std::move(body));
    end = current().text;
  }
  next();
  if (end == "else") statement->otherwise = parse_closed_block("endif");
  forgive_unknown_since(mark);
  return statement;
}

StatementPtr Parser::parse_set() {
  next();
  Target target = parse_target(true, "");
  if (skip_operator("=")) {
    auto statement = std::make_unique<SetStatement>();
    statement->target = std::move(target);
    statement->value = parse_tuple(true, "", false);
    return statement;
  }
  const size_t mark = unknown_.size();
  auto statement = std::make_unique<CaptureStatement>();
  statement->target = std::move(target);
  statement->captured = intern("");
  while (skip_operator("|")) {
    if (statement->filter == nullptr) {
      auto input = std::make_unique<Name>();
      input->symbol = statement->captured;
      statement->filter = finish(std::move(input), current().line, 0);
    }
    statement->filter = parse_filter(std::move(statement->filter));
  }
  statement->body = parse_closed_block("endset");
  fail_unknown_since(mark);
  return statement;
}

StatementPtr Parser::parse_filter_block() {
  next();
  const size_t mark = unknown_.size();
  auto statement = std::make_unique<CaptureStatement>();
  statement->captured = intern("");
  auto input = std::make_unique<Name>();
  input->symbol = statement->captured;
  statement->filter = parse_filter(finish(std::move(input), current().line, 0));
  while (skip_operator("|")) statement->filter = parse_filter(std::move(statement->filter));
  statement->body = parse_closed_block("endfilter");
  fail_unknown_since(mark);
  return statement;
}

void Parser::parse_signature(MacroDefinition& macro) {
  expect_operator("(");
  bool has_fallback = false;
  while (!at_operator(")")) {
    if (!macro.parameters.empty()) expect_operator(",");
    const Token token = current();
    MacroParameter parameter;
    parameter.name = expect_any_name();
    parameter.symbol = intern(parameter.name);
    note_binding(parameter.name);
    const bool repeated = std::any_of(macro.parameters.begin(), macro.parameters.end(),
                                      [&](const auto& p) { return p.name == parameter.name; });
    if (repeated) fail_at(token.line, "two parameters are named '{}'", parameter.name);
    if (skip_operator("=")) {
      parameter.fallback = parse_expression();
      has_fallback = true;
    } else if (has_fallback) {
      fail_at(token.line, "parameter '{}' follows one with a default, expected a default",
              parameter.name);
    }
    macro.parameters.push_back(std::move(parameter));
  }
  expect_operator(")");
}

void Parser::parse_macro_body(MacroDefinition& macro, std::string_view end_tag, int line) {
  const int outer_loops = std::exchange(loops_, 0);
  macros_.emplace_back();
  macro.body = parse_inner_block(end_tag);
  const SpecialNames names = std::move(macros_.back());
  macros_.pop_back();
  loops_ = outer_loops;
  const auto declares = [&](std::string_view name) {
    return std::find_if(macro.parameters.begin(), macro.parameters.end(),
                        [&](const auto& p) { return p.name == name; });
  };
  const auto none = macro.parameters.end();
  if (names.used.contains("caller")) {
    const auto parameter = declares("caller");
    if (parameter != none && parameter->fallback == nullptr) {
      fail_at(line, "the parameter 'caller' has no default, expected one");
    }
    macro.uses_caller = parameter == none;
  }
  macro.uses_varargs = names.used.contains("varargs") && declares("varargs") == none;
  macro.uses_kwargs = names.used.contains("kwargs") && declares("kwargs") == none;
  macro.caller = intern("caller");
  macro.varargs = intern("varargs");
  macro.kwargs = intern("kwargs");
}

StatementPtr Parser::parse_macro() {
  const int line = next().line;
  auto statement = std::make_unique<MacroStatement>();
  statement->macro.name = expect_any_name();
  statement->symbol = intern(statement->macro.name);
  const size_t mark = unknown_.size();
  parse_signature(statement->macro);
  parse_macro_body(statement->macro, "endmacro", line);
  fail_unknown_since(mark);
  return statement;
}

StatementPtr Parser::parse_call_block() {
  const int line = next().line;
  auto statement = std::make_unique<CallStatement>();
  if (at_operator("(")) parse_signature(statement->caller);
  ExprPtr call = parse_expression();
  if (dynamic_cast<CallExpr*>(call.get()) == nullptr) {
    fail_at(line, "'call' is followed by another expression, expected a call");
  }
  statement->call.reset(static_cast<CallExpr*>(call.release()));
  parse_macro_body(statement->caller, "endcall", line);
  return statement;
}

StatementPtr Parser::parse_with() {
  next();
  auto statement = std::make_unique<WithStatement>();
  while (current().type != TokenType::kBlockEnd) {
    if (!statement->assignments.empty()) expect_operator(",");
    Target target = parse_target(false, "");
    expect_operator("=");
    statement->assignments.emplace_back(std::move(target), parse_expression());
  }
  statement->body = parse_inner_block("endwith");
  return statement;
}

StatementPtr Parser::parse_print(Body& body) {
  next();
  bool first = true;
  while (current().type != TokenType::kBlockEnd) {
    if (!first) expect_operator(",");
    first = false;
    auto output = std::make_unique<OutputStatement>();
    output->line = current().line;
    output->value = parse_expression();
    body.statements.push_back(std::move(output));
  }
  return nullptr;
}

StatementPtr Parser::parse_named_block() {
  const int line = next().line;
  auto statement = std::make_unique<ScopeStatement>();
  const std::string name = expect_any_name();
  if (!blocks_.insert(name).second) fail_at(line, "block '{}' is defined twice", name);
  statement->sees_locals = skip_name("scoped");
  skip_name("required");
  const int outer_loops = std::exchange(loops_, 0);
  statement->body = parse_inner_block("endblock");
  loops_ = outer_loops;
  skip_name(name);
  return statement;
}

StatementPtr Parser::parse_scope(std::string_view end_tag, bool autoescape) {
  next();
  auto statement = std::make_unique<ScopeStatement>();
  if (autoescape) {
    statement->autoescape = parse_expression();
    statement->body = parse_inner_block(end_tag);
    return statement;
  }
  // As in transformers, the body of `generation` is that of a call block: no break out of it.
  const int outer_loops = std::exchange(loops_, 0);
  statement->body = parse_inner_block(end_tag);
  loops_ = outer_loops;
  return statement;
}

StatementPtr Parser::parse_flow(Flow flow) {
  const Token tag = next();
  if (loops_ == 0) fail_at(tag.line, "'{}' stands outside of a loop", tag.text);
  auto statement = std::make_unique<FlowStatement>();
  statement->flow = flow;
  return statement;
}

StatementPtr Parser::parse_load() {
  auto statement = std::make_unique<LoadStatement>();
  statement->tag = next().text;
  parse_expression();
  while (current().type != TokenType::kBlockEnd && current().type != TokenType::kEnd) next();
  return statement;
}

Target Parser::parse_target(bool with_namespace, std::string_view end_name) {
  const Nesting nesting(*this);
  Target first;
  std::vector<Target> items;
  bool is_tuple = false;
  for (;;) {
    if (!items.empty()) expect_operator(",");
    const bool at_end = current().type == TokenType::kVariableEnd ||
                        current().type == TokenType::kBlockEnd || at_operator(")") ||
                        (!end_name.empty() && at_name(end_name));
    if (at_end) break;
    items.push_back(parse_single_target(with_namespace));
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (items.empty()) fail_expected("a name to assign to");
  if (!is_tuple) return std::move(items[0]);
  Target tuple;
  tuple.is_tuple = true;
  tuple.items = std::move(items);
  return tuple;
}

Target Parser::parse_single_target(bool with_namespace) {
  if (skip_operator("(")) {
    Target target = parse_target(with_namespace, "");
    expect_operator(")");
    return target;
  }
  const Token token = current();
  Target target;
  const std::string name = expect_any_name();
  target.symbol = intern(name);
  if (with_namespace && skip_operator(".")) {
    note_use(name);
    target.attribute = expect_any_name();
    return target;
  }
  constexpr std::string_view kConstants[] = {"true", "false", "none", "True", "False", "None"};
  if (std::find(std::begin(kConstants), std::end(kConstants), name) != std::end(kConstants)) {
    fail_at(token.line, "'{}' cannot be assigned to, expected a name", name);
  }
  if (name == "loop" && loops_everywhere_ > 0) {
    fail_at(token.line, "'loop' is a loop's own variable and cannot be assigned to");
  }
  note_binding(name);
  return target;
}

}  // namespace xylem::text::jinja
