// The functions that every template sees: Jinja's and those of transformers.
#include "xylem/text/jinja/globals.h"

#include <array>
#include <ctime>

#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/jinja/strftime.h"

namespace xylem::text::jinja {
namespace {

int64_t range_bound(const Args& args, size_t i) {
  const Int value = args.integer(i);
  if (value < INT64_MIN || value > INT64_MAX) {
    fail(ErrorCode::kInvalidArgument, "a bound of a range does not fit 64 bits");
  }
  return static_cast<int64_t>(value);
}

Value global_range(Runtime& rt, Args& args) {
  int64_t start = 0;
  int64_t stop = range_bound(args, 0);
  if (args.given(1)) {
    start = stop;
    stop = range_bound(args, 1);
  }
  const int64_t step = args.given(2) ? range_bound(args, 2) : 1;
  if (step == 0) fail(ErrorCode::kInvalidArgument, "a range's step must not be zero");
  return rt.heap().make<Range>(start, stop, step);
}

// The entries of dict(mapping, **named), where mapping may be an iterable of pairs.
std::vector<Dict::Entry> dict_entries(Runtime& rt, const Args& args) {
  std::vector<Dict::Entry> entries;
  if (const auto* dict = args[0].as<Dict>()) {
    rt.heap().work(dict->entries().size());
    entries = dict->entries();
  } else if (args.given(0)) {
    for (const Value& pair : to_values(rt, args[0])) {
      Values parts = to_values(rt, pair);
      if (parts.size() != 2) {
        fail(ErrorCode::kInvalidArgument, "an entry of a dict has {} parts, expected 2",
             parts.size());
      }
      entries.emplace_back(std::move(parts[0]), std::move(parts[1]));
    }
  }
  for (const auto& [name, value] : args.named_rest()) entries.emplace_back(rt.string(name), value);
  return entries;
}

Value global_dict(Runtime& rt, Args& args) { return rt.dict(dict_entries(rt, args)); }

Value global_namespace(Runtime& rt, Args& args) {
  Namespace* result = rt.heap().make<Namespace>();
  for (auto& [name, value] : dict_entries(rt, args)) {
    result->set(rt, to_string(rt, name)->text, std::move(value));
  }
  return result;
}

Value global_cycler(Runtime& rt, Args& args) {
  if (args.rest().empty()) fail(ErrorCode::kInvalidArgument, "cycler needs at least one item");
  return rt.heap().make<Cycler>(args.rest());
}

Value global_joiner(Runtime& rt, Args& args) {
  return rt.heap().make<Joiner>(args.given(0) ? args[0] : rt.string(", "));
}

Value global_raise_exception(Runtime& rt, Args& args) {
  throw RaisedByTemplate(to_string(rt, args[0])->text);
}

Value global_strftime_now(Runtime& rt, Args& args) {
  return rt.string(format_time(rt.now(), args.text(0)));
}

constexpr FunctionSpec kGlobals[] = {
    {"cycler", "*", global_cycler},
    {"dict", "entries? **", global_dict},
    {"joiner", "sep?", global_joiner},
    {"namespace", "entries? **", global_namespace},
    {"raise_exception", "message", global_raise_exception},
    {"range", "start stop? step?", global_range},
    {"strftime_now", "format", global_strftime_now},
};

}  // namespace

std::span<const FunctionSpec> global_functions() { return kGlobals; }

}  // namespace xylem::text::jinja
