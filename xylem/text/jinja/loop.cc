#include "xylem/text/jinja/loop.h"

#include <algorithm>

#include "xylem/base/error.h"
#include "xylem/text/jinja/numbers.h"

namespace xylem::text::jinja {
namespace {

// The items read ahead to learn the length.
class BufferedIterator final : public Iterator {
 public:
  explicit BufferedIterator(Values items) : items_(std::move(items)) {}
  bool next(Value& item) override {
    if (index_ == items_.size()) return false;
    item = items_[index_++];
    return true;
  }

 private:
  Values items_;
  size_t index_ = 0;
};

class LoopIterator final : public Iterator {
 public:
  LoopIterator(Runtime& rt, Loop* loop) : rt_(rt), loop_(loop) {}
  bool next(Value& item) override {
    Value own;
    if (!loop_->advance(own)) return false;
    item = rt_.tuple({own, Value(loop_)});
    return true;
  }

 private:
  Runtime& rt_;
  Loop* loop_;
};

}  // namespace

Loop::Loop(const ForStatement& statement, Scope& scope, const Value& value, bool filtered,
           std::unique_ptr<Iterator> items, int depth0)
    : Object(kKind),
      statement_(statement),
      scope_(scope),
      value_(value),
      filtered_(filtered),
      items_(std::move(items)),
      depth0_(depth0) {}

bool Loop::advance(Value& item) {
  if (!peek()) return false;
  item = *after_;
  after_.reset();
  ++index0_;
  before_ = std::move(current_);
  current_ = item;
  return true;
}

void Loop::finish() {
  items_ = std::make_unique<BufferedIterator>(Values());
  before_.reset();
  current_.reset();
  after_.reset();
}

const std::optional<Value>& Loop::peek() {
  if (after_) return after_;
  Value item;
  if (items_->next(item)) after_ = std::move(item);
  return after_;
}

std::optional<size_t> Loop::length(Runtime& rt) {
  if (length_) return length_;
  if (!filtered_) length_ = jinja::length(rt, value_);
  if (length_) return length_;
  Values rest;
  for (Value item; items_->next(item);) rest.push_back(std::move(item));
  length_ = static_cast<size_t>(index0_ + 1) + rest.size() + (after_ ? 1 : 0);
  rt.heap().take(rest.size() * sizeof(Value));
  items_ = std::make_unique<BufferedIterator>(std::move(rest));
  return length_;
}

std::unique_ptr<Iterator> Loop::iterate(Runtime& rt) {
  return std::make_unique<LoopIterator>(rt, this);
}

Value Loop::cycle(const Values& choices) const {
  if (choices.empty()) fail(ErrorCode::kInvalidArgument, "loop.cycle needs values to choose from");
  return choices[static_cast<size_t>(std::max<Int>(index0_, 0)) % choices.size()];
}

bool Loop::changed(Heap& heap, const Values& values) {
  const bool same =
      last_changed_ &&
      std::equal(values.begin(), values.end(), last_changed_->begin(), last_changed_->end(),
                 [&](const Value& a, const Value& b) { return equal(heap, a, b); });
  if (same) return false;
  last_changed_ = values;
  return true;
}

std::optional<Value> Loop::attribute(Runtime& rt, std::string_view name) {
  const auto size = [&] { return static_cast<Int>(*length(rt)); };
  if (name == "index") return Value(index0_ + 1);
  if (name == "index0") return Value(index0_);
  if (name == "first") return Value(index0_ == 0);
  if (name == "last") return Value(!peek().has_value());
  if (name == "length") return Value(size());
  if (name == "revindex") return Value(size() - index0_);
  if (name == "revindex0") return Value(size() - index0_ - 1);
  if (name == "depth") return Value(depth0_ + 1);
  if (name == "depth0") return Value(depth0_);
  if (name == "previtem") {
    return before_ ? *before_ : rt.undefined("there is no previous item");
  }
  if (name == "nextitem") return peek() ? *after_ : rt.undefined("there is no next item");
  return std::nullopt;
}

Value Loop::call(Runtime& rt, CallArgs args) {
  if (!statement_.recursive) {
    fail(ErrorCode::kInvalidArgument,
         "the loop must have the 'recursive' marker to be called recursively");
  }
  if (args.positional.size() != 1 || !args.named.empty()) {
    fail(ErrorCode::kInvalidArgument, "loop() takes one argument, the items to loop over");
  }
  const int line = rt.line;
  OutputCapture capture(rt);
  statement_.iterate_over(rt, scope_, args.positional[0], depth0_ + 1);
  rt.line = line;
  return capture.take();
}

void Loop::repr(Runtime& rt, TextBuilder& out) {
  out.append(fmt::format("<LoopContext {}/{}>", int_text(index0_ + 1), *length(rt)));
}

}  // namespace xylem::text::jinja
