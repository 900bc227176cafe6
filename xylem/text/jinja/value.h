// The values of a template: Python's None, bool, int, float and str, and objects (objects.h) that
// the rendering's heap owns.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "xylem/text/jinja/heap.h"

namespace xylem::text::jinja {

class Object;
class Runtime;

// Python's int, as far as 128 bits reach; beyond is an error.
using Int = __int128;

class Value {
 public:
  Value() = default;  // None
  template <std::same_as<bool> T>
  Value(T value) : data_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : data_(static_cast<Int>(value)) {}
  Value(Int value) : data_(value) {}
  Value(double value) : data_(value) {}
  Value(StringRef value) : data_(std::move(value)) {}
  Value(Object* object) : data_(object) {}
  Value(const char*) = delete;

  bool is_none() const { return std::holds_alternative<std::monostate>(data_); }
  bool is_bool() const { return std::holds_alternative<bool>(data_); }
  bool is_int() const { return std::holds_alternative<Int>(data_); }
  bool is_float() const { return std::holds_alternative<double>(data_); }
  bool is_string() const { return std::holds_alternative<StringRef>(data_); }
  bool is_object() const { return std::holds_alternative<Object*>(data_); }
  bool is_undefined() const;
  bool is_integral() const { return is_int() || is_bool(); }  // bool is an int in Python
  bool is_number() const { return is_integral() || is_float(); }

  bool as_bool() const { return std::get<bool>(data_); }
  // Requires is_integral().
  Int as_int() const { return is_bool() ? static_cast<Int>(as_bool()) : std::get<Int>(data_); }
  // Requires is_number().
  double as_double() const {
    return is_float() ? std::get<double>(data_) : static_cast<double>(as_int());
  }
  const StringRef& string() const { return std::get<StringRef>(data_); }
  std::string_view text() const { return string()->text; }
  bool is_markup() const { return is_string() && string()->markup; }
  Object* object() const { return std::get<Object*>(data_); }
  // The object when it is of class T, else null.
  template <class T>
  T* as() const;

 private:
  std::variant<std::monostate, bool, Int, double, StringRef, Object*> data_;
};

using Values = std::vector<Value>;

// Yields the items of an iterable, once.
class Iterator {
 public:
  virtual ~Iterator() = default;
  virtual bool next(Value& item) = 0;
};

// The arguments of a call as written.
struct CallArgs {
  Values positional;
  std::vector<std::pair<std::string, Value>> named;
};

// Every class has its own.
enum class Kind {
  kUndefined,
  kList,
  kTuple,
  kDict,
  kDictView,
  kRange,
  kGenerator,
  kNamespace,
  kFunction,
  kMacro,
  kLoop,
  kCycler,
  kJoiner,
};

class Object : public HeapObject {
 public:
  explicit Object(Kind kind, int depth = 0) : kind_(kind), depth_(depth) {}
  Kind kind() const { return kind_; }
  // How deep lists, dicts and iterators are nested here; bounded by kMaxValueDepth.
  int depth() const { return depth_; }

  virtual std::string_view type_name() const = 0;  // as in Python's messages
  virtual bool truthy() const { return true; }
  virtual std::optional<size_t> length(Runtime&) { return std::nullopt; }
  // Null when this cannot be iterated over.
  virtual std::unique_ptr<Iterator> iterate(Runtime&) { return nullptr; }
  // obj[key]; nothing where Python raises TypeError or LookupError.
  virtual std::optional<Value> item(Runtime&, const Value&) { return std::nullopt; }
  // obj.name for plain attributes; methods are in the registry.
  virtual std::optional<Value> attribute(Runtime&, std::string_view) { return std::nullopt; }
  virtual bool callable() const { return false; }
  virtual Value call(Runtime&, CallArgs);
  virtual void repr(Runtime&, TextBuilder& out);

 private:
  Kind kind_;
  int depth_;
};

template <class T>
T* Value::as() const {
  if (!is_object() || object()->kind() != T::kKind) return nullptr;
  return static_cast<T*>(object());
}

inline bool Value::is_undefined() const {
  return is_object() && object()->kind() == Kind::kUndefined;
}

// The depth of a container of these; kResourceExhausted when over the bound.
int container_depth(const Values& items);
int deeper(int depth);

}  // namespace xylem::text::jinja
