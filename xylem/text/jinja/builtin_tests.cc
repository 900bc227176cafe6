// The tests behind `is`.
#include "xylem/base/error.h"
#include "xylem/text/jinja/ast.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/text_search.h"

namespace xylem::text::jinja {
namespace {

template <CompareOp kOp>
Value test_compare(Runtime& rt, Args& args) {
  return compare(rt, kOp, args[0], args[1]);
}

Value is_divisible(Runtime& rt, const Value& value, const Value& divisor, Int remainder) {
  const Value rest = arithmetic(rt, BinaryOp::kModulo, value, divisor);
  return equal(rt.heap(), rest, Value(remainder));
}

Value test_boolean(Runtime&, Args& args) { return args[0].is_bool(); }
Value test_callable(Runtime&, Args& args) {
  return args[0].is_object() && args[0].object()->callable();
}
Value test_defined(Runtime&, Args& args) { return !args[0].is_undefined(); }
Value test_divisibleby(Runtime& rt, Args& args) { return is_divisible(rt, args[0], args[1], 0); }
Value test_escaped(Runtime&, Args& args) { return args[0].is_markup(); }
Value test_even(Runtime& rt, Args& args) { return is_divisible(rt, args[0], Value(2), 0); }
Value test_false(Runtime&, Args& args) { return args[0].is_bool() && !args[0].as_bool(); }
Value is_registered(Runtime& rt, const Args& args, const Registry& registry) {
  hash_value(rt.heap(), args[0]);  // an error for what cannot be looked up
  return args[0].is_string() && registry.find(args.text(0)) != nullptr;
}
Value test_filter(Runtime& rt, Args& args) { return is_registered(rt, args, filters()); }
Value test_float(Runtime&, Args& args) { return args[0].is_float(); }
Value test_in(Runtime& rt, Args& args) { return contains(rt, args[1], args[0]); }
Value test_integer(Runtime&, Args& args) { return args[0].is_int(); }
Value test_iterable(Runtime& rt, Args& args) { return try_iterate(rt, args[0]) != nullptr; }
Value test_lower(Runtime& rt, Args& args) { return is_lower_text(to_string(rt, args[0])->text); }
Value test_mapping(Runtime&, Args& args) { return args[0].as<Dict>() != nullptr; }
Value test_none(Runtime&, Args& args) { return args[0].is_none(); }
Value test_number(Runtime&, Args& args) { return args[0].is_number(); }
Value test_odd(Runtime& rt, Args& args) { return is_divisible(rt, args[0], Value(2), 1); }
Value test_string(Runtime&, Args& args) { return args[0].is_string(); }
Value test_test(Runtime& rt, Args& args) { return is_registered(rt, args, tests()); }
Value test_true(Runtime&, Args& args) { return args[0].is_bool() && args[0].as_bool(); }
Value test_undefined(Runtime&, Args& args) { return args[0].is_undefined(); }
Value test_upper(Runtime& rt, Args& args) { return is_upper_text(to_string(rt, args[0])->text); }

// What has a length and can be subscripted.
Value test_sequence(Runtime&, Args& args) {
  if (args[0].is_string()) return true;
  if (!args[0].is_object()) return false;
  switch (args[0].object()->kind()) {
    case Kind::kList:
    case Kind::kTuple:
    case Kind::kDict:
    case Kind::kRange:
    case Kind::kUndefined:
      return true;
    default:
      return false;
  }
}

Value test_sameas(Runtime& rt, Args& args) {
  const Value& a = args[0];
  const Value& b = args[1];
  if (a.is_object() || b.is_object()) {
    return a.is_object() && b.is_object() && a.object() == b.object();
  }
  return type_name(a) == type_name(b) && a.is_markup() == b.is_markup() && equal(rt.heap(), a, b);
}

constexpr FunctionSpec kTests[] = {
    {"!=", "a b", test_compare<CompareOp::kNotEqual>},
    {"<", "a b", test_compare<CompareOp::kLess>},
    {"<=", "a b", test_compare<CompareOp::kLessEqual>},
    {"==", "a b", test_compare<CompareOp::kEqual>},
    {">", "a b", test_compare<CompareOp::kGreater>},
    {">=", "a b", test_compare<CompareOp::kGreaterEqual>},
    {"boolean", "value", test_boolean},
    {"callable", "value", test_callable},
    {"defined", "value", test_defined},
    {"divisibleby", "value num", test_divisibleby},
    {"eq", "a b", test_compare<CompareOp::kEqual>},
    {"equalto", "a b", test_compare<CompareOp::kEqual>},
    {"escaped", "value", test_escaped},
    {"even", "value", test_even},
    {"false", "value", test_false},
    {"filter", "value", test_filter},
    {"float", "value", test_float},
    {"ge", "a b", test_compare<CompareOp::kGreaterEqual>},
    {"greaterthan", "a b", test_compare<CompareOp::kGreater>},
    {"gt", "a b", test_compare<CompareOp::kGreater>},
    {"in", "value seq", test_in},
    {"integer", "value", test_integer},
    {"iterable", "value", test_iterable},
    {"le", "a b", test_compare<CompareOp::kLessEqual>},
    {"lessthan", "a b", test_compare<CompareOp::kLess>},
    {"lower", "value", test_lower},
    {"lt", "a b", test_compare<CompareOp::kLess>},
    {"mapping", "value", test_mapping},
    {"ne", "a b", test_compare<CompareOp::kNotEqual>},
    {"none", "value", test_none},
    {"number", "value", test_number},
    {"odd", "value", test_odd},
    {"sameas", "value other", test_sameas},
    {"sequence", "value", test_sequence},
    {"string", "value", test_string},
    {"test", "value", test_test},
    {"true", "value", test_true},
    {"undefined", "value", test_undefined},
    {"upper", "value", test_upper},
};

}  // namespace

std::span<const FunctionSpec> builtin_tests() { return kTests; }

}  // namespace xylem::text::jinja
