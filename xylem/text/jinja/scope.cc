#include "xylem/text/jinja/scope.h"

namespace xylem::text::jinja {

const Value* Scope::find(Symbol symbol) const {
  for (const Scope* scope = this; scope != nullptr; scope = scope->parent_) {
    for (const auto& [known, value] : scope->variables_) {
      if (known == symbol) return &value;
    }
  }
  return nullptr;
}

void Scope::set(Runtime& rt, Symbol symbol, Value value) {
  for (auto& [known, slot] : variables_) {
    if (known == symbol) {
      slot = std::move(value);
      return;
    }
  }
  rt.heap().take(sizeof(variables_[0]));
  variables_.emplace_back(symbol, std::move(value));
}

void Scope::capture() {
  for (Scope* scope = this; scope != nullptr && !scope->captured_; scope = scope->parent_) {
    scope->captured_ = true;
  }
}

Scope* Scope::renewed(Runtime& rt) {
  if (captured_) return rt.heap().make<Scope>(parent_);
  rt.heap().give_back(variables_.size() * sizeof(variables_[0]));
  variables_.clear();
  return this;
}

InnerScope::InnerScope(Runtime& rt, Scope& parent) : rt_(rt), scope_(rt.take_spare_scope()) {
  if (scope_ == nullptr) scope_ = rt.heap().make<Scope>(&parent);
  scope_->parent_ = &parent;
}

InnerScope::~InnerScope() {
  if (!scope_->captured()) rt_.keep_spare_scope(scope_->renewed(rt_));
}

}  // namespace xylem::text::jinja
