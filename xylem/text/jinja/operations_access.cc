// Iteration, attributes, subscripts, slices and calls.
#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"
#include "xylem/text/jinja/operations.h"
#include "xylem/text/jinja/registry.h"

namespace xylem::text::jinja {
namespace {

class CharacterIterator final : public Iterator {
 public:
  CharacterIterator(Runtime& rt, StringRef text) : rt_(rt), text_(std::move(text)) {}
  bool next(Value& item) override {
    if (position_ == text_->text.size()) return false;
    const size_t size = character_size(text_->text, position_);
    item = rt_.string(text_->text.substr(position_, size));
    position_ += size;
    return true;
  }

 private:
  Runtime& rt_;
  StringRef text_;
  size_t position_ = 0;
};

// The position bounds of a slice over `size` items, as Python's slice.indices computes them.
struct SliceBounds {
  Int start;
  Int stop;
  Int step;
};

std::optional<Int> slice_part(const Value& value) {
  if (value.is_none()) return std::nullopt;
  if (const auto* undefined = value.as<Undefined>()) undefined->fail_use();
  if (!value.is_integral()) {
    fail(ErrorCode::kInvalidArgument, "a slice bound is a {}, expected an int or none",
         type_name(value));
  }
  // Beyond this no bound makes a difference, and sums stay in range.
  constexpr Int kFar = static_cast<Int>(1) << 100;
  return std::clamp(value.as_int(), -kFar, kFar);
}

SliceBounds slice_bounds(const Value& start, const Value& stop, const Value& step, size_t size) {
  const Int count = static_cast<Int>(size);
  const Int stride = slice_part(step).value_or(1);
  if (stride == 0) fail(ErrorCode::kInvalidArgument, "a slice's step cannot be zero");
  const Int low = stride > 0 ? 0 : -1;
  const Int high = stride > 0 ? count : count - 1;
  const auto resolve = [&](const Value& value, Int fallback) {
    const auto bound = slice_part(value);
    if (!bound) return fallback;
    return std::clamp(*bound < 0 ? *bound + count : *bound, low, high);
  };
  return {resolve(start, stride > 0 ? low : high), resolve(stop, stride > 0 ? high : low), stride};
}

template <class Visit>
void for_each_in_slice(const SliceBounds& bounds, Visit visit) {
  for (Int i = bounds.start; bounds.step > 0 ? i < bounds.stop : i > bounds.stop;
       i += bounds.step) {
    visit(static_cast<size_t>(i));
  }
}

Value slice_string(Runtime& rt, const StringData& data, const SliceBounds& bounds) {
  const std::string_view text = data.text;
  rt.heap().work_on_bytes(text.size());
  if (bounds.step == 1) {
    if (bounds.start >= bounds.stop) return rt.string("", data.markup);
    const size_t begin = byte_offset(text, static_cast<size_t>(bounds.start));
    const size_t length =
        byte_offset(text.substr(begin), static_cast<size_t>(bounds.stop - bounds.start));
    return rt.string(std::string(text.substr(begin, length)), data.markup);
  }
  std::vector<size_t> offsets;
  for (size_t i = 0; i < text.size(); i += character_size(text, i)) offsets.push_back(i);
  rt.heap().work(offsets.size());
  std::string out;
  for_each_in_slice(
      bounds, [&](size_t i) { out += text.substr(offsets[i], character_size(text, offsets[i])); });
  return rt.string(std::move(out), data.markup);
}

Value slice_range(Runtime& rt, const Range& range, const SliceBounds& bounds) {
  const auto value_at = [&](Int position) {
    return static_cast<int64_t>(range.at(0) + position * range.step());
  };
  constexpr Int kFar = INT64_MAX / 4;
  const Int step = std::clamp(range.step() * bounds.step, -kFar, kFar);
  return rt.heap().make<Range>(value_at(bounds.start), value_at(bounds.stop),
                               static_cast<int64_t>(step));
}

Value character_at(Runtime& rt, const StringData& data, size_t index) {
  const bool ascii = data.length == data.text.size();
  if (!ascii) rt.heap().work_on_bytes(8 * index);
  const size_t offset = ascii ? index : byte_offset(data.text, index);
  return rt.string(data.text.substr(offset, character_size(data.text, offset)), data.markup);
}

std::optional<Value> subscript(Runtime& rt, const Value& value, const Value& key) {
  if (value.is_object()) return value.object()->item(rt, key);
  if (!value.is_string() || !key.is_integral()) return std::nullopt;
  const auto index = resolve_index(key.as_int(), value.string()->length);
  if (!index) return std::nullopt;
  return character_at(rt, *value.string(), *index);
}

// What Jinja calls an object in its messages.
std::string owner_name(const Value& value) {
  if (value.is_none()) return "None";
  return std::string(type_name(value)) + " object";
}

Value undefined_attribute(Runtime& rt, const Value& value, std::string_view name) {
  return rt.undefined(fmt::format("'{}' has no attribute '{}'", owner_name(value), name));
}

Value forbidden_attribute(Runtime& rt, const Value& value, std::string_view name) {
  return rt.undefined(
      fmt::format("access to attribute '{}' of '{}' object is unsafe.", name, type_name(value)));
}

}  // namespace

std::string_view type_name(const Value& value) {
  if (value.is_none()) return "NoneType";
  if (value.is_bool()) return "bool";
  if (value.is_int()) return "int";
  if (value.is_float()) return "float";
  if (value.is_string()) return "str";
  return value.object()->type_name();
}

std::unique_ptr<Iterator> try_iterate(Runtime& rt, const Value& value) {
  if (value.is_string()) return std::make_unique<CharacterIterator>(rt, value.string());
  if (value.is_object()) return value.object()->iterate(rt);
  return nullptr;
}

std::unique_ptr<Iterator> iterate(Runtime& rt, const Value& value) {
  auto items = try_iterate(rt, value);
  if (!items) fail(ErrorCode::kInvalidArgument, "'{}' object is not iterable", type_name(value));
  return items;
}

Values to_values(Runtime& rt, const Value& value) {
  const auto items = iterate(rt, value);
  Values values;
  for (Value item; items->next(item);) values.push_back(std::move(item));
  return values;
}

std::optional<size_t> length(Runtime& rt, const Value& value) {
  if (value.is_string()) return value.string()->length;
  if (value.is_object()) return value.object()->length(rt);
  return std::nullopt;
}

int iteration_depth(const Value& value) { return value.is_object() ? value.object()->depth() : 0; }

std::optional<size_t> resolve_index(Int index, size_t size) {
  const Int count = static_cast<Int>(size);
  if (index >= count || index < -count) return std::nullopt;
  return static_cast<size_t>(index < 0 ? index + count : index);
}

std::optional<Value> find_attribute(Runtime& rt, const Value& value, std::string_view name) {
  if (value.is_object()) {
    if (auto found = value.object()->attribute(rt, name)) return found;
  }
  if (is_forbidden_method(value, name)) return forbidden_attribute(rt, value, name);
  const Registry* methods = methods_of(value);
  const Function* method = methods == nullptr ? nullptr : methods->find(name);
  if (method == nullptr) return std::nullopt;
  return Value(rt.heap().make<FunctionObject>(method, value));
}

Value get_attribute(Runtime& rt, const Value& value, std::string_view name) {
  if (const auto* undefined = value.as<Undefined>()) undefined->fail_use();
  if (auto found = find_attribute(rt, value, name)) return *found;
  if (const auto* dict = value.as<Dict>()) {
    if (const Value* found = dict->find(name)) return *found;
  }
  return undefined_attribute(rt, value, name);
}

Value get_item(Runtime& rt, const Value& value, const Value& key) {
  if (auto found = subscript(rt, value, key)) return *found;
  if (!key.is_string()) {
    return rt.undefined(fmt::format("{} has no element {}", owner_name(value), repr(rt, key)));
  }
  if (auto found = find_attribute(rt, value, key.text())) return *found;
  return undefined_attribute(rt, value, key.text());
}

Value get_slice(Runtime& rt, const Value& value, const Value& start, const Value& stop,
                const Value& step) {
  if (const auto* undefined = value.as<Undefined>()) undefined->fail_use();
  const auto size = length(rt, value);
  const bool sliceable = value.is_string() || value.as<List>() != nullptr ||
                         value.as<Tuple>() != nullptr || value.as<Range>() != nullptr;
  if (!sliceable || !size) {
    fail(ErrorCode::kInvalidArgument, "'{}' object cannot be sliced", type_name(value));
  }
  const SliceBounds bounds = slice_bounds(start, stop, step, *size);
  if (value.is_string()) return slice_string(rt, *value.string(), bounds);
  if (const auto* range = value.as<Range>()) return slice_range(rt, *range, bounds);
  Values items;
  const bool is_list = value.as<List>() != nullptr;
  const Values& all = is_list ? value.as<List>()->items() : value.as<Tuple>()->items();
  for_each_in_slice(bounds, [&](size_t i) { items.push_back(all[i]); });
  return is_list ? rt.list(std::move(items)) : rt.tuple(std::move(items));
}

Value call_value(Runtime& rt, const Value& callee, CallArgs args) {
  if (!callee.is_object()) {
    fail(ErrorCode::kInvalidArgument, "'{}' object is not callable", type_name(callee));
  }
  const DepthGuard guard(rt);
  return callee.object()->call(rt, std::move(args));
}

}  // namespace xylem::text::jinja
