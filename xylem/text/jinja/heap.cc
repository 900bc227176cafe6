#include "xylem/text/jinja/heap.h"

#include "xylem/base/error.h"
#include "xylem/text/jinja/characters.h"

namespace xylem::text::jinja {

StringData::StringData(std::string bytes, bool is_markup, Heap* owner)
    : text(std::move(bytes)), length(count_code_points(text)), markup(is_markup), heap(owner) {}

StringData::~StringData() {
  if (heap != nullptr) heap->give_back(sizeof(StringData) + text.capacity());
}

StringRef make_literal(std::string text) {
  return std::make_shared<const StringData>(std::move(text), false, nullptr);
}

StringRef Heap::string(std::string text, bool markup) {
  check_text(text.size());
  work_on_bytes(text.size());
  if (text.capacity() > 2 * text.size() + 64) text.shrink_to_fit();
  take(sizeof(StringData) + text.capacity());
  return std::make_shared<const StringData>(std::move(text), markup, this);
}

void Heap::take(size_t bytes) {
  used_ += bytes;
  if (used_ > limits_.memory_bytes) {
    fail(ErrorCode::kResourceExhausted, "the template needs more than {} MiB of memory",
         limits_.memory_bytes >> 20);
  }
}

void Heap::fail_work() const {
  fail(ErrorCode::kResourceExhausted, "the template takes more than {} steps", limits_.work);
}

void Heap::fail_text() const {
  fail(ErrorCode::kResourceExhausted, "the template makes a text of more than {} bytes",
       limits_.output_bytes);
}

}  // namespace xylem::text::jinja
