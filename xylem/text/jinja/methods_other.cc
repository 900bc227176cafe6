// The methods of dict, list, tuple, float, loop and cycler.
#include <cmath>

#include "xylem/base/error.h"
#include "xylem/text/jinja/loop.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

const Dict& self_dict(const Args& args) { return *args[0].as<Dict>(); }

Value method_get(Runtime& rt, Args& args) {
  const Value* found = self_dict(args).find(rt.heap(), args[1]);
  return found == nullptr ? args[2] : *found;
}

template <DictView::Part kPart>
Value method_view(Runtime& rt, Args& args) {
  return rt.heap().make<DictView>(&self_dict(args), kPart);
}

// Lists and dicts do not change, so a copy is the object itself.
Value method_copy(Runtime&, Args& args) { return args[0]; }

Value method_count(Runtime& rt, Args& args) {
  Int count = 0;
  const auto items = iterate(rt, args[0]);
  for (Value item; items->next(item);) count += equal(rt.heap(), item, args[1]) ? 1 : 0;
  return count;
}

Value method_index(Runtime& rt, Args& args) {
  Int index = 0;
  const auto items = iterate(rt, args[0]);
  for (Value item; items->next(item); ++index) {
    if (equal(rt.heap(), item, args[1])) return index;
  }
  fail(ErrorCode::kInvalidArgument, "{} is not in the {}", repr(rt, args[1]), type_name(args[0]));
}

Value method_is_integer(Runtime&, Args& args) {
  const double value = args[0].as_double();
  return std::isfinite(value) && std::trunc(value) == value;
}

Value method_loop_cycle(Runtime&, Args& args) { return args[0].as<Loop>()->cycle(args.rest()); }

Value method_loop_changed(Runtime& rt, Args& args) {
  return args[0].as<Loop>()->changed(rt.heap(), args.rest());
}

Value method_cycler_next(Runtime&, Args& args) { return args[0].as<Cycler>()->next(); }

Value method_cycler_reset(Runtime&, Args& args) {
  args[0].as<Cycler>()->reset();
  return Value();
}

constexpr FunctionSpec kDictMethods[] = {
    {"copy", "self", method_copy},
    {"get", "self key default?", method_get},
    {"items", "self", method_view<DictView::Part::kItems>},
    {"keys", "self", method_view<DictView::Part::kKeys>},
    {"values", "self", method_view<DictView::Part::kValues>},
};

constexpr FunctionSpec kSequenceMethods[] = {
    {"count", "self value", method_count},
    {"index", "self value", method_index},
};

constexpr FunctionSpec kListMethods[] = {{"copy", "self", method_copy}};

constexpr FunctionSpec kFloatMethods[] = {{"is_integer", "self", method_is_integer}};

constexpr FunctionSpec kLoopMethods[] = {
    {"changed", "self *", method_loop_changed},
    {"cycle", "self *", method_loop_cycle},
};

constexpr FunctionSpec kCyclerMethods[] = {
    {"next", "self", method_cycler_next},
    {"reset", "self", method_cycler_reset},
};

}  // namespace

std::span<const FunctionSpec> dict_methods() { return kDictMethods; }
std::span<const FunctionSpec> sequence_methods() { return kSequenceMethods; }
std::span<const FunctionSpec> list_methods() { return kListMethods; }
std::span<const FunctionSpec> float_methods() { return kFloatMethods; }
std::span<const FunctionSpec> loop_methods() { return kLoopMethods; }
std::span<const FunctionSpec> cycler_methods() { return kCyclerMethods; }

}  // namespace xylem::text::jinja
