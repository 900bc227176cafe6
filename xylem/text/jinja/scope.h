// Where names live while a template runs. A macro keeps the scope in which it was defined, so
// scopes belong to the heap; those that nobody kept are used again.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "xylem/text/jinja/runtime.h"

namespace xylem::text::jinja {

// The number of a name within its template.
using Symbol = uint32_t;

class Scope final : public HeapObject {
 public:
  explicit Scope(Scope* parent) : parent_(parent) {}
  Scope* parent() const { return parent_; }
  // Null when neither this scope nor an outer one has the name.
  const Value* find(Symbol symbol) const;
  void set(Runtime& rt, Symbol symbol, Value value);
  // Itself without its variables, or a new scope when a macro keeps this one.
  Scope* renewed(Runtime& rt);

  // Marks this scope and the outer ones as kept by a macro.
  void capture();
  bool captured() const { return captured_; }

 private:
  friend class InnerScope;
  Scope* parent_;
  std::vector<std::pair<Symbol, Value>> variables_;
  bool captured_ = false;
};

// A scope for the time of a block; reset() makes it empty again for a loop's next turn.
class InnerScope {
 public:
  InnerScope(Runtime& rt, Scope& parent);
  ~InnerScope();
  InnerScope(const InnerScope&) = delete;
  InnerScope& operator=(const InnerScope&) = delete;
  Scope& operator*() const { return *scope_; }
  Scope* operator->() const { return scope_; }
  void reset() { scope_ = scope_->renewed(rt_); }

 private:
  Runtime& rt_;
  Scope* scope_;
};

}  // namespace xylem::text::jinja
