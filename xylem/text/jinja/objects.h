// The object classes of templates. Lists, tuples and dicts never change after they are made: the
// sandbox forbids their mutating methods.
#pragma once

#include <functional>
#include <unordered_map>

#include "xylem/text/jinja/value.h"

namespace xylem::text::jinja {

class Function;  // registry.h

// What a missing name, key or attribute evaluates to: prints as nothing, and most operations on it
// fail with its message.
class Undefined : public Object {
 public:
  static constexpr Kind kKind = Kind::kUndefined;
  explicit Undefined(std::string message) : Object(kKind), message_(std::move(message)) {}
  const std::string& message() const { return message_; }
  [[noreturn]] void fail_use() const;

  std::string_view type_name() const override { return "Undefined"; }
  bool truthy() const override { return false; }
  std::optional<size_t> length(Runtime&) override { return 0; }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  std::optional<Value> item(Runtime&, const Value&) override { fail_use(); }
  bool callable() const override { return true; }
  Value call(Runtime&, CallArgs) override { fail_use(); }
  void repr(Runtime&, TextBuilder& out) override;

 private:
  std::string message_;
};

// A list or a tuple.
class Sequence : public Object {
 public:
  Sequence(Kind kind, Values values)
      : Object(kind, container_depth(values)), items_(std::move(values)) {}
  const Values& items() const { return items_; }

  bool truthy() const override { return !items_.empty(); }
  std::optional<size_t> length(Runtime&) override { return items_.size(); }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  std::optional<Value> item(Runtime&, const Value& key) override;

 protected:
  void repr_items(Runtime& rt, TextBuilder& out) const;

 private:
  Values items_;
};

class List final : public Sequence {
 public:
  static constexpr Kind kKind = Kind::kList;
  explicit List(Values values) : Sequence(kKind, std::move(values)) {}
  std::string_view type_name() const override { return "list"; }
  void repr(Runtime& rt, TextBuilder& out) override;
};

class Tuple final : public Sequence {
 public:
  static constexpr Kind kKind = Kind::kTuple;
  explicit Tuple(Values values, std::vector<std::string> names = {})
      : Sequence(kKind, std::move(values)), names_(std::move(names)) {}
  std::string_view type_name() const override { return "tuple"; }
  // A named tuple's fields.
  std::optional<Value> attribute(Runtime&, std::string_view name) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  std::vector<std::string> names_;
};

// Keeps the order of insertion. A key that comes again keeps its place and takes the new value.
class Dict final : public Object {
 public:
  static constexpr Kind kKind = Kind::kDict;
  using Entry = std::pair<Value, Value>;
  Dict(Heap& heap, std::vector<Entry> entries);
  const std::vector<Entry>& entries() const { return entries_; }
  // Null when absent. kInvalidArgument when the key cannot be hashed.
  const Value* find(Heap& heap, const Value& key) const;
  const Value* find(std::string_view key) const;

  std::string_view type_name() const override { return "dict"; }
  bool truthy() const override { return !entries_.empty(); }
  std::optional<size_t> length(Runtime&) override { return entries_.size(); }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  std::optional<Value> item(Runtime&, const Value& key) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  void insert(Heap& heap, Entry entry);

  std::vector<Entry> entries_;
  std::unordered_multimap<size_t, size_t> index_;  // hash to position, for big dicts only
};

// dict.keys(), values() and items().
class DictView final : public Object {
 public:
  static constexpr Kind kKind = Kind::kDictView;
  enum class Part { kKeys, kValues, kItems };
  DictView(const Dict* dict, Part part)
      : Object(kKind, deeper(dict->depth())), dict_(dict), part_(part) {}
  Part part() const { return part_; }
  const Dict& dict() const { return *dict_; }

  std::string_view type_name() const override;
  bool truthy() const override { return dict_->truthy(); }
  std::optional<size_t> length(Runtime&) override { return dict_->entries().size(); }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  const Dict* dict_;
  Part part_;
};

class Range final : public Object {
 public:
  static constexpr Kind kKind = Kind::kRange;
  // step must not be 0.
  Range(int64_t start, int64_t stop, int64_t step);
  size_t size() const { return size_; }
  Int at(size_t index) const { return start_ + static_cast<Int>(index) * step_; }
  Int step() const { return step_; }

  std::string_view type_name() const override { return "range"; }
  bool truthy() const override { return size_ > 0; }
  std::optional<size_t> length(Runtime&) override { return size_; }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  std::optional<Value> item(Runtime&, const Value& key) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  Int start_;
  Int stop_;
  Int step_;
  size_t size_;
};

// Items made on demand, once: what the filters map, select, batch and the like return.
class Generator final : public Object {
 public:
  static constexpr Kind kKind = Kind::kGenerator;
  using Next = std::function<bool(Value&)>;
  // source_depth is that of the iterable which it reads.
  Generator(int source_depth, Next next)
      : Object(kKind, deeper(source_depth)), next_(std::move(next)) {}
  bool next(Value& item) { return next_(item); }

  std::string_view type_name() const override { return "generator"; }
  std::unique_ptr<Iterator> iterate(Runtime&) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  Next next_;
};

// The only object that templates may change: {% set ns.name = value %}.
class Namespace final : public Object {
 public:
  static constexpr Kind kKind = Kind::kNamespace;
  Namespace() : Object(kKind) {}
  // kInvalidArgument for a name that starts with an underscore, as transformers has it.
  void set(Runtime& rt, std::string_view name, Value value);

  std::string_view type_name() const override { return "jinja2.utils.Namespace"; }
  std::optional<Value> attribute(Runtime&, std::string_view name) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  std::vector<std::pair<std::string, Value>> attributes_;
  bool printing_ = false;  // a namespace may hold itself
};

// A function of the registry, bound to a value when it is a method.
class FunctionObject final : public Object {
 public:
  static constexpr Kind kKind = Kind::kFunction;
  FunctionObject(const Function* function, Value self);

  std::string_view type_name() const override { return "builtin_function_or_method"; }
  bool callable() const override { return true; }
  Value call(Runtime& rt, CallArgs args) override;

 private:
  const Function* function_;
  Value self_;
};

class Cycler final : public Object {
 public:
  static constexpr Kind kKind = Kind::kCycler;
  explicit Cycler(Values items) : Object(kKind, container_depth(items)), items_(std::move(items)) {}
  Value next();
  void reset() { position_ = 0; }

  std::string_view type_name() const override { return "jinja2.utils.Cycler"; }
  std::optional<Value> attribute(Runtime&, std::string_view name) override;

 private:
  Values items_;
  size_t position_ = 0;
};

class Joiner final : public Object {
 public:
  static constexpr Kind kKind = Kind::kJoiner;
  explicit Joiner(Value separator) : Object(kKind), separator_(std::move(separator)) {}

  std::string_view type_name() const override { return "jinja2.utils.Joiner"; }
  bool callable() const override { return true; }
  Value call(Runtime& rt, CallArgs args) override;

 private:
  Value separator_;
  bool used_ = false;
};

}  // namespace xylem::text::jinja
