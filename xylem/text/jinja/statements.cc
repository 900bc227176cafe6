// How statements run.
#include "xylem/base/error.h"
#include "xylem/text/jinja/ast.h"
#include "xylem/text/jinja/loop.h"
#include "xylem/text/jinja/macro.h"

namespace xylem::text::jinja {
namespace {

// The items for which a loop's test holds.
class FilteredIterator final : public Iterator {
 public:
  FilteredIterator(Runtime& rt, Scope& scope, const ForStatement& loop,
                   std::unique_ptr<Iterator> items)
      : rt_(rt), scope_(rt.heap().make<Scope>(&scope)), loop_(loop), items_(std::move(items)) {}

  bool next(Value& item) override {
    while (items_->next(item)) {
      scope_ = scope_->renewed(rt_);
      loop_.target.assign(rt_, *scope_, item);
      if (truthy(loop_.test->evaluate(rt_, *scope_))) return true;
    }
    return false;
  }

 private:
  Runtime& rt_;
  Scope* scope_;  // not an InnerScope: this object may live as long as the heap
  const ForStatement& loop_;
  std::unique_ptr<Iterator> items_;
};

// The output of a block, which Jinja joins without converting it.
void write_block(Runtime& rt, const Value& text) {
  if (!text.is_string()) {
    fail(ErrorCode::kInvalidArgument, "a block's output is a {}, expected a str", type_name(text));
  }
  rt.output().append(text.text());
}

}  // namespace

Flow Body::execute(Runtime& rt, Scope& scope) const {
  for (const StatementPtr& statement : statements) {
    const Flow flow = statement->execute(rt, scope);
    if (flow != Flow::kNormal) return flow;
  }
  return Flow::kNormal;
}

void Target::assign(Runtime& rt, Scope& scope, Value value) const {
  if (is_tuple) {
    Values values = to_values(rt, value);
    if (values.size() != items.size()) {
      fail(ErrorCode::kInvalidArgument, "{} values to unpack, expected {}", values.size(),
           items.size());
    }
    for (size_t i = 0; i < items.size(); ++i) items[i].assign(rt, scope, std::move(values[i]));
    return;
  }
  if (attribute.empty()) {
    scope.set(rt, symbol, std::move(value));
    return;
  }
  const Value* object = scope.find(symbol);
  auto* target = object == nullptr ? nullptr : object->as<Namespace>();
  if (target == nullptr) {
    fail(ErrorCode::kInvalidArgument, "cannot assign attribute on non-namespace object");
  }
  target->set(rt, attribute, std::move(value));
}

Flow TextStatement::run(Runtime& rt, Scope&) const {
  rt.output().append(text);
  return Flow::kNormal;
}

Flow OutputStatement::run(Runtime& rt, Scope& scope) const {
  write_string(rt, value->evaluate(rt, scope), rt.output());
  return Flow::kNormal;
}

Flow IfStatement::run(Runtime& rt, Scope& scope) const {
  for (const auto& [test, body] : branches) {
    if (truthy(test->evaluate(rt, scope))) return body.execute(rt, scope);
  }
  return otherwise.execute(rt, scope);
}

Flow ForStatement::run(Runtime& rt, Scope& scope) const {
  return iterate_over(rt, scope, items->evaluate(rt, scope), 0);
}

Flow ForStatement::iterate_over(Runtime& rt, Scope& scope, const Value& value, int depth0) const {
  std::unique_ptr<Iterator> iterator = iterate(rt, value);
  if (test != nullptr) {
    iterator = std::make_unique<FilteredIterator>(rt, scope, *this, std::move(iterator));
  }
  Loop* loop =
      rt.heap().make<Loop>(*this, scope, value, test != nullptr, std::move(iterator), depth0);
  InnerScope inner(rt, scope);
  // As in Jinja, a turn that ends by break or continue does not keep the else branch away.
  bool completed_a_turn = false;
  for (Value item; loop->advance(item); inner.reset()) {
    inner->set(rt, loop_symbol, loop);
    target.assign(rt, *inner, item);
    const Flow flow = body.execute(rt, *inner);
    if (flow == Flow::kNormal) completed_a_turn = true;
    if (flow == Flow::kBreak) break;
  }
  loop->finish();
  if (!has_else || completed_a_turn) return Flow::kNormal;
  InnerScope else_scope(rt, scope);
  return otherwise.execute(rt, *else_scope);
}

Flow SetStatement::run(Runtime& rt, Scope& scope) const {
  target.assign(rt, scope, value->evaluate(rt, scope));
  return Flow::kNormal;
}

Flow CaptureStatement::run(Runtime& rt, Scope& scope) const {
  InnerScope inner(rt, scope);
  Value text;
  {
    OutputCapture capture(rt);
    const Flow flow = body.execute(rt, *inner);
    if (flow != Flow::kNormal) return flow;
    text = capture.take();
  }
  if (filter != nullptr) {
    inner->set(rt, captured, text);
    text = filter->evaluate(rt, *inner);
  }
  if (target) {
    target->assign(rt, scope, std::move(text));
  } else {
    write_block(rt, text);
  }
  return Flow::kNormal;
}

Flow MacroStatement::run(Runtime& rt, Scope& scope) const {
  scope.set(rt, symbol, rt.heap().make<Macro>(macro, scope));
  return Flow::kNormal;
}

Flow CallStatement::run(Runtime& rt, Scope& scope) const {
  Macro* body = rt.heap().make<Macro>(caller, scope);
  write_block(rt, call->call(rt, scope, body));
  return Flow::kNormal;
}

Flow WithStatement::run(Runtime& rt, Scope& scope) const {
  InnerScope inner(rt, scope);
  for (const auto& [target, value] : assignments) {
    target.assign(rt, *inner, value->evaluate(rt, scope));
  }
  return body.execute(rt, *inner);
}

Flow ScopeStatement::run(Runtime& rt, Scope& scope) const {
  if (autoescape != nullptr && truthy(autoescape->evaluate(rt, scope))) {
    fail(ErrorCode::kInvalidArgument, "autoescape is on, but a chat template is not HTML");
  }
  Scope* outer = &scope;
  if (!sees_locals) {
    while (outer->parent()->parent() != nullptr) outer = outer->parent();
  }
  InnerScope inner(rt, *outer);
  return body.execute(rt, *inner);
}

Flow LoadStatement::run(Runtime&, Scope&) const {
  fail(ErrorCode::kInvalidArgument, "'{}' needs another template, but a chat template stands alone",
       tag);
}

}  // namespace xylem::text::jinja
