#include "xylem/text/jinja/registry.h"

#include <algorithm>
#include <array>

#include "xylem/base/error.h"
#include "xylem/text/jinja/operations.h"

namespace xylem::text::jinja {
namespace {

template <size_t kSize>
bool is_one_of(std::string_view name, const std::array<std::string_view, kSize>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Function::Function(const FunctionSpec& spec) : spec_(spec) {
  std::string_view rest = spec.parameters;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    if (word == "*") {
      takes_rest_ = true;
    } else if (word == "**") {
      takes_named_rest_ = true;
    } else if (word.back() == '?') {
      parameters_.push_back(word.substr(0, word.size() - 1));
    } else {
      parameters_.push_back(word);
      required_ = parameters_.size();
    }
  }
}

size_t Function::parameter_index(std::string_view name) const {
  return static_cast<size_t>(std::find(parameters_.begin(), parameters_.end(), name) -
                             parameters_.begin());
}

Value Function::call(Runtime& rt, CallArgs call) const {
  Args args(*this, rt, std::move(call));
  return spec_.function(rt, args);
}

Value Function::call_with(Runtime& rt, const Value& self, CallArgs args) const {
  args.positional.insert(args.positional.begin(), self);
  return call(rt, std::move(args));
}

Args::Args(const Function& function, Runtime& rt, CallArgs call)
    : function_(&function),
      values_(function.parameters_.size()),
      given_(function.parameters_.size(), false) {
  rt.heap().work(1 + call.positional.size() + call.named.size());
  for (size_t i = 0; i < call.positional.size(); ++i) {
    if (i < values_.size()) {
      values_[i] = std::move(call.positional[i]);
      given_[i] = true;
    } else if (function.takes_rest_) {
      rest_.push_back(std::move(call.positional[i]));
    } else {
      fail(ErrorCode::kInvalidArgument, "{} takes at most {} arguments, {} given", function.name(),
           values_.size(), call.positional.size());
    }
  }
  for (auto& [name, value] : call.named) {
    const size_t i = function.parameter_index(name);
    if (i < values_.size() && !given_[i]) {
      values_[i] = std::move(value);
      given_[i] = true;
    } else if (i == values_.size() && function.takes_named_rest_) {
      named_rest_.emplace_back(std::move(name), std::move(value));
    } else {
      fail(ErrorCode::kInvalidArgument, "{} {} '{}'", function.name(),
           i < values_.size() ? "got two values for argument" : "has no argument named", name);
    }
  }
  for (size_t i = 0; i < function.required_; ++i) {
    if (given_[i]) continue;
    fail(ErrorCode::kInvalidArgument, "{} needs the argument '{}'", function.name(),
         function.parameters_[i]);
  }
}

void Args::fail_type(size_t i, std::string_view expected) const {
  if (const auto* undefined = values_[i].as<Undefined>()) undefined->fail_use();
  fail(ErrorCode::kInvalidArgument, "{}: argument '{}' is a {}, expected {}", function_->name(),
       function_->parameters_[i], type_name(values_[i]), expected);
}

const StringRef& Args::string(size_t i) const {
  if (!values_[i].is_string()) fail_type(i, "a str");
  return values_[i].string();
}

std::string_view Args::text(size_t i, std::string_view fallback) const {
  return given(i) ? text(i) : fallback;
}

Int Args::integer(size_t i) const {
  if (!values_[i].is_integral()) fail_type(i, "an int");
  return values_[i].as_int();
}

size_t Args::count(size_t i, size_t fallback) const {
  if (!given(i)) return fallback;
  const Int value = integer(i);
  constexpr Int kMax = INT64_MAX;
  return static_cast<size_t>(std::clamp<Int>(value, 0, kMax));
}

bool Args::truth(size_t i, bool fallback) const { return given(i) ? truthy(values_[i]) : fallback; }

Registry::Registry(std::initializer_list<std::span<const FunctionSpec>> tables) {
  for (const auto& table : tables) {
    for (const FunctionSpec& spec : table) functions_.emplace(spec.name, Function(spec));
  }
}

const Function* Registry::find(std::string_view name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

const Registry& filters() {
  static const Registry registry{text_filters(),     html_filters(),  number_filters(),
                                 sequence_filters(), order_filters(), select_filters()};
  return registry;
}

const Registry& tests() {
  static const Registry registry{builtin_tests()};
  return registry;
}

const Registry& globals() {
  static const Registry registry{global_functions()};
  return registry;
}

const Registry* methods_of(const Value& value) {
  static const Registry of_string{string_methods(), string_queries()};
  static const Registry of_dict{dict_methods()};
  static const Registry of_sequence{sequence_methods()};
  static const Registry of_list{sequence_methods(), list_methods()};
  static const Registry of_float{float_methods()};
  static const Registry of_loop{loop_methods()};
  static const Registry of_cycler{cycler_methods()};
  if (value.is_string()) return &of_string;
  if (value.is_float()) return &of_float;
  if (!value.is_object()) return nullptr;
  switch (value.object()->kind()) {
    case Kind::kDict:
      return &of_dict;
    case Kind::kList:
      return &of_list;
    case Kind::kTuple:
    case Kind::kRange:
      return &of_sequence;
    case Kind::kLoop:
      return &of_loop;
    case Kind::kCycler:
      return &of_cycler;
    default:
      return nullptr;
  }
}

bool is_forbidden_method(const Value& value, std::string_view name) {
  constexpr std::array<std::string_view, 5> kDict = {"clear", "pop", "popitem", "setdefault",
                                                     "update"};
  constexpr std::array<std::string_view, 8> kList = {"append", "clear", "pop",    "reverse",
                                                     "insert", "sort",  "extend", "remove"};
  if (!value.is_object()) return false;
  if (value.object()->kind() == Kind::kDict) return is_one_of(name, kDict);
  if (value.object()->kind() == Kind::kList) return is_one_of(name, kList);
  return false;
}

}  // namespace xylem::text::jinja
