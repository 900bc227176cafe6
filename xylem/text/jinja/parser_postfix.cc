// What follows an expression: attributes, subscripts, calls, filters and tests.
#include <algorithm>

#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/parser.h"

namespace xylem::text::jinja {
namespace {

int depth_of(const ExprPtr& expr) { return expr == nullptr ? 0 : expr->depth; }

int depth_of(const Arguments& arguments) {
  int depth = std::max(depth_of(arguments.rest), depth_of(arguments.named_rest));
  for (const ExprPtr& value : arguments.positional) depth = std::max(depth, depth_of(value));
  for (const auto& [name, value] : arguments.named) depth = std::max(depth, depth_of(value));
  return depth;
}

}  // namespace

ExprPtr Parser::parse_dot(ExprPtr object) {
  const int line = next().line;
  const int depth = object->depth;
  if (current().type == TokenType::kName) {
    auto node = std::make_unique<AttributeExpr>();
    node->name = next().text;
    node->object = std::move(object);
    return finish(std::move(node), line, depth);
  }
  if (current().type != TokenType::kInteger) fail_expected("a name or a number after '.'");
  auto node = std::make_unique<SubscriptExpr>();
  node->key = parse_number();
  node->object = std::move(object);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_subscript(ExprPtr object) {
  const int line = current().line;
  expect_operator("[");
  ExprPtr key;
  if (!at_operator(":")) key = parse_expression();
  if (at_operator(":")) return parse_slice(std::move(object), std::move(key), line);
  if (at_operator(",")) {  // value[a, b] has a tuple as its key
    auto tuple = std::make_unique<TupleExpr>();
    int depth = key->depth;
    tuple->items.push_back(std::move(key));
    while (skip_operator(",") && !at_operator("]")) {
      tuple->items.push_back(parse_expression());
      depth = std::max(depth, tuple->items.back()->depth);
    }
    key = finish(std::move(tuple), line, depth);
  }
  expect_operator("]");
  auto node = std::make_unique<SubscriptExpr>();
  const int depth = std::max(object->depth, key->depth);
  node->object = std::move(object);
  node->key = std::move(key);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_slice(ExprPtr object, ExprPtr start, int line) {
  auto node = std::make_unique<SliceExpr>();
  expect_operator(":");
  node->start = std::move(start);
  if (!at_operator(":") && !at_operator("]")) node->stop = parse_expression();
  if (skip_operator(":") && !at_operator("]")) node->step = parse_expression();
  expect_operator("]");
  const int depth = std::max(
      {depth_of(object), depth_of(node->start), depth_of(node->stop), depth_of(node->step)});
  node->object = std::move(object);
  return finish(std::move(node), line, depth);
}

Arguments Parser::parse_arguments() {
  const int line = current().line;
  const auto ensure = [&](bool valid) {
    if (!valid)
      fail_at(line,
              "the arguments of a call are out of order, expected positional ones, "
              "then named ones, then **");
  };
  Arguments arguments;
  expect_operator("(");
  bool first = true;
  while (!at_operator(")")) {
    if (!first) {
      expect_operator(",");
      if (at_operator(")")) break;
    }
    first = false;
    if (skip_operator("*")) {
      ensure(arguments.rest == nullptr && arguments.named_rest == nullptr);
      arguments.rest = parse_expression();
    } else if (skip_operator("**")) {
      ensure(arguments.named_rest == nullptr);
      arguments.named_rest = parse_expression();
    } else if (current().type == TokenType::kName && look().is_operator("=")) {
      ensure(arguments.named_rest == nullptr);
      std::string name = next().text;
      next();
      arguments.named.emplace_back(std::move(name), parse_expression());
    } else {
      ensure(arguments.rest == nullptr && arguments.named_rest == nullptr &&
             arguments.named.empty());
      arguments.positional.push_back(parse_expression());
    }
  }
  expect_operator(")");
  return arguments;
}

ExprPtr Parser::parse_call(ExprPtr callee) {
  const int line = current().line;
  auto node = std::make_unique<CallExpr>();
  node->arguments = parse_arguments();
  const int depth = std::max(depth_of(callee), depth_of(node->arguments));
  node->callee = std::move(callee);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::make_filter(bool is_test, std::string name, ExprPtr input, Arguments arguments,
                            int line) {
  auto node = std::make_unique<FilterExpr>();
  const int depth = std::max(depth_of(input), depth_of(arguments));
  node->is_test = is_test;
  node->function = (is_test ? tests() : filters()).find(name);
  if (node->function == nullptr) {
    unknown_.push_back({line, fmt::format("No {} named '{}'.", is_test ? "test" : "filter", name)});
  }
  node->name = std::move(name);
  node->input = std::move(input);
  node->arguments = std::move(arguments);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_filter(ExprPtr input) {
  const int line = current().line;
  std::string name = expect_any_name();
  while (skip_operator(".")) name += "." + expect_any_name();
  Arguments arguments;
  if (at_operator("(")) arguments = parse_arguments();
  return make_filter(false, std::move(name), std::move(input), std::move(arguments), line);
}

ExprPtr Parser::parse_test(ExprPtr input) {
  const int line = next().line;
  const bool negated = skip_name("not");
  std::string name = expect_any_name();
  while (skip_operator(".")) name += "." + expect_any_name();
  Arguments arguments;
  const bool at_word =
      current().type == TokenType::kName && !at_name("else") && !at_name("or") && !at_name("and");
  const bool at_literal =
      current().type == TokenType::kString || current().type == TokenType::kInteger ||
      current().type == TokenType::kFloat || at_operator("[") || at_operator("{");
  if (at_operator("(")) {
    arguments = parse_arguments();
  } else if (at_word || at_literal) {
    if (at_name("is")) fail_at(current().line, "tests with 'is' cannot be chained, expected 'and'");
    arguments.positional.push_back(parse_postfix(parse_primary()));
  }
  ExprPtr test = make_filter(true, std::move(name), std::move(input), std::move(arguments), line);
  if (!negated) return test;
  auto node = std::make_unique<UnaryExpr>();
  const int depth = test->depth;
  node->operand = std::move(test);
  return finish(std::move(node), line, depth);
}

}  // namespace xylem::text::jinja
