// The state of one rendering: its heap, its output, its clock and how deep it is.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xylem/text/jinja/heap.h"
#include "xylem/text/jinja/objects.h"
#include "xylem/text/jinja/value.h"

namespace xylem::text::jinja {

class Scope;

class Runtime {
 public:
  Runtime(const Limits& limits, std::chrono::local_seconds now)
      : heap_(limits), now_(now), main_output_(heap_), output_(&main_output_) {}

  Heap& heap() { return heap_; }
  std::chrono::local_seconds now() const { return now_; }
  TextBuilder& output() { return *output_; }

  Value string(std::string text, bool markup = false) {
    return heap_.string(std::move(text), markup);
  }
  Value string(TextBuilder& text, bool markup = false) { return string(text.take(), markup); }
  Value list(Values items);
  Value tuple(Values items);
  Value dict(std::vector<Dict::Entry> entries);
  Value undefined(std::string message);
  // source_depth is the nesting of what the generator reads (iteration_depth).
  Value generator(int source_depth, Generator::Next next);

  // Scopes that are free to be used again; null when there is none.
  Scope* take_spare_scope();
  void keep_spare_scope(Scope* scope) { spare_scopes_.push_back(scope); }

  // The line of the template that is being rendered, for messages.
  int line = 1;

 private:
  friend class OutputCapture;
  friend class DepthGuard;

  Heap heap_;
  std::chrono::local_seconds now_;
  TextBuilder main_output_;
  TextBuilder* output_;
  int depth_ = 0;
  std::vector<Scope*> spare_scopes_;
};

// Collects the output while it lives.
class OutputCapture {
 public:
  explicit OutputCapture(Runtime& rt) : rt_(rt), text_(rt.heap()), outer_(rt.output_) {
    rt.output_ = &text_;
  }
  ~OutputCapture() { rt_.output_ = outer_; }
  OutputCapture(const OutputCapture&) = delete;
  OutputCapture& operator=(const OutputCapture&) = delete;
  Value take() { return rt_.string(text_); }

 private:
  Runtime& rt_;
  TextBuilder text_;
  TextBuilder* outer_;
};

// Counts nested evaluations; kResourceExhausted when the template recurses too deeply.
class DepthGuard {
 public:
  explicit DepthGuard(Runtime& rt) : rt_(rt) {
    rt.heap_.work();
    if (++rt.depth_ > rt.heap_.limits().depth) fail_depth(rt);
  }
  ~DepthGuard() { --rt_.depth_; }
  DepthGuard(const DepthGuard&) = delete;
  DepthGuard& operator=(const DepthGuard&) = delete;

 private:
  [[noreturn]] static void fail_depth(Runtime& rt);
  Runtime& rt_;
};

}  // namespace xylem::text::jinja
