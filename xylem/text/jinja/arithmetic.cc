// + - * / // % ** on numbers, strings, lists and tuples.
#include <cmath>

#include "xylem/base/error.h"
#include "xylem/text/jinja/format.h"
#include "xylem/text/jinja/operations.h"

namespace xylem::text::jinja {
namespace {

constexpr std::string_view kSymbols[] = {"+", "-", "*", "/", "//", "%", "**"};

[[noreturn]] void fail_operands(BinaryOp op, const Value& a, const Value& b) {
  for (const Value* value : {&a, &b}) {
    if (const auto* undefined = value->as<Undefined>()) undefined->fail_use();
  }
  fail(ErrorCode::kInvalidArgument, "unsupported operand types for {}: '{}' and '{}'",
       kSymbols[static_cast<size_t>(op)], type_name(a), type_name(b));
}

[[noreturn]] void fail_overflow() {
  fail(ErrorCode::kInvalidArgument, "an integer became too big for 128 bits");
}

// value is a reference because the overflow check beside it in a call is what fills it.
Int checked(bool overflow, const Int& value) {
  if (overflow) fail_overflow();
  return value;
}

void check_divisor(bool zero) {
  if (zero) fail(ErrorCode::kInvalidArgument, "division by zero");
}

Int int_power(Int base, Int exponent) {
  Int result = 1;
  while (exponent > 0) {
    Int product = 0;
    if ((exponent & 1) != 0) {
      result = checked(__builtin_mul_overflow(result, base, &product), product);
    }
    exponent >>= 1;
    if (exponent > 0) base = checked(__builtin_mul_overflow(base, base, &product), product);
    if (base == 0 || base == 1) return exponent > 0 ? result * base : result;
  }
  return result;
}

// The quotient rounded down, and the remainder with the divisor's sign.
std::pair<Int, Int> floor_divide(Int a, Int b) {
  check_divisor(b == 0);
  if (b == -1) {  // the only quotient that may overflow
    Int negated = 0;
    return {checked(__builtin_sub_overflow(static_cast<Int>(0), a, &negated), negated), 0};
  }
  Int quotient = a / b;
  Int remainder = a % b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) {
    --quotient;
    remainder += b;
  }
  return {quotient, remainder};
}

double float_modulo(double a, double b) {
  check_divisor(b == 0);
  const double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

double float_power(double a, double b) {
  check_divisor(a == 0 && b < 0);
  const double result = std::pow(a, b);
  if (std::isnan(result) && !std::isnan(a) && !std::isnan(b)) {
    fail(ErrorCode::kInvalidArgument, "a negative number has no real power {}", b);
  }
  if (std::isinf(result) && std::isfinite(a) && std::isfinite(b)) {
    fail(ErrorCode::kInvalidArgument, "the power is too large for a float");
  }
  return result;
}

Value int_arithmetic(BinaryOp op, Int a, Int b) {
  Int result = 0;
  switch (op) {
    case BinaryOp::kAdd:
      return checked(__builtin_add_overflow(a, b, &result), result);
    case BinaryOp::kSubtract:
      return checked(__builtin_sub_overflow(a, b, &result), result);
    case BinaryOp::kMultiply:
      return checked(__builtin_mul_overflow(a, b, &result), result);
    case BinaryOp::kDivide:
      check_divisor(b == 0);
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOp::kFloorDivide:
      return floor_divide(a, b).first;
    case BinaryOp::kModulo:
      return floor_divide(a, b).second;
    case BinaryOp::kPower:
      break;
  }
  if (b < 0) return float_power(static_cast<double>(a), static_cast<double>(b));
  return int_power(a, b);
}

Value float_arithmetic(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd:
      return a + b;
    case BinaryOp::kSubtract:
      return a - b;
    case BinaryOp::kMultiply:
      return a * b;
    case BinaryOp::kDivide:
      check_divisor(b == 0);
      return a / b;
    case BinaryOp::kFloorDivide: {
      check_divisor(b == 0);
      const double quotient = std::floor((a - float_modulo(a, b)) / b + 0.5);
      return quotient == 0 ? std::copysign(0.0, a / b) : quotient;
    }
    case BinaryOp::kModulo:
      return float_modulo(a, b);
    case BinaryOp::kPower:
      break;
  }
  return float_power(a, b);
}

Value add_strings(Runtime& rt, const Value& a, const Value& b) {
  const bool markup = a.is_markup() || b.is_markup();
  const StringRef left = markup ? escape_html(rt, a) : a.string();
  const StringRef right = markup ? escape_html(rt, b) : b.string();
  rt.heap().check_text(left->text.size() + right->text.size());
  return rt.string(left->text + right->text, markup);
}

// How often a sequence of so many bytes or items may be repeated.
size_t repetitions(Runtime& rt, Int count, size_t unit) {
  if (count <= 0 || unit == 0) return 0;
  const Int limit = static_cast<Int>(rt.heap().limits().output_bytes);
  if (count > limit / static_cast<Int>(unit)) rt.heap().check_text(SIZE_MAX);
  return static_cast<size_t>(count);
}

Value repeat_string(Runtime& rt, const StringData& data, Int count) {
  const size_t times = repetitions(rt, count, data.text.size());
  std::string out;
  out.reserve(times * data.text.size());
  for (size_t i = 0; i < times; ++i) out += data.text;
  return rt.string(std::move(out), data.markup);
}

Values repeat_items(Runtime& rt, const Values& items, Int count) {
  const size_t times = repetitions(rt, count, items.size() * sizeof(Value));
  Values out;
  out.reserve(times * items.size());
  for (size_t i = 0; i < times; ++i) out.insert(out.end(), items.begin(), items.end());
  return out;
}

Values joined(Runtime& rt, const Values& a, const Values& b) {
  rt.heap().work(a.size() + b.size());
  Values out;
  out.reserve(a.size() + b.size());
  out.insert(out.end(), a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

std::optional<Value> add_sequences(Runtime& rt, const Value& a, const Value& b) {
  if (a.is_string() && b.is_string()) return add_strings(rt, a, b);
  if (a.as<List>() != nullptr && b.as<List>() != nullptr) {
    return rt.list(joined(rt, a.as<List>()->items(), b.as<List>()->items()));
  }
  if (a.as<Tuple>() != nullptr && b.as<Tuple>() != nullptr) {
    return rt.tuple(joined(rt, a.as<Tuple>()->items(), b.as<Tuple>()->items()));
  }
  return std::nullopt;
}

std::optional<Value> repeat(Runtime& rt, const Value& sequence, const Value& count) {
  if (!count.is_integral()) return std::nullopt;
  if (sequence.is_string()) return repeat_string(rt, *sequence.string(), count.as_int());
  if (const auto* list = sequence.as<List>()) {
    return rt.list(repeat_items(rt, list->items(), count.as_int()));
  }
  if (const auto* tuple = sequence.as<Tuple>()) {
    return rt.tuple(repeat_items(rt, tuple->items(), count.as_int()));
  }
  return std::nullopt;
}

Value percent_format(Runtime& rt, const Value& format, const Value& argument) {
  if (argument.as<Tuple>() != nullptr) {
    return format_percent(rt, *format.string(), argument.as<Tuple>()->items(), Value());
  }
  return format_percent(rt, *format.string(), {argument}, argument);
}

}  // namespace

Value arithmetic(Runtime& rt, BinaryOp op, const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) {
    if (a.is_float() || b.is_float()) return float_arithmetic(op, a.as_double(), b.as_double());
    return int_arithmetic(op, a.as_int(), b.as_int());
  }
  if (op == BinaryOp::kAdd) {
    if (auto sum = add_sequences(rt, a, b)) return *sum;
  } else if (op == BinaryOp::kMultiply) {
    if (auto product = repeat(rt, a, b)) return *product;
    if (auto product = repeat(rt, b, a)) return *product;
  } else if (op == BinaryOp::kModulo && a.is_string()) {
    return percent_format(rt, a, b);
  }
  fail_operands(op, a, b);
}

Value negated(Runtime& rt, const Value& value) {
  if (value.is_float()) return -value.as_double();
  return arithmetic(rt, BinaryOp::kSubtract, Value(0), value);
}

Value absolute(Runtime& rt, const Value& value) {
  if (value.is_float()) return std::fabs(value.as_double());
  if (!value.is_integral()) {
    fail(ErrorCode::kInvalidArgument, "a {} has no absolute value", type_name(value));
  }
  return value.as_int() < 0 ? negated(rt, value) : Value(value.as_int());
}

}  // namespace xylem::text::jinja
