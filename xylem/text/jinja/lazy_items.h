// The source of a generator, looked at only when the first item is asked for: Python's generators
// raise their errors then, and a template may never ask.
#pragma once

#include <memory>
#include <utility>

#include "xylem/text/jinja/operations.h"

namespace xylem::text::jinja {

class LazyItems {
 public:
  LazyItems(Runtime& rt, Value source) : rt_(&rt), source_(std::move(source)) {}
  bool next(Value& item) {
    if (items_ == nullptr) items_ = iterate(*rt_, source_);
    return items_->next(item);
  }

 private:
  Runtime* rt_;
  Value source_;
  std::shared_ptr<Iterator> items_;  // shared, so that closures that hold it can be copied
};

}  // namespace xylem::text::jinja
