// How expressions evaluate.
#include "xylem/base/error.h"
#include "xylem/text/jinja/ast.h"
#include "xylem/text/jinja/characters.h"

namespace xylem::text::jinja {
namespace {

Values evaluate_all(const Exprs& items, Runtime& rt, Scope& scope) {
  Values values;
  values.reserve(items.size());
  for (const ExprPtr& item : items) values.push_back(item->evaluate(rt, scope));
  return values;
}

Value evaluate_or_none(const ExprPtr& expr, Runtime& rt, Scope& scope) {
  return expr == nullptr ? Value() : expr->evaluate(rt, scope);
}

// A call of object.name without making an object of the bound method.
Value call_method(Runtime& rt, const Value& object, std::string_view name, CallArgs args) {
  const bool plain =
      object.is_string() || object.as<Dict>() != nullptr || object.as<List>() != nullptr;
  if (plain && !is_forbidden_method(object, name)) {
    const Function* method = methods_of(object)->find(name);
    if (method != nullptr) return method->call_with(rt, object, std::move(args));
  }
  return call_value(rt, get_attribute(rt, object, name), std::move(args));
}

}  // namespace

CallArgs Arguments::evaluate(Runtime& rt, Scope& scope) const {
  CallArgs args;
  args.positional = evaluate_all(positional, rt, scope);
  for (const auto& [name, value] : named) args.named.emplace_back(name, value->evaluate(rt, scope));
  if (rest != nullptr) {
    for (Value& item : to_values(rt, rest->evaluate(rt, scope))) {
      args.positional.push_back(std::move(item));
    }
  }
  if (named_rest != nullptr) {
    const Value mapping = named_rest->evaluate(rt, scope);
    const auto* dict = mapping.as<Dict>();
    if (dict == nullptr) {
      fail(ErrorCode::kInvalidArgument, "the argument after ** is a {}, expected a dict",
           type_name(mapping));
    }
    for (const auto& [key, value] : dict->entries()) {
      if (!key.is_string()) fail(ErrorCode::kInvalidArgument, "keywords must be strings");
      args.named.emplace_back(key.text(), value);
    }
  }
  return args;
}

Value Name::run(Runtime& rt, Scope& scope) const {
  if (const Value* value = scope.find(symbol)) return *value;
  return rt.undefined("'" + name + "' is undefined");
}

Value TupleExpr::run(Runtime& rt, Scope& scope) const {
  return rt.tuple(evaluate_all(items, rt, scope));
}

Value ListExpr::run(Runtime& rt, Scope& scope) const {
  return rt.list(evaluate_all(items, rt, scope));
}

Value DictExpr::run(Runtime& rt, Scope& scope) const {
  std::vector<Dict::Entry> entries;
  entries.reserve(items.size());
  for (const auto& [key, value] : items) {
    Value evaluated = key->evaluate(rt, scope);
    entries.emplace_back(std::move(evaluated), value->evaluate(rt, scope));
  }
  return rt.dict(std::move(entries));
}

Value UnaryExpr::run(Runtime& rt, Scope& scope) const {
  const Value value = operand->evaluate(rt, scope);
  switch (op) {
    case Op::kNot:
      return !truthy(value);
    case Op::kNegative:
      return negated(rt, value);
    case Op::kPositive:
      break;
  }
  if (value.is_float()) return value;
  return arithmetic(rt, BinaryOp::kAdd, Value(0), value);
}

Value BinaryExpr::run(Runtime& rt, Scope& scope) const {
  const Value a = left->evaluate(rt, scope);
  return arithmetic(rt, op, a, right->evaluate(rt, scope));
}

Value LogicExpr::run(Runtime& rt, Scope& scope) const {
  Value value = left->evaluate(rt, scope);
  return truthy(value) == is_and ? right->evaluate(rt, scope) : value;
}

bool compare(Runtime& rt, CompareOp op, const Value& a, const Value& b) {
  switch (op) {
    case CompareOp::kEqual:
      return equal(rt.heap(), a, b);
    case CompareOp::kNotEqual:
      return !equal(rt.heap(), a, b);
    case CompareOp::kLess:
      return less(rt.heap(), a, b);
    case CompareOp::kGreater:
      return less(rt.heap(), b, a);
    case CompareOp::kLessEqual:
      return less(rt.heap(), a, b) || equal(rt.heap(), a, b);
    case CompareOp::kGreaterEqual:
      return less(rt.heap(), b, a) || equal(rt.heap(), a, b);
    case CompareOp::kIn:
      return contains(rt, b, a);
    case CompareOp::kNotIn:
      break;
  }
  return !contains(rt, b, a);
}

Value CompareExpr::run(Runtime& rt, Scope& scope) const {
  Value a = first->evaluate(rt, scope);
  for (const auto& [op, expr] : rest) {
    Value b = expr->evaluate(rt, scope);
    if (!compare(rt, op, a, b)) return false;
    a = std::move(b);
  }
  return true;
}

Value ConcatExpr::run(Runtime& rt, Scope& scope) const {
  TextBuilder out(rt.heap());
  for (const Value& value : evaluate_all(items, rt, scope)) write_string(rt, value, out);
  return rt.string(out);
}

Value ConditionExpr::run(Runtime& rt, Scope& scope) const {
  if (truthy(test->evaluate(rt, scope))) return yes->evaluate(rt, scope);
  if (no != nullptr) return no->evaluate(rt, scope);
  return rt.undefined(fmt::format(
      "the inline if-expression on line {} evaluated to false and no else section was defined.",
      line));
}

Value AttributeExpr::run(Runtime& rt, Scope& scope) const {
  return get_attribute(rt, object->evaluate(rt, scope), name);
}

Value SubscriptExpr::run(Runtime& rt, Scope& scope) const {
  const Value value = object->evaluate(rt, scope);
  return get_item(rt, value, key->evaluate(rt, scope));
}

Value SliceExpr::run(Runtime& rt, Scope& scope) const {
  const Value value = object->evaluate(rt, scope);
  const Value from = evaluate_or_none(start, rt, scope);
  const Value to = evaluate_or_none(stop, rt, scope);
  return get_slice(rt, value, from, to, evaluate_or_none(step, rt, scope));
}

Value CallExpr::call(Runtime& rt, Scope& scope, Object* caller) const {
  const auto evaluate_arguments = [&] {
    CallArgs args = arguments.evaluate(rt, scope);
    if (caller != nullptr) args.named.emplace_back("caller", caller);
    return args;
  };
  if (const auto* attribute = dynamic_cast<const AttributeExpr*>(callee.get())) {
    const Value object = attribute->object->evaluate(rt, scope);
    return call_method(rt, object, attribute->name, evaluate_arguments());
  }
  const Value function = callee->evaluate(rt, scope);
  return call_value(rt, function, evaluate_arguments());
}

Value FilterExpr::run(Runtime& rt, Scope& scope) const {
  if (function == nullptr) {
    fail(ErrorCode::kInvalidArgument, "No {} named '{}' found.", is_test ? "test" : "filter", name);
  }
  const Value value = input->evaluate(rt, scope);
  CallArgs args = arguments.evaluate(rt, scope);
  Value result = function->call_with(rt, value, std::move(args));
  return result;
}

}  // namespace xylem::text::jinja
