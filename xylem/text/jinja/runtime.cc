#include "xylem/text/jinja/runtime.h"

#include "xylem/base/error.h"

namespace xylem::text::jinja {

Value Runtime::list(Values items) {
  heap_.work(items.size());
  heap_.take(items.capacity() * sizeof(Value));
  return heap_.make<List>(std::move(items));
}

Value Runtime::tuple(Values items) {
  heap_.work(items.size());
  heap_.take(items.capacity() * sizeof(Value));
  return heap_.make<Tuple>(std::move(items));
}

Value Runtime::dict(std::vector<Dict::Entry> entries) {
  heap_.work(entries.size());
  heap_.take(entries.capacity() * sizeof(Dict::Entry));
  return heap_.make<Dict>(heap_, std::move(entries));
}

Value Runtime::undefined(std::string message) {
  heap_.take(message.capacity());
  return heap_.make<Undefined>(std::move(message));
}

Value Runtime::generator(int source_depth, Generator::Next next) {
  constexpr size_t kClosure = 512;  // about what the largest of them holds
  heap_.take(kClosure);
  return heap_.make<Generator>(source_depth, std::move(next));
}

Scope* Runtime::take_spare_scope() {
  if (spare_scopes_.empty()) return nullptr;
  Scope* scope = spare_scopes_.back();
  spare_scopes_.pop_back();
  return scope;
}

void DepthGuard::fail_depth(Runtime& rt) {
  --rt.depth_;  // the destructor does not run
  fail(ErrorCode::kResourceExhausted, "the template recurses deeper than {} levels",
       rt.heap_.limits().depth);
}

}  // namespace xylem::text::jinja
