// Filters that apply another filter or a test to every item.
#include <functional>

#include "xylem/base/error.h"
#include "xylem/text/jinja/attribute_path.h"
#include "xylem/text/jinja/lazy_items.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

const Function& find_by_name(const Registry& registry, std::string_view kind, const Value& name) {
  const Function* found = name.is_string() ? registry.find(name.text()) : nullptr;
  if (found == nullptr) {
    fail(ErrorCode::kInvalidArgument, "No {} named {}.", kind,
         name.is_string() ? fmt::format("'{}'", name.text()) : std::string(type_name(name)));
  }
  return *found;
}

CallArgs further_args(const Args& args, size_t first) {
  CallArgs call;
  call.positional.assign(args.rest().begin() + static_cast<ptrdiff_t>(first), args.rest().end());
  call.named = args.named_rest();
  return call;
}

using Transform = std::function<Value(const Value&)>;

Transform attribute_transform(Runtime& rt, const Args& args) {
  Value attribute;
  Value fallback;
  for (const auto& [name, value] : args.named_rest()) {
    if (name == "attribute") {
      attribute = value;
    } else if (name == "default") {
      fallback = value;
    } else {
      fail(ErrorCode::kInvalidArgument, "map: unexpected keyword argument '{}'", name);
    }
  }
  return [&rt, path = AttributePath(rt, attribute), fallback](const Value& item) {
    return path.get(rt, item, fallback);
  };
}

Transform map_transform(Runtime& rt, const Args& args) {
  if (args.rest().empty() && !args.named_rest().empty()) return attribute_transform(rt, args);
  if (args.rest().empty()) {
    fail(ErrorCode::kInvalidArgument, "map needs the name of a filter, or attribute=");
  }
  const Function& filter = find_by_name(filters(), "filter", args.rest()[0]);
  return [&rt, &filter, call = further_args(args, 1)](const Value& item) {
    return filter.call_with(rt, item, call);
  };
}

// What a test, or without one the truth, says of an item or of its attribute.
Transform choice_transform(Runtime& rt, const Args& args, bool by_attribute) {
  const size_t first = by_attribute ? 1 : 0;
  if (args.rest().size() < first) {
    fail(ErrorCode::kInvalidArgument, "selectattr and rejectattr need the name of an attribute");
  }
  const AttributePath path(rt, by_attribute ? args.rest()[0] : Value());
  if (args.rest().size() == first) {
    return [&rt, path](const Value& item) { return path.get(rt, item); };
  }
  const Function& test = find_by_name(tests(), "test", args.rest()[first]);
  return [&rt, path, &test, call = further_args(args, first + 1)](const Value& item) {
    return test.call_with(rt, path.get(rt, item), call);
  };
}

Value filter_map(Runtime& rt, Args& args) {
  Transform transform;
  return rt.generator(iteration_depth(args[0]),
                      [&rt, args, transform, items = LazyItems(rt, args[0])](Value& item) mutable {
                        if (!truthy(args[0])) return false;
                        if (transform == nullptr) transform = map_transform(rt, args);
                        Value source;
                        if (!items.next(source)) return false;
                        item = transform(source);
                        return true;
                      });
}

Value choose(Runtime& rt, const Args& args, bool wanted, bool by_attribute) {
  Transform transform;
  return rt.generator(iteration_depth(args[0]),
                      [&rt, args, wanted, by_attribute, transform,
                       items = LazyItems(rt, args[0])](Value& item) mutable {
                        if (!truthy(args[0])) return false;
                        if (transform == nullptr)
                          transform = choice_transform(rt, args, by_attribute);
                        while (items.next(item)) {
                          if (truthy(transform(item)) == wanted) return true;
                        }
                        return false;
                      });
}

Value filter_select(Runtime& rt, Args& args) { return choose(rt, args, true, false); }
Value filter_reject(Runtime& rt, Args& args) { return choose(rt, args, false, false); }
Value filter_selectattr(Runtime& rt, Args& args) { return choose(rt, args, true, true); }
Value filter_rejectattr(Runtime& rt, Args& args) { return choose(rt, args, false, true); }

constexpr FunctionSpec kFilters[] = {
    {"map", "value * **", filter_map},
    {"reject", "value * **", filter_reject},
    {"rejectattr", "value * **", filter_rejectattr},
    {"select", "value * **", filter_select},
    {"selectattr", "value * **", filter_selectattr},
};

}  // namespace

std::span<const FunctionSpec> select_filters() { return kFilters; }

}  // namespace xylem::text::jinja
