// The parser of Jinja's grammar, method by method as in the original: which programs are accepted,
// and what they mean, is compatible down to the corners.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/text/jinja/ast.h"
#include "xylem/text/jinja/lexer.h"

namespace xylem::text::jinja {

class Parser {
 public:
  Parser(std::string_view source, std::string_view name);
  Body parse();
  // The names in the order of their symbols.
  std::vector<std::string> take_names() { return std::move(names_); }

 private:
  // Counts the recursion of the parser itself.
  class Nesting {
   public:
    explicit Nesting(Parser& parser);
    ~Nesting() { --parser_.nesting_; }

   private:
    Parser& parser_;
  };
  // Which of a macro's special names its body uses before binding them.
  struct SpecialNames {
    std::unordered_set<std::string> used;
    std::unordered_set<std::string> bound;
  };
  // A filter or test without a function.
  struct Unknown {
    int line;
    std::string message;
  };
  using EndTags = std::vector<std::string_view>;

  // Tokens (parser.cc).
  const Token& current() const { return tokens_[position_]; }
  const Token& look() const { return tokens_[std::min(position_ + 1, tokens_.size() - 1)]; }
  Token next();
  bool at_operator(std::string_view symbol) const { return current().is_operator(symbol); }
  bool at_name(std::string_view name) const { return current().is_name(name); }
  bool skip_operator(std::string_view symbol);
  bool skip_name(std::string_view name);
  void expect_operator(std::string_view symbol);
  void expect_name(std::string_view name);
  void expect(TokenType type);
  std::string expect_any_name();
  [[noreturn]] void fail_expected(std::string_view expected) const;
  template <class... Args>
  [[noreturn]] void fail_at(int line, fmt::format_string<Args...> format, Args&&... args) const {
    fail(ErrorCode::kInvalidArgument, "{}:{}: {}", name_, line,
         fmt::format(format, std::forward<Args>(args)...));
  }

  // Names (parser.cc).
  Symbol intern(std::string_view name);
  void note_use(const std::string& name);
  void note_binding(const std::string& name);
  // Unknown filters are an error, except below a condition: there only when they are reached.
  void fail_unknown_since(size_t mark);
  void forgive_unknown_since(size_t mark) {
    unknown_.erase(unknown_.begin() + static_cast<ptrdiff_t>(mark), unknown_.end());
  }

  // Statements (parser_statements.cc).
  Body parse_until(const EndTags& end_tags);          // the end tag is the current token
  Body parse_block(const EndTags& end_tags);          // from the end of the opening tag
  Body parse_closed_block(std::string_view end_tag);  // and past the end tag
  Body parse_inner_block(std::string_view end_tag);   // the same, with names of its own
  void add_output(Body& body);
  StatementPtr parse_statement();
  StatementPtr parse_for();
  StatementPtr parse_if();
  StatementPtr parse_set();
  StatementPtr parse_macro();
  StatementPtr parse_call_block();
  StatementPtr parse_filter_block();
  StatementPtr parse_with();
  StatementPtr parse_print(Body& body);
  StatementPtr parse_named_block();
  StatementPtr parse_scope(std::string_view end_tag, bool autoescape);
  StatementPtr parse_flow(Flow flow);
  StatementPtr parse_load();
  void parse_signature(MacroDefinition& macro);
  void parse_macro_body(MacroDefinition& macro, std::string_view end_tag, int line);
  Target parse_target(bool with_namespace, std::string_view end_name);
  Target parse_single_target(bool with_namespace);
  [[noreturn]] void fail_unknown_tag(const Token& tag) const;

  // Expressions (parser_expressions.cc).
  ExprPtr parse_expression();
  ExprPtr parse_condition();
  ExprPtr parse_or();
  ExprPtr parse_and();
  ExprPtr parse_not();
  ExprPtr parse_compare();
  ExprPtr parse_sum();
  ExprPtr parse_concat();
  ExprPtr parse_product();
  ExprPtr parse_power();
  ExprPtr parse_unary(bool with_filter);
  ExprPtr parse_primary();
  ExprPtr parse_name();
  ExprPtr parse_number();
  ExprPtr parse_string();
  ExprPtr parse_list();
  ExprPtr parse_dict();
  // `(a, b)`, or `a, b` without parentheses; a lone expression is itself. end_name, when not
  // empty, ends it too.
  ExprPtr parse_tuple(bool with_condition, std::string_view end_name, bool in_parentheses);
  ExprPtr parse_postfix(ExprPtr expr);
  ExprPtr parse_filters_and_tests(ExprPtr expr);
  ExprPtr parse_dot(ExprPtr object);
  ExprPtr parse_subscript(ExprPtr object);
  ExprPtr parse_slice(ExprPtr object, ExprPtr start, int line);
  ExprPtr parse_call(ExprPtr callee);
  ExprPtr parse_filter(ExprPtr input);  // from its name on
  ExprPtr parse_test(ExprPtr input);
  Arguments parse_arguments();
  ExprPtr make_filter(bool is_test, std::string name, ExprPtr input, Arguments arguments, int line);
  // Sets the line and the depth of a node; an error when the tree becomes too deep.
  ExprPtr finish(std::unique_ptr<Expr> node, int line, int child_depth) const;
  ExprPtr make_binary(BinaryOp op, ExprPtr left, ExprPtr right, int line) const;
  ExprPtr make_logic(bool is_and, ExprPtr left, ExprPtr right, int line) const;
  ExprPtr make_constant(Value value, int line) const;

  std::string_view name_;
  std::vector<Token> tokens_;
  size_t position_ = 0;
  int nesting_ = 0;
  std::unordered_map<std::string, Symbol> symbols_;
  std::vector<std::string> names_;
  std::vector<Unknown> unknown_;
  std::vector<SpecialNames> macros_;  // that are being parsed, outermost first
  std::vector<std::string> open_tags_;
  std::unordered_set<std::string> blocks_;
  int loops_ = 0;             // around the current statement, in the same macro
  int loops_everywhere_ = 0;  // around it in the whole template
};

}  // namespace xylem::text::jinja
