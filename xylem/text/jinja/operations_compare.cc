// Truth, equality, order, hashing and `in`.
#include <algorithm>
#include <cmath>
#include <functional>

#include "xylem/base/error.h"
#include "xylem/text/jinja/operations.h"

namespace xylem::text::jinja {
namespace {

bool numbers_equal(const Value& a, const Value& b) {
  if (a.is_float() || b.is_float()) return a.as_double() == b.as_double();
  return a.as_int() == b.as_int();
}

bool items_equal(Heap& heap, const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](const Value& x, const Value& y) { return equal(heap, x, y); });
}

bool dicts_equal(Heap& heap, const Dict& a, const Dict& b) {
  if (a.entries().size() != b.entries().size()) return false;
  return std::all_of(a.entries().begin(), a.entries().end(), [&](const Dict::Entry& entry) {
    const Value* other = b.find(heap, entry.first);
    return other != nullptr && equal(heap, entry.second, *other);
  });
}

bool ranges_equal(const Range& a, const Range& b) {
  if (a.size() != b.size()) return false;
  if (a.size() == 0) return true;
  return a.at(0) == b.at(0) && (a.size() == 1 || a.at(1) == b.at(1));
}

bool objects_equal(Heap& heap, const Value& a, const Value& b) {
  if (a.object() == b.object()) return true;
  if (a.object()->kind() != b.object()->kind()) return false;
  switch (a.object()->kind()) {
    case Kind::kUndefined:
      return true;
    case Kind::kList:
      return items_equal(heap, a.as<List>()->items(), b.as<List>()->items());
    case Kind::kTuple:
      return items_equal(heap, a.as<Tuple>()->items(), b.as<Tuple>()->items());
    case Kind::kDict:
      return dicts_equal(heap, *a.as<Dict>(), *b.as<Dict>());
    case Kind::kRange:
      return ranges_equal(*a.as<Range>(), *b.as<Range>());
    default:
      return false;
  }
}

[[noreturn]] void fail_order(const Value& a, const Value& b) {
  for (const Value* value : {&a, &b}) {
    if (const auto* undefined = value->as<Undefined>()) undefined->fail_use();
  }
  fail(ErrorCode::kInvalidArgument, "'<' and '>' are not supported between a {} and a {}",
       type_name(a), type_name(b));
}

bool items_less(Heap& heap, const Values& a, const Values& b) {
  const size_t common = std::min(a.size(), b.size());
  for (size_t i = 0; i < common; ++i) {
    if (!equal(heap, a[i], b[i])) return less(heap, a[i], b[i]);
  }
  return a.size() < b.size();
}

size_t hash_number(const Value& value) {
  const double number = value.as_double();
  if (value.is_float() && !(std::fabs(number) < 0x1p63 && std::trunc(number) == number)) {
    return std::hash<double>()(number);
  }
  const Int whole = value.is_float() ? static_cast<Int>(number) : value.as_int();
  // Integers that a double may equal hash like that double.
  if (whole >= INT64_MIN && whole <= INT64_MAX) {
    return std::hash<int64_t>()(static_cast<int64_t>(whole));
  }
  return std::hash<double>()(static_cast<double>(whole));
}

[[noreturn]] void fail_member(const Value& container, const Value& item) {
  fail(ErrorCode::kInvalidArgument, "'in' is not supported for a {} in a {}", type_name(item),
       type_name(container));
}

}  // namespace

bool truthy(const Value& value) {
  if (value.is_none()) return false;
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int() != 0;
  if (value.is_float()) return value.as_double() != 0;
  if (value.is_string()) return !value.text().empty();
  return value.object()->truthy();
}

bool equal(Heap& heap, const Value& a, const Value& b) {
  heap.work();
  if (a.is_number() && b.is_number()) return numbers_equal(a, b);
  if (a.is_string() && b.is_string()) {
    if (a.text().size() != b.text().size()) return false;
    heap.work_on_bytes(a.text().size());
    return a.text() == b.text();
  }
  if (a.is_object() && b.is_object()) return objects_equal(heap, a, b);
  return a.is_none() && b.is_none();
}

bool less(Heap& heap, const Value& a, const Value& b) {
  heap.work();
  if (a.is_integral() && b.is_integral()) return a.as_int() < b.as_int();
  if (a.is_number() && b.is_number()) return a.as_double() < b.as_double();
  if (a.is_string() && b.is_string()) {
    heap.work_on_bytes(std::min(a.text().size(), b.text().size()));
    return a.text() < b.text();  // the order of UTF-8 bytes is that of code points
  }
  if (const auto* list = a.as<List>(); list != nullptr && b.as<List>() != nullptr) {
    return items_less(heap, list->items(), b.as<List>()->items());
  }
  if (const auto* tuple = a.as<Tuple>(); tuple != nullptr && b.as<Tuple>() != nullptr) {
    return items_less(heap, tuple->items(), b.as<Tuple>()->items());
  }
  fail_order(a, b);
}

size_t hash_value(Heap& heap, const Value& value) {
  heap.work();
  if (value.is_none()) return 0x9e3779b9;
  if (value.is_number()) return hash_number(value);
  if (value.is_string()) return std::hash<std::string_view>()(value.text());
  const auto* view = value.as<DictView>();
  const bool set_like = view != nullptr && view->part() != DictView::Part::kValues;
  if (value.as<List>() != nullptr || value.as<Dict>() != nullptr || set_like) {
    fail(ErrorCode::kInvalidArgument, "a {} cannot be a key of a dict", type_name(value));
  }
  if (const auto* tuple = value.as<Tuple>()) {
    size_t hash = tuple->items().size();
    for (const Value& item : tuple->items()) hash = hash * 1000003 ^ hash_value(heap, item);
    return hash;
  }
  if (value.is_undefined()) return 1;
  if (const auto* range = value.as<Range>()) return range->size();
  return std::hash<const void*>()(value.object());
}

bool contains(Runtime& rt, const Value& container, const Value& item) {
  if (container.is_string()) {
    if (!item.is_string()) fail_member(container, item);
    rt.heap().work_on_bytes(container.text().size());
    return container.text().find(item.text()) != std::string_view::npos;
  }
  if (const auto* dict = container.as<Dict>()) return dict->find(rt.heap(), item) != nullptr;
  if (const auto* view = container.as<DictView>();
      view != nullptr && view->part() == DictView::Part::kKeys) {
    return view->dict().find(rt.heap(), item) != nullptr;
  }
  const auto items = try_iterate(rt, container);
  if (!items) fail_member(container, item);
  for (Value candidate; items->next(candidate);) {
    if (equal(rt.heap(), candidate, item)) return true;
  }
  return false;
}

}  // namespace xylem::text::jinja
