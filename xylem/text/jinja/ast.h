// The syntax tree of a template. It is immutable and shared by all renderings; each node knows how
// to evaluate itself (expressions.cc, statements.cc).
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/scope.h"

namespace xylem::text::jinja {

class Expr {
 public:
  virtual ~Expr() = default;
  Value evaluate(Runtime& rt, Scope& scope) const {
    const DepthGuard guard(rt);
    rt.line = line;
    return run(rt, scope);
  }
  int line = 0;
  int depth = 1;  // of the tree below; bounded by kMaxSyntaxDepth

 protected:
  virtual Value run(Runtime& rt, Scope& scope) const = 0;
};
using ExprPtr = std::unique_ptr<Expr>;
using Exprs = std::vector<ExprPtr>;

// The arguments of a call, a filter or a test.
struct Arguments {
  Exprs positional;
  std::vector<std::pair<std::string, ExprPtr>> named;
  ExprPtr rest;        // *rest
  ExprPtr named_rest;  // **named_rest
  CallArgs evaluate(Runtime& rt, Scope& scope) const;
};

struct Constant final : Expr {
  Value value;
  Value run(Runtime&, Scope&) const override { return value; }
};

struct Name final : Expr {
  Symbol symbol = 0;
  std::string name;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct TupleExpr final : Expr {
  Exprs items;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct ListExpr final : Expr {
  Exprs items;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct DictExpr final : Expr {
  std::vector<std::pair<ExprPtr, ExprPtr>> items;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct UnaryExpr final : Expr {
  enum class Op { kNot, kNegative, kPositive };
  Op op = Op::kNot;
  ExprPtr operand;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct BinaryExpr final : Expr {
  BinaryOp op = BinaryOp::kAdd;
  ExprPtr left;
  ExprPtr right;
  Value run(Runtime& rt, Scope& scope) const override;
};

// `and` and `or`, which yield one of their operands.
struct LogicExpr final : Expr {
  bool is_and = false;
  ExprPtr left;
  ExprPtr right;
  Value run(Runtime& rt, Scope& scope) const override;
};

enum class CompareOp { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIn, kNotIn };

// a < b <= c
struct CompareExpr final : Expr {
  ExprPtr first;
  std::vector<std::pair<CompareOp, ExprPtr>> rest;
  Value run(Runtime& rt, Scope& scope) const override;
};
bool compare(Runtime& rt, CompareOp op, const Value& a, const Value& b);

// a ~ b ~ c
struct ConcatExpr final : Expr {
  Exprs items;
  Value run(Runtime& rt, Scope& scope) const override;
};

// yes if test else no; no may be null
struct ConditionExpr final : Expr {
  ExprPtr test;
  ExprPtr yes;
  ExprPtr no;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct AttributeExpr final : Expr {
  ExprPtr object;
  std::string name;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct SubscriptExpr final : Expr {
  ExprPtr object;
  ExprPtr key;
  Value run(Runtime& rt, Scope& scope) const override;
};

// object[start:stop:step], null where nothing is written
struct SliceExpr final : Expr {
  ExprPtr object;
  ExprPtr start;
  ExprPtr stop;
  ExprPtr step;
  Value run(Runtime& rt, Scope& scope) const override;
};

struct CallExpr final : Expr {
  ExprPtr callee;
  Arguments arguments;
  Value run(Runtime& rt, Scope& scope) const override { return call(rt, scope, nullptr); }
  // caller is passed on as the argument of that name; null for none.
  Value call(Runtime& rt, Scope& scope, Object* caller) const;
};

// A filter or a test. function is null when there is none of that name: an error once evaluated.
struct FilterExpr final : Expr {
  bool is_test = false;
  ExprPtr input;
  std::string name;
  const Function* function = nullptr;
  Arguments arguments;
  Value run(Runtime& rt, Scope& scope) const override;
};

// What the end of a statement asks the loop around it to do.
enum class Flow { kNormal, kBreak, kContinue };

class Statement {
 public:
  virtual ~Statement() = default;
  Flow execute(Runtime& rt, Scope& scope) const {
    const DepthGuard guard(rt);
    rt.line = line;
    return run(rt, scope);
  }
  int line = 0;

 protected:
  virtual Flow run(Runtime& rt, Scope& scope) const = 0;
};
using StatementPtr = std::unique_ptr<Statement>;

struct Body {
  std::vector<StatementPtr> statements;
  Flow execute(Runtime& rt, Scope& scope) const;
};

// What a value is assigned to: a name, an attribute of a namespace, or a tuple of targets.
struct Target {
  Symbol symbol = 0;
  std::string attribute;  // of the namespace `symbol`; empty for a plain name
  std::vector<Target> items;
  bool is_tuple = false;
  void assign(Runtime& rt, Scope& scope, Value value) const;
};

struct TextStatement final : Statement {
  std::string text;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct OutputStatement final : Statement {
  ExprPtr value;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct IfStatement final : Statement {
  std::vector<std::pair<ExprPtr, Body>> branches;
  Body otherwise;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct ForStatement final : Statement {
  Target target;
  ExprPtr items;
  ExprPtr test;  // may be null
  bool recursive = false;
  Symbol loop_symbol = 0;
  Body body;
  Body otherwise;
  bool has_else = false;
  Flow run(Runtime& rt, Scope& scope) const override;
  // The loop over these items; depth0 counts the recursion.
  Flow iterate_over(Runtime& rt, Scope& scope, const Value& value, int depth0) const;
};

struct SetStatement final : Statement {
  Target target;
  ExprPtr value;
  Flow run(Runtime& rt, Scope& scope) const override;
};

// The body's output goes to a target, or to the output when there is none, through an optional
// filter, which reads it under the name `captured`.
struct CaptureStatement final : Statement {
  std::optional<Target> target;
  ExprPtr filter;
  Symbol captured = 0;
  Body body;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct MacroParameter {
  std::string name;
  Symbol symbol = 0;
  ExprPtr fallback;  // may be null
};

struct MacroDefinition {
  std::string name;  // empty for the body of a call block
  std::vector<MacroParameter> parameters;
  Body body;
  // Whether the body uses these special names without binding them.
  bool uses_caller = false;
  bool uses_varargs = false;
  bool uses_kwargs = false;
  Symbol caller = 0;
  Symbol varargs = 0;
  Symbol kwargs = 0;
};

struct MacroStatement final : Statement {
  Symbol symbol = 0;
  MacroDefinition macro;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct CallStatement final : Statement {
  std::unique_ptr<CallExpr> call;
  MacroDefinition caller;
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct WithStatement final : Statement {
  std::vector<std::pair<Target, ExprPtr>> assignments;
  Body body;
  Flow run(Runtime& rt, Scope& scope) const override;
};

// A body with its own names: generation, autoescape, block.
struct ScopeStatement final : Statement {
  Body body;
  bool sees_locals = true;  // a block that is not scoped sees only the template's own names
  ExprPtr autoescape;       // an error when it holds: a chat template is no HTML
  Flow run(Runtime& rt, Scope& scope) const override;
};

struct FlowStatement final : Statement {
  Flow flow = Flow::kBreak;
  Flow run(Runtime&, Scope&) const override { return flow; }
};

// include, import, extends: a chat template stands alone.
struct LoadStatement final : Statement {
  std::string tag;
  Flow run(Runtime& rt, Scope& scope) const override;
};

}  // namespace xylem::text::jinja
