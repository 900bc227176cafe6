// Filters that compare items.
#include <algorithm>
#include <unordered_map>

#include "xylem/base/error.h"
#include "xylem/text/jinja/attribute_path.h"
#include "xylem/text/jinja/lazy_items.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

struct KeyedItem {
  Value key;
  Value item;
};

std::vector<KeyedItem> with_keys(Runtime& rt, const Value& items, const SortKey& key) {
  std::vector<KeyedItem> keyed;
  const auto iterator = iterate(rt, items);
  for (Value item; iterator->next(item);) {
    Value item_key = key.get(rt, item);
    keyed.push_back({std::move(item_key), std::move(item)});
  }
  return keyed;
}

void sort_by_key(Runtime& rt, std::vector<KeyedItem>& keyed, bool reverse) {
  std::stable_sort(keyed.begin(), keyed.end(), [&](const KeyedItem& a, const KeyedItem& b) {
    return reverse ? less(rt.heap(), b.key, a.key) : less(rt.heap(), a.key, b.key);
  });
}

Value items_of(Runtime& rt, std::vector<KeyedItem> keyed) {
  Values items;
  items.reserve(keyed.size());
  for (KeyedItem& entry : keyed) items.push_back(std::move(entry.item));
  return rt.list(std::move(items));
}

Value filter_sort(Runtime& rt, Args& args) {
  auto keyed = with_keys(rt, args[0], SortKey(rt, args[3], args.truth(2, false), true));
  sort_by_key(rt, keyed, args.truth(1, false));
  return items_of(rt, std::move(keyed));
}

Value filter_dictsort(Runtime& rt, Args& args) {
  const auto* dict = args[0].as<Dict>();
  if (dict == nullptr) args.fail_type(0, "a dict");
  const std::string_view by = args.text(2, "key");
  if (by != "key" && by != "value") {
    fail(ErrorCode::kInvalidArgument, "dictsort: by is '{}', expected \"key\" or \"value\"", by);
  }
  const Value pairs = rt.heap().make<DictView>(dict, DictView::Part::kItems);
  const SortKey key(rt, Value(by == "key" ? 0 : 1), args.truth(1, false), false);
  auto keyed = with_keys(rt, pairs, key);
  sort_by_key(rt, keyed, args.truth(3, false));
  return items_of(rt, std::move(keyed));
}

Value extreme(Runtime& rt, const Args& args, bool want_max) {
  const auto keyed = with_keys(rt, args[0], SortKey(rt, args[2], args.truth(1, false), false));
  if (keyed.empty()) return rt.undefined("No aggregated item, sequence was empty.");
  const KeyedItem* best = &keyed[0];
  for (size_t i = 1; i < keyed.size(); ++i) {
    const Value& key = keyed[i].key;
    const bool better =
        want_max ? less(rt.heap(), best->key, key) : less(rt.heap(), key, best->key);
    if (better) best = &keyed[i];
  }
  return best->item;
}

Value filter_max(Runtime& rt, Args& args) { return extreme(rt, args, true); }
Value filter_min(Runtime& rt, Args& args) { return extreme(rt, args, false); }

// The keys that unique has met.
class KeySet {
 public:
  bool insert(Heap& heap, const Value& key) {
    const size_t hash = hash_value(heap, key);
    const auto [begin, end] = keys_.equal_range(hash);
    for (auto it = begin; it != end; ++it) {
      if (equal(heap, it->second, key)) return false;
    }
    keys_.emplace(hash, key);
    return true;
  }

 private:
  std::unordered_multimap<size_t, Value> keys_;
};

Value filter_unique(Runtime& rt, Args& args) {
  const SortKey key(rt, args[2], args.truth(1, false), false);
  return rt.generator(iteration_depth(args[0]), [&rt, key, items = LazyItems(rt, args[0]),
                                                 seen = KeySet()](Value& item) mutable {
    while (items.next(item)) {
      if (seen.insert(rt.heap(), key.get(rt, item))) return true;
    }
    return false;
  });
}

Value filter_groupby(Runtime& rt, Args& args) {
  const bool case_sensitive = args.truth(3, false);
  auto keyed = with_keys(rt, args[0], SortKey(rt, args[1], case_sensitive, false, args[2]));
  sort_by_key(rt, keyed, false);
  const SortKey shown_key(rt, args[1], true, false, args[2]);
  Values groups;
  for (size_t start = 0; start < keyed.size();) {
    size_t end = start;
    Values members;
    while (end < keyed.size() && equal(rt.heap(), keyed[end].key, keyed[start].key)) {
      members.push_back(keyed[end++].item);
    }
    Value grouper = shown_key.get(rt, members[0]);
    groups.push_back(rt.heap().make<Tuple>(Values{std::move(grouper), rt.list(std::move(members))},
                                           std::vector<std::string>{"grouper", "list"}));
    start = end;
  }
  return rt.list(std::move(groups));
}

constexpr FunctionSpec kFilters[] = {
    {"dictsort", "value case_sensitive? by? reverse?", filter_dictsort},
    {"groupby", "value attribute default? case_sensitive?", filter_groupby},
    {"max", "value case_sensitive? attribute?", filter_max},
    {"min", "value case_sensitive? attribute?", filter_min},
    {"sort", "value reverse? case_sensitive? attribute?", filter_sort},
    {"unique", "value case_sensitive? attribute?", filter_unique},
};

}  // namespace

std::span<const FunctionSpec> order_filters() { return kFilters; }

}  // namespace xylem::text::jinja
