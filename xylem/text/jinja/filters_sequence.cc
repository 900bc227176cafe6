// Filters on lists and dicts.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/attribute_path.h"
#include "xylem/text/jinja/lazy_items.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

Value filter_attr(Runtime& rt, Args& args) {
  if (const auto* undefined = args[0].as<Undefined>()) undefined->fail_use();
  const std::string_view name = args.text(1);
  if (auto found = find_attribute(rt, args[0], name)) return *found;
  return rt.undefined(fmt::format("'{} object' has no attribute '{}'", type_name(args[0]), name));
}

Value filter_default(Runtime& rt, Args& args) {
  const bool missing = args[0].is_undefined() || (args.truth(2, false) && !truthy(args[0]));
  if (!missing) return args[0];
  return args.given(1) ? args[1] : rt.string("");
}

Value filter_first(Runtime& rt, Args& args) {
  Value item;
  if (iterate(rt, args[0])->next(item)) return item;
  return rt.undefined("No first item, sequence was empty.");
}

Value filter_last(Runtime& rt, Args& args) {
  const auto size = length(rt, args[0]);
  if (!size) {
    fail(ErrorCode::kInvalidArgument, "last: '{}' object is not reversible, expected a sequence",
         type_name(args[0]));
  }
  if (*size == 0) return rt.undefined("No last item, sequence was empty.");
  if (args[0].is_string()) {
    const std::string_view text = args[0].text();
    return rt.string(std::string(text.substr(text.size() - last_code_point(text).size)));
  }
  return to_values(rt, args[0]).back();
}

Value filter_list(Runtime& rt, Args& args) { return rt.list(to_values(rt, args[0])); }

Value filter_items(Runtime& rt, Args& args) {
  const auto* dict = args[0].as<Dict>();
  Value pairs = args[0];
  if (dict != nullptr) pairs = rt.heap().make<DictView>(dict, DictView::Part::kItems);
  const bool has_items = dict != nullptr || pairs.is_undefined();
  return rt.generator(iteration_depth(pairs), [has_items,
                                               items = LazyItems(rt, pairs)](Value& item) mutable {
    if (!has_items) {
      fail(ErrorCode::kInvalidArgument, "items: the value has no item pairs, expected a mapping");
    }
    return items.next(item);
  });
}

Value filter_join(Runtime& rt, Args& args) {
  const AttributePath path(rt, args[2]);
  const StringRef separator = args.given(1) ? to_string(rt, args[1]) : rt.heap().string("");
  const auto items = iterate(rt, args[0]);
  TextBuilder out(rt.heap());
  bool first = true;
  for (Value item; items->next(item); first = false) {
    if (!first) out.append(separator->text);
    write_string(rt, path.get(rt, item), out);
  }
  return rt.string(out);
}

Value filter_reverse(Runtime& rt, Args& args) {
  if (args[0].is_string()) {
    const std::string_view text = args[0].text();
    std::string out;
    out.reserve(text.size());
    for (size_t end = text.size(); end > 0;) {
      const size_t size = last_code_point(text.substr(0, end)).size;
      end -= size;
      out += text.substr(end, size);
    }
    return rt.string(std::move(out), args[0].is_markup());
  }
  Values items = to_values(rt, args[0]);
  std::reverse(items.begin(), items.end());
  if (!length(rt, args[0])) return rt.list(std::move(items));
  auto rest = std::make_shared<Values>(std::move(items));
  size_t position = 0;
  return rt.generator(iteration_depth(args[0]), [rest, position](Value& item) mutable {
    if (position == rest->size()) return false;
    item = (*rest)[position++];
    return true;
  });
}

// The size of a batch that is filled up, checked to be within the bounds.
size_t filled_size(Runtime& rt, Int size) {
  const Int limit = static_cast<Int>(rt.heap().limits().output_bytes / sizeof(Value));
  if (size > limit) rt.heap().check_text(SIZE_MAX);
  return static_cast<size_t>(size);
}

Value filter_batch(Runtime& rt, Args& args) {
  const Int size = args.integer(1);
  return rt.generator(deeper(iteration_depth(args[0])), [&rt, items = LazyItems(rt, args[0]), size,
                                                         fill = args[2]](Value& batch) mutable {
    Values part;
    // As in Jinja, the first item of a batch comes whatever the size.
    for (Value item; (part.empty() || static_cast<Int>(part.size()) != size) && items.next(item);) {
      part.push_back(std::move(item));
    }
    if (part.empty()) return false;
    if (!fill.is_none() && static_cast<Int>(part.size()) < size) {
      const size_t whole = filled_size(rt, size);
      part.resize(whole, fill);
    }
    batch = rt.list(std::move(part));
    return true;
  });
}

// Part `number` of `count` of the items, the first ones being one longer where it does not go up.
Values slice_part(const Values& items, size_t number, size_t count) {
  const size_t size = items.size() / count;
  const size_t longer = items.size() % count;
  const size_t start = number * size + std::min(number, longer);
  const size_t end = start + size + (number < longer ? 1 : 0);
  return {items.begin() + static_cast<ptrdiff_t>(start),
          items.begin() + static_cast<ptrdiff_t>(end)};
}

Value filter_slice(Runtime& rt, Args& args) {
  const Int count = args.integer(1);
  std::shared_ptr<Values> items;
  return rt.generator(deeper(iteration_depth(args[0])),
                      [&rt, source = args[0], items, count, fill = args[2],
                       number = size_t{0}](Value& slice) mutable {
                        if (items == nullptr)
                          items = std::make_shared<Values>(to_values(rt, source));
                        if (count == 0)
                          fail(ErrorCode::kInvalidArgument, "slice: expected at least one slice");
                        if (static_cast<Int>(number) >= count) return false;
                        const auto slices = static_cast<size_t>(count);
                        Values part = slice_part(*items, number, slices);
                        if (!fill.is_none() && number >= items->size() % slices)
                          part.push_back(fill);
                        slice = rt.list(std::move(part));
                        ++number;
                        return true;
                      });
}

Value filter_sum(Runtime& rt, Args& args) {
  const AttributePath path(rt, args[1]);
  Value total = args.given(2) ? args[2] : Value(0);
  if (total.is_string()) args.fail_type(2, "a number or a list");
  const auto items = iterate(rt, args[0]);
  for (Value item; items->next(item);) {
    total = arithmetic(rt, BinaryOp::kAdd, total, path.get(rt, item));
  }
  return total;
}

constexpr FunctionSpec kFilters[] = {
    {"attr", "obj name", filter_attr},
    {"batch", "value linecount fill_with?", filter_batch},
    {"d", "value default_value? boolean?", filter_default},
    {"default", "value default_value? boolean?", filter_default},
    {"first", "seq", filter_first},
    {"items", "value", filter_items},
    {"join", "value d? attribute?", filter_join},
    {"last", "seq", filter_last},
    {"list", "value", filter_list},
    {"reverse", "value", filter_reverse},
    {"slice", "value slices fill_with?", filter_slice},
    {"sum", "iterable attribute? start?", filter_sum},
};

}  // namespace

std::span<const FunctionSpec> sequence_filters() { return kFilters; }

}  // namespace xylem::text::jinja
