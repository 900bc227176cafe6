// The grammar of expressions, from the loosest binding to the tightest.
#include <algorithm>
#include <array>

#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/parser.h"

namespace xylem::text::jinja {
namespace {

int depth_of(const ExprPtr& expr) { return expr == nullptr ? 0 : expr->depth; }

int depth_of(const Exprs& exprs) {
  int depth = 0;
  for (const ExprPtr& expr : exprs) depth = std::max(depth, depth_of(expr));
  return depth;
}

struct CompareSymbol {
  std::string_view symbol;
  CompareOp op;
};
constexpr std::array<CompareSymbol, 6> kCompareSymbols = {{{"==", CompareOp::kEqual},
                                                           {"!=", CompareOp::kNotEqual},
                                                           {"<", CompareOp::kLess},
                                                           {"<=", CompareOp::kLessEqual},
                                                           {">", CompareOp::kGreater},
                                                           {">=", CompareOp::kGreaterEqual}}};

}  // namespace

ExprPtr Parser::finish(std::unique_ptr<Expr> node, int line, int child_depth) const {
  if (child_depth >= kMaxSyntaxDepth) {
    fail_at(line, "an expression is nested too deeply, expected at most {} levels",
            kMaxSyntaxDepth);
  }
  node->line = line;
  node->depth = child_depth + 1;
  return node;
}

ExprPtr Parser::make_constant(Value value, int line) const {
  auto node = std::make_unique<Constant>();
  node->value = std::move(value);
  return finish(std::move(node), line, 0);
}

ExprPtr Parser::make_binary(BinaryOp op, ExprPtr left, ExprPtr right, int line) const {
  auto node = std::make_unique<BinaryExpr>();
  const int depth = std::max(left->depth, right->depth);
  node->op = op;
  node->left = std::move(left);
  node->right = std::move(right);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::make_logic(bool is_and, ExprPtr left, ExprPtr right, int line) const {
  auto node = std::make_unique<LogicExpr>();
  const int depth = std::max(left->depth, right->depth);
  node->is_and = is_and;
  node->left = std::move(left);
  node->right = std::move(right);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_expression() { return parse_condition(); }

ExprPtr Parser::parse_condition() {
  const Nesting nesting(*this);
  const size_t mark = unknown_.size();
  int line = current().line;
  ExprPtr expr = parse_or();
  while (skip_name("if")) {
    auto node = std::make_unique<ConditionExpr>();
    node->test = parse_or();
    if (skip_name("else")) node->no = parse_condition();
    node->yes = std::move(expr);
    const int depth = std::max({depth_of(node->test), depth_of(node->yes), depth_of(node->no)});
    expr = finish(std::move(node), line, depth);
    line = current().line;
    forgive_unknown_since(mark);
  }
  return expr;
}

ExprPtr Parser::parse_or() {
  const int line = current().line;
  ExprPtr left = parse_and();
  while (skip_name("or")) left = make_logic(false, std::move(left), parse_and(), line);
  return left;
}

ExprPtr Parser::parse_and() {
  const int line = current().line;
  ExprPtr left = parse_not();
  while (skip_name("and")) left = make_logic(true, std::move(left), parse_not(), line);
  return left;
}

ExprPtr Parser::parse_not() {
  if (!at_name("not")) return parse_compare();
  const Nesting nesting(*this);
  const int line = next().line;
  auto node = std::make_unique<UnaryExpr>();
  node->op = UnaryExpr::Op::kNot;
  node->operand = parse_not();
  const int depth = node->operand->depth;
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_compare() {
  const int line = current().line;
  auto node = std::make_unique<CompareExpr>();
  node->first = parse_sum();
  int depth = node->first->depth;
  for (;;) {
    const auto symbol =
        std::find_if(kCompareSymbols.begin(), kCompareSymbols.end(),
                     [&](const CompareSymbol& known) { return at_operator(known.symbol); });
    CompareOp op = CompareOp::kIn;
    if (symbol != kCompareSymbols.end()) {
      op = symbol->op;
      next();
    } else if (at_name("not") && look().is_name("in")) {
      op = CompareOp::kNotIn;
      next();
      next();
    } else if (!skip_name("in")) {
      break;
    }
    node->rest.emplace_back(op, parse_sum());
    depth = std::max(depth, node->rest.back().second->depth);
  }
  if (node->rest.empty()) return std::move(node->first);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_sum() {
  const int line = current().line;
  ExprPtr left = parse_concat();
  while (at_operator("+") || at_operator("-")) {
    const BinaryOp op = next().text == "+" ? BinaryOp::kAdd : BinaryOp::kSubtract;
    left = make_binary(op, std::move(left), parse_concat(), line);
  }
  return left;
}

ExprPtr Parser::parse_concat() {
  const int line = current().line;
  auto node = std::make_unique<ConcatExpr>();
  node->items.push_back(parse_product());
  while (skip_operator("~")) node->items.push_back(parse_product());
  if (node->items.size() == 1) return std::move(node->items[0]);
  const int depth = depth_of(node->items);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_product() {
  const int line = current().line;
  ExprPtr left = parse_power();
  for (;;) {
    BinaryOp op = BinaryOp::kMultiply;
    if (at_operator("/")) {
      op = BinaryOp::kDivide;
    } else if (at_operator("//")) {
      op = BinaryOp::kFloorDivide;
    } else if (at_operator("%")) {
      op = BinaryOp::kModulo;
    } else if (!at_operator("*")) {
      return left;
    }
    next();
    left = make_binary(op, std::move(left), parse_power(), line);
  }
}

ExprPtr Parser::parse_power() {
  const int line = current().line;
  ExprPtr left = parse_unary(true);
  while (skip_operator("**")) {
    left = make_binary(BinaryOp::kPower, std::move(left), parse_unary(true), line);
  }
  return left;
}

ExprPtr Parser::parse_unary(bool with_filter) {
  const Nesting nesting(*this);
  ExprPtr expr;
  if (at_operator("-") || at_operator("+")) {
    const Token sign = next();
    auto node = std::make_unique<UnaryExpr>();
    node->op = sign.text == "-" ? UnaryExpr::Op::kNegative : UnaryExpr::Op::kPositive;
    node->operand = parse_unary(false);
    const int depth = node->operand->depth;
    expr = finish(std::move(node), sign.line, depth);
  } else {
    expr = parse_primary();
  }
  expr = parse_postfix(std::move(expr));
  return with_filter ? parse_filters_and_tests(std::move(expr)) : std::move(expr);
}

ExprPtr Parser::parse_primary() {
  switch (current().type) {
    case TokenType::kName:
      return parse_name();
    case TokenType::kString:
      return parse_string();
    case TokenType::kInteger:
    case TokenType::kFloat:
      return parse_number();
    default:
      break;
  }
  if (skip_operator("(")) {
    ExprPtr expr = parse_tuple(true, "", true);
    expect_operator(")");
    return expr;
  }
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  fail_expected("an expression");
}

ExprPtr Parser::parse_name() {
  const Token token = next();
  const std::string& name = token.text;
  if (name == "true" || name == "True") return make_constant(true, token.line);
  if (name == "false" || name == "False") return make_constant(false, token.line);
  if (name == "none" || name == "None") return make_constant(Value(), token.line);
  note_use(name);
  auto node = std::make_unique<Name>();
  node->symbol = intern(name);
  node->name = name;
  return finish(std::move(node), token.line, 0);
}

ExprPtr Parser::parse_number() {
  const Token token = next();
  if (token.type == TokenType::kFloat) {
    return make_constant(parse_float(token.text).value_or(0.0), token.line);
  }
  return make_constant(parse_int(token.text, 0).value_or(0), token.line);
}

ExprPtr Parser::parse_string() {
  const int line = current().line;
  std::string text;
  while (current().type == TokenType::kString) text += next().text;
  return make_constant(make_literal(std::move(text)), line);
}

ExprPtr Parser::parse_list() {
  const int line = current().line;
  expect_operator("[");
  auto node = std::make_unique<ListExpr>();
  while (!at_operator("]")) {
    if (!node->items.empty()) expect_operator(",");
    if (at_operator("]")) break;
    node->items.push_back(parse_expression());
  }
  expect_operator("]");
  const int depth = depth_of(node->items);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_dict() {
  const int line = current().line;
  expect_operator("{");
  auto node = std::make_unique<DictExpr>();
  int depth = 0;
  while (!at_operator("}")) {
    if (!node->items.empty()) expect_operator(",");
    if (at_operator("}")) break;
    ExprPtr key = parse_expression();
    expect_operator(":");
    ExprPtr value = parse_expression();
    depth = std::max({depth, key->depth, value->depth});
    node->items.emplace_back(std::move(key), std::move(value));
  }
  expect_operator("}");
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_tuple(bool with_condition, std::string_view end_name, bool in_parentheses) {
  const int line = current().line;
  Exprs items;
  bool is_tuple = false;
  for (;;) {
    if (!items.empty()) expect_operator(",");
    const bool at_end = current().type == TokenType::kVariableEnd ||
                        current().type == TokenType::kBlockEnd || at_operator(")") ||
                        (!end_name.empty() && at_name(end_name));
    if (at_end) break;
    items.push_back(with_condition ? parse_condition() : parse_or());
    if (!at_operator(",")) break;
    is_tuple = true;
  }
  if (!is_tuple) {
    if (!items.empty()) return std::move(items[0]);
    if (!in_parentheses) fail_expected("an expression");
  }
  auto node = std::make_unique<TupleExpr>();
  node->items = std::move(items);
  const int depth = depth_of(node->items);
  return finish(std::move(node), line, depth);
}

ExprPtr Parser::parse_postfix(ExprPtr expr) {
  for (;;) {
    if (at_operator(".")) {
      expr = parse_dot(std::move(expr));
    } else if (at_operator("[")) {
      expr = parse_subscript(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

ExprPtr Parser::parse_filters_and_tests(ExprPtr expr) {
  for (;;) {
    if (skip_operator("|")) {
      expr = parse_filter(std::move(expr));
    } else if (at_name("is")) {
      expr = parse_test(std::move(expr));
    } else if (at_operator("(")) {
      expr = parse_call(std::move(expr));
    } else {
      return expr;
    }
  }
}

}  // namespace xylem::text::jinja
