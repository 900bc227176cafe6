#include "xylem/text/jinja/objects.h"

#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/numbers.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

constexpr size_t kSmallDict = 12;  // up to here a scan is faster than hashing

// Iterates over anything with positions.
template <class At>
class IndexIterator final : public Iterator {
 public:
  IndexIterator(Heap& heap, size_t size, At at) : heap_(heap), size_(size), at_(std::move(at)) {}
  bool next(Value& item) override {
    heap_.work();
    if (index_ == size_) return false;
    item = at_(index_++);
    return true;
  }

 private:
  Heap& heap_;
  size_t size_;
  At at_;
  size_t index_ = 0;
};

template <class At>
std::unique_ptr<Iterator> iterate_by_index(Runtime& rt, size_t size, At at) {
  return std::make_unique<IndexIterator<At>>(rt.heap(), size, std::move(at));
}

class GeneratorIterator final : public Iterator {
 public:
  GeneratorIterator(Heap& heap, Generator* generator) : heap_(heap), generator_(generator) {}
  bool next(Value& item) override {
    heap_.work();
    return generator_->next(item);
  }

 private:
  Heap& heap_;
  Generator* generator_;
};

int value_depth(const Value& value) { return value.is_object() ? value.object()->depth() : 0; }

int entries_depth(const std::vector<Dict::Entry>& entries) {
  int depth = 0;
  for (const auto& [key, value] : entries) {
    depth = std::max({depth, value_depth(key), value_depth(value)});
  }
  return deeper(depth);
}

}  // namespace

int deeper(int depth) {
  if (depth >= kMaxValueDepth) {
    fail(ErrorCode::kResourceExhausted, "lists and dicts are nested deeper than {} levels",
         kMaxValueDepth);
  }
  return depth + 1;
}

int container_depth(const Values& items) {
  int depth = 0;
  for (const Value& item : items) depth = std::max(depth, value_depth(item));
  return deeper(depth);
}

Value Object::call(Runtime&, CallArgs) {
  fail(ErrorCode::kInvalidArgument, "'{}' object is not callable", type_name());
}

void Object::repr(Runtime&, TextBuilder& out) {
  out.append(fmt::format("<{} object>", type_name()));
}

void Undefined::fail_use() const { fail(ErrorCode::kInvalidArgument, "{}", message_); }

std::unique_ptr<Iterator> Undefined::iterate(Runtime& rt) {
  return iterate_by_index(rt, 0, [](size_t) { return Value(); });
}

void Undefined::repr(Runtime&, TextBuilder& out) { out.append("Undefined"); }

std::unique_ptr<Iterator> Sequence::iterate(Runtime& rt) {
  return iterate_by_index(rt, items_.size(), [this](size_t i) { return items_[i]; });
}

std::optional<Value> Sequence::item(Runtime&, const Value& key) {
  if (!key.is_integral()) return std::nullopt;
  const auto index = resolve_index(key.as_int(), items_.size());
  if (!index) return std::nullopt;
  return items_[*index];
}

void Sequence::repr_items(Runtime& rt, TextBuilder& out) const {
  for (size_t i = 0; i < items_.size(); ++i) {
    if (i > 0) out.append(", ");
    write_repr(rt, items_[i], out);
  }
}

void List::repr(Runtime& rt, TextBuilder& out) {
  out.append("[");
  repr_items(rt, out);
  out.append("]");
}

std::optional<Value> Tuple::attribute(Runtime&, std::string_view name) {
  const auto found = std::find(names_.begin(), names_.end(), name);
  if (found == names_.end()) return std::nullopt;
  return items()[static_cast<size_t>(found - names_.begin())];
}

void Tuple::repr(Runtime& rt, TextBuilder& out) {
  out.append("(");
  repr_items(rt, out);
  out.append(items().size() == 1 ? ",)" : ")");
}

Dict::Dict(Heap& heap, std::vector<Entry> entries) : Object(kKind, entries_depth(entries)) {
  entries_.reserve(entries.size());
  for (Entry& entry : entries) insert(heap, std::move(entry));
}

void Dict::insert(Heap& heap, Entry entry) {
  if (const Value* known = find(heap, entry.first)) {
    *const_cast<Value*>(known) = std::move(entry.second);
    return;
  }
  entries_.push_back(std::move(entry));
  if (entries_.size() == kSmallDict + 1) {
    for (size_t i = 0; i < kSmallDict; ++i) index_.emplace(hash_value(heap, entries_[i].first), i);
  }
  if (entries_.size() > kSmallDict) {
    index_.emplace(hash_value(heap, entries_.back().first), entries_.size() - 1);
  }
}

const Value* Dict::find(Heap& heap, const Value& key) const {
  const size_t hash = hash_value(heap, key);  // fails for keys that cannot be hashed
  if (entries_.size() <= kSmallDict) {
    for (const Entry& entry : entries_) {
      if (equal(heap, entry.first, key)) return &entry.second;
    }
    return nullptr;
  }
  const auto [begin, end] = index_.equal_range(hash);
  for (auto it = begin; it != end; ++it) {
    const Entry& entry = entries_[it->second];
    if (equal(heap, entry.first, key)) return &entry.second;
  }
  return nullptr;
}

const Value* Dict::find(std::string_view key) const {
  const auto matches = [&](const Entry& entry) {
    return entry.first.is_string() && entry.first.text() == key;
  };
  if (entries_.size() <= kSmallDict) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), matches);
    return found == entries_.end() ? nullptr : &found->second;
  }
  const auto [begin, end] = index_.equal_range(std::hash<std::string_view>()(key));
  for (auto it = begin; it != end; ++it) {
    if (matches(entries_[it->second])) return &entries_[it->second].second;
  }
  return nullptr;
}

std::unique_ptr<Iterator> Dict::iterate(Runtime& rt) {
  return iterate_by_index(rt, entries_.size(), [this](size_t i) { return entries_[i].first; });
}

std::optional<Value> Dict::item(Runtime& rt, const Value& key) {
  const bool unhashable = key.as<List>() != nullptr || key.as<Dict>() != nullptr;
  const Value* found = unhashable        ? nullptr
                       : key.is_string() ? find(key.text())
                                         : find(rt.heap(), key);
  if (found == nullptr) return std::nullopt;
  return *found;
}

void Dict::repr(Runtime& rt, TextBuilder& out) {
  out.append("{");
  for (size_t i = 0; i < entries_.size(); ++i) {
    if (i > 0) out.append(", ");
    write_repr(rt, entries_[i].first, out);
    out.append(": ");
    write_repr(rt, entries_[i].second, out);
  }
  out.append("}");
}

std::string_view DictView::type_name() const {
  return part_ == Part::kKeys ? "dict_keys" : part_ == Part::kValues ? "dict_values" : "dict_items";
}

std::unique_ptr<Iterator> DictView::iterate(Runtime& rt) {
  return iterate_by_index(rt, dict_->entries().size(), [this, &rt](size_t i) {
    const Dict::Entry& entry = dict_->entries()[i];
    if (part_ == Part::kKeys) return entry.first;
    if (part_ == Part::kValues) return entry.second;
    return rt.tuple({entry.first, entry.second});
  });
}

void DictView::repr(Runtime& rt, TextBuilder& out) {
  out.append(type_name()).append("(");
  write_repr(rt, rt.list(to_values(rt, Value(this))), out);
  out.append(")");
}

Range::Range(int64_t start, int64_t stop, int64_t step)
    : Object(kKind), start_(start), stop_(stop), step_(step), size_(0) {
  const Int distance = step > 0 ? stop_ - start_ : start_ - stop_;
  const Int stride = step > 0 ? step_ : -step_;
  const Int count = distance > 0 ? (distance - 1) / stride + 1 : 0;
  if (count > kMaxRange) {
    fail(ErrorCode::kInvalidArgument, "a range of {} items is more than the {} allowed", count,
         kMaxRange);
  }
  size_ = static_cast<size_t>(count);
}

std::unique_ptr<Iterator> Range::iterate(Runtime& rt) {
  return iterate_by_index(rt, size_, [this](size_t i) { return Value(at(i)); });
}

std::optional<Value> Range::item(Runtime&, const Value& key) {
  if (!key.is_integral()) return std::nullopt;
  const auto index = resolve_index(key.as_int(), size_);
  if (!index) return std::nullopt;
  return Value(at(*index));
}

void Range::repr(Runtime&, TextBuilder& out) {
  out.append(fmt::format("range({}, {}", start_, stop_));
  out.append(step_ == 1 ? ")" : fmt::format(", {})", step_));
}

std::unique_ptr<Iterator> Generator::iterate(Runtime& rt) {
  return std::make_unique<GeneratorIterator>(rt.heap(), this);
}

void Generator::repr(Runtime&, TextBuilder& out) { out.append("<generator object>"); }

void Namespace::set(Runtime& rt, std::string_view name, Value value) {
  if (name.starts_with("_")) {
    fail(ErrorCode::kInvalidArgument,
         "a namespace cannot store '{}': names must not start with an underscore", name);
  }
  rt.heap().work(1 + attributes_.size() / 8);
  for (auto& [known, slot] : attributes_) {
    if (known == name) {
      slot = std::move(value);
      return;
    }
  }
  rt.heap().take(sizeof(attributes_[0]) + name.size());
  attributes_.emplace_back(name, std::move(value));
}

std::optional<Value> Namespace::attribute(Runtime& rt, std::string_view name) {
  rt.heap().work(1 + attributes_.size() / 8);
  for (const auto& [known, value] : attributes_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

void Namespace::repr(Runtime& rt, TextBuilder& out) {
  if (printing_) {
    out.append("<Namespace {...}>");
    return;
  }
  const DepthGuard guard(rt);
  printing_ = true;
  out.append("<Namespace {");
  bool first = true;
  for (const auto& [name, value] : attributes_) {
    out.append(first ? "'" : ", '").append(name).append("': ");
    write_repr(rt, value, out);
    first = false;
  }
  out.append("}>");
  printing_ = false;
}

FunctionObject::FunctionObject(const Function* function, Value self)
    : Object(kKind, deeper(value_depth(self))), function_(function), self_(std::move(self)) {}

Value FunctionObject::call(Runtime& rt, CallArgs args) {
  if (self_.is_none()) return function_->call(rt, std::move(args));
  return function_->call_with(rt, self_, std::move(args));
}

Value Cycler::next() {
  Value item = items_[position_];
  position_ = (position_ + 1) % items_.size();
  return item;
}

std::optional<Value> Cycler::attribute(Runtime&, std::string_view name) {
  if (name == "current") return items_[position_];
  return std::nullopt;
}

Value Joiner::call(Runtime& rt, CallArgs) {
  if (used_) return separator_;
  used_ = true;
  return rt.string("");
}

}  // namespace xylem::text::jinja
