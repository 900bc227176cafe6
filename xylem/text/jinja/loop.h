// The `loop` variable of a for statement.
#pragma once

#include "xylem/text/jinja/ast.h"

namespace xylem::text::jinja {

class Loop final : public Object {
 public:
  static constexpr Kind kKind = Kind::kLoop;
  // value is what items iterates over; filtered says that only some of its items come.
  Loop(const ForStatement& statement, Scope& scope, const Value& value, bool filtered,
       std::unique_ptr<Iterator> items, int depth0);

  // Moves to the next item; false at the end.
  bool advance(Value& item);
  // Lets go of the items once the loop has ended.
  void finish();
  Value cycle(const Values& choices) const;
  // Whether the values differ from those of the last call.
  bool changed(Heap& heap, const Values& values);

  std::string_view type_name() const override { return "jinja2.runtime.LoopContext"; }
  std::optional<size_t> length(Runtime& rt) override;
  std::unique_ptr<Iterator> iterate(Runtime& rt) override;
  std::optional<Value> attribute(Runtime& rt, std::string_view name) override;
  bool callable() const override { return true; }
  // The body over other items, for a recursive loop.
  Value call(Runtime& rt, CallArgs args) override;
  void repr(Runtime& rt, TextBuilder& out) override;

 private:
  const std::optional<Value>& peek();

  const ForStatement& statement_;
  Scope& scope_;
  Value value_;
  bool filtered_;
  std::unique_ptr<Iterator> items_;
  int depth0_;
  Int index0_ = -1;
  std::optional<size_t> length_;
  std::optional<Value> before_;
  std::optional<Value> current_;
  std::optional<Value> after_;
  std::optional<Values> last_changed_;
};

}  // namespace xylem::text::jinja
