// The memory of one rendering. Strings are counted references and go when nobody holds them;
// every other object lives until the heap does, so that cycles (a namespace holding itself, a macro
// in its own scope) cost nothing. Both count against the limits, as does the work done.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xylem/text/jinja/limits.h"

namespace xylem::text::jinja {

class Heap;

// An immutable string of well-formed UTF-8.
struct StringData {
  StringData(std::string bytes, bool is_markup, Heap* owner);
  ~StringData();
  StringData(const StringData&) = delete;
  StringData& operator=(const StringData&) = delete;

  std::string text;
  size_t length;  // in code points
  bool markup;    // Markup of markupsafe: HTML that needs no escaping
  Heap* heap;     // null for the literals of a template, which outlive every rendering
};
using StringRef = std::shared_ptr<const StringData>;

// A string that belongs to no heap.
StringRef make_literal(std::string text);

// The base of everything that a heap owns.
class HeapObject {
 public:
  virtual ~HeapObject() = default;
};

class Heap {
 public:
  explicit Heap(const Limits& limits) : limits_(limits) {}
  ~Heap() = default;
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  StringRef string(std::string text, bool markup = false);

  template <class T, class... Args>
  T* make(Args&&... args) {
    auto object = std::make_unique<T>(std::forward<Args>(args)...);
    T* pointer = object.get();
    take(sizeof(T) + kOverhead);
    objects_.push_back(std::move(object));
    return pointer;
  }

  // Counts memory that an object holds beside its own size; kResourceExhausted over the limit.
  void take(size_t bytes);
  void give_back(size_t bytes) { used_ -= bytes; }
  // Counts work; kResourceExhausted over the limit.
  void work(uint64_t amount = 1) {
    work_ += amount;
    if (work_ > limits_.work) fail_work();
  }
  // The cost of moving or searching so many bytes.
  void work_on_bytes(size_t bytes) { work(1 + bytes / 64); }
  // Throws kResourceExhausted when a string of so many bytes is over the limit.
  void check_text(size_t bytes) const {
    if (bytes > limits_.output_bytes) fail_text();
  }
  const Limits& limits() const { return limits_; }

 private:
  static constexpr size_t kOverhead = 32;  // of the allocator and the list of objects
  [[noreturn]] void fail_work() const;
  [[noreturn]] void fail_text() const;

  Limits limits_;
  size_t used_ = 0;
  uint64_t work_ = 0;
  std::vector<std::unique_ptr<HeapObject>> objects_;
};

// Text under construction, bounded by the heap's limit on strings.
class TextBuilder {
 public:
  explicit TextBuilder(Heap& heap) : heap_(heap) {}

  TextBuilder& append(std::string_view text) {
    heap_.check_text(text_.size() + text.size());
    heap_.work_on_bytes(text.size());
    text_ += text;
    return *this;
  }
  TextBuilder& append(size_t count, char c) {
    heap_.check_text(count);
    heap_.check_text(text_.size() + count);
    heap_.work_on_bytes(count);
    text_.append(count, c);
    return *this;
  }
  std::string_view view() const { return text_; }
  bool empty() const { return text_.empty(); }
  std::string take() { return std::move(text_); }

 private:
  Heap& heap_;
  std::string text_;
};

}  // namespace xylem::text::jinja
