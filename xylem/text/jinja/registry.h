// The tables of filters, tests, methods and global functions. Adding one is a function and a line:
//
//   Value filter_shout(Runtime& rt, Args& args) {
//     return rt.string(args.text(0) + std::string(args.integer(1, 1), '!'));
//   }
//   constexpr FunctionSpec kFilters[] = {{"shout", "value times?", filter_shout}, ...};
//
// The parameters are the names of the Python function's: "?" marks an optional one, "*" takes any
// further positional arguments, "**" any further named ones. A filter's and a test's first
// parameter is the value before the bar or the `is`, a method's first is the object.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

class Args;

struct FunctionSpec {
  std::string_view name;
  std::string_view parameters;
  Value (*function)(Runtime&, Args&);
};

// A registered function with its parameters parsed.
class Function {
 public:
  explicit Function(const FunctionSpec& spec);
  std::string_view name() const { return spec_.name; }
  Value call(Runtime& rt, CallArgs args) const;
  // With self as the first argument.
  Value call_with(Runtime& rt, const Value& self, CallArgs args) const;

 private:
  friend class Args;
  size_t parameter_index(std::string_view name) const;  // parameters_.size() when unknown

  FunctionSpec spec_;
  std::vector<std::string_view> parameters_;
  size_t required_ = 0;
  bool takes_rest_ = false;
  bool takes_named_rest_ = false;
};

// The arguments of a call, matched with the parameters. Copies are for generators to keep.
class Args {
 public:
  Args(const Function& function, Runtime& rt, CallArgs call);

  bool given(size_t i) const { return i < given_.size() && given_[i]; }
  // None when not given.
  const Value& operator[](size_t i) const { return values_[i]; }
  const Values& rest() const { return rest_; }
  const std::vector<std::pair<std::string, Value>>& named_rest() const { return named_rest_; }

  // Typed access; the error names the function and the parameter.
  const StringRef& string(size_t i) const;  // requires a str
  std::string_view text(size_t i) const { return string(i)->text; }
  std::string_view text(size_t i, std::string_view fallback) const;
  Int integer(size_t i) const;  // requires an int
  Int integer(size_t i, Int fallback) const { return given(i) ? integer(i) : fallback; }
  // The same, brought into the range by clamping.
  size_t count(size_t i, size_t fallback) const;
  bool truth(size_t i, bool fallback) const;

  [[noreturn]] void fail_type(size_t i, std::string_view expected) const;

 private:
  const Function* function_;
  Values values_;
  std::vector<bool> given_;
  Values rest_;
  std::vector<std::pair<std::string, Value>> named_rest_;
};

class Registry {
 public:
  explicit Registry(std::initializer_list<std::span<const FunctionSpec>> tables);
  // Null when there is none of that name.
  const Function* find(std::string_view name) const;

 private:
  std::unordered_map<std::string_view, Function> functions_;
};

const Registry& filters();
const Registry& tests();
const Registry& globals();
// The methods of a value's type; null for types without any.
const Registry* methods_of(const Value& value);
// Whether the name is a method of the type that would change the object: the sandbox hides it.
bool is_forbidden_method(const Value& value, std::string_view name);

// The tables, one a file.
std::span<const FunctionSpec> text_filters();      // filters_text.cc
std::span<const FunctionSpec> html_filters();      // filters_html.cc
std::span<const FunctionSpec> number_filters();    // filters_number.cc
std::span<const FunctionSpec> sequence_filters();  // filters_sequence.cc
std::span<const FunctionSpec> order_filters();     // filters_order.cc
std::span<const FunctionSpec> select_filters();    // filters_select.cc
std::span<const FunctionSpec> builtin_tests();     // builtin_tests.cc
std::span<const FunctionSpec> global_functions();  // globals.cc
std::span<const FunctionSpec> string_methods();    // methods_string.cc
std::span<const FunctionSpec> string_queries();    // methods_string_queries.cc
std::span<const FunctionSpec> dict_methods();      // methods_other.cc
std::span<const FunctionSpec> sequence_methods();
std::span<const FunctionSpec> list_methods();
std::span<const FunctionSpec> float_methods();
std::span<const FunctionSpec> loop_methods();
std::span<const FunctionSpec> cycler_methods();

}  // namespace xylem::text::jinja
