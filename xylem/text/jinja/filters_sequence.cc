// Filters on lists and dicts.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/attribute_path.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"
#include "xylem/text/utf8.h"

namespace xylem::text::jinja {
namespace {

Value filter_attr(Runtime& rt, Args& args) {
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
  std::shared_ptr<Iterator> items;
  int depth = 0;
  if (!args[0].is_undefined()) {
    const auto* dict = args[0].as<Dict>();
    if (dict == nullptr) {
      fail(ErrorCode::kInvalidArgument, "items: a {} has no item pairs, expected a mapping",
           type_name(args[0]));
    }
    auto* view = rt.heap().make<DictView>(dict, DictView::Part::kItems);
    items = view->iterate(rt);
    depth = view->depth();
  }
  return rt.heap().make<Generator>(
      depth, [items](Value& item) { return items != nullptr && items->next(item); });
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
  return rt.heap().make<Generator>(iteration_depth(args[0]), [rest, position](Value& item) mutable {
    if (position == rest->size()) return false;
    item = (*rest)[position++];
    return true;
  });
}

// The least size that a part may have.
size_t part_count(const Args& args) {
  const size_t count = args.count(1, 1);
  if (count == 0) fail(ErrorCode::kInvalidArgument, "slice and batch need at least one part");
  return count;
}

Value filter_batch(Runtime& rt, Args& args) {
  const size_t size = part_count(args);
  const Value fill = args[2];
  std::shared_ptr<Iterator> items = iterate(rt, args[0]);
  return rt.heap().make<Generator>(deeper(iteration_depth(args[0])),
                                   [&rt, items, size, fill](Value& batch) {
                                     Values part;
                                     for (Value item; part.size() < size && items->next(item);)
                                       part.push_back(std::move(item));
                                     if (part.empty()) return false;
                                     if (!fill.is_none() && part.size() < size) {
                                       rt.heap().check_text((size - part.size()) * sizeof(Value));
                                       part.resize(size, fill);
                                     }
                                     batch = rt.list(std::move(part));
                                     return true;
                                   });
}

Value filter_slice(Runtime& rt, Args& args) {
  const size_t slices = part_count(args);
  const Value fill = args[2];
  auto items = std::make_shared<Values>(to_values(rt, args[0]));
  size_t number = 0;
  return rt.heap().make<Generator>(deeper(iteration_depth(args[0])),
                                   [&rt, items, slices, fill, number](Value& slice) mutable {
                                     if (number == slices) return false;
                                     const size_t size = items->size() / slices;
                                     const size_t longer = items->size() % slices;
                                     const size_t start = number * size + std::min(number, longer);
                                     const size_t end = start + size + (number < longer ? 1 : 0);
                                     Values part(items->begin() + static_cast<ptrdiff_t>(start),
                                                 items->begin() + static_cast<ptrdiff_t>(end));
                                     if (!fill.is_none() && number >= longer) part.push_back(fill);
                                     slice = rt.list(std::move(part));
                                     ++number;
                                     return true;
                                   });
}

Value filter_sum(Runtime& rt, Args& args) {
  const AttributePath path(rt, args[1]);
  Value total = args.given(2) ? args[2] : Value(0);
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
