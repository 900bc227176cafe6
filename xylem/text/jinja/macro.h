// A macro together with the scope in which it was defined.
#pragma once

#include "xylem/text/jinja/ast.h"

namespace xylem::text::jinja {

class Macro final : public Object {
 public:
  static constexpr Kind kKind = Kind::kMacro;
  Macro(const MacroDefinition& definition, Scope& scope)
      : Object(kKind), definition_(definition), scope_(scope) {
    scope.capture();
  }

  std::string_view type_name() const override { return "Macro"; }
  bool callable() const override { return true; }
  Value call(Runtime& rt, CallArgs args) override;
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  void bind(Runtime& rt, Scope& scope, CallArgs args);
  void bind_special(Runtime& rt, Scope& scope, CallArgs& args);

  const MacroDefinition& definition_;
  Scope& scope_;
};

}  // namespace xylem::text::jinja
