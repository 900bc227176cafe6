#include "xylem/serve/engine/output_text.h"

#include <algorithm>

namespace xylem::engine {
namespace {

// Bytes at the end of text that are a proper prefix of a stop string.
size_t held_back(const std::string& text, const std::vector<std::string>& stops) {
  size_t held = 0;
  for (const std::string& stop : stops) {
    for (size_t n = std::min(text.size(), stop.size() - 1); n > held; --n) {
      if (text.compare(text.size() - n, n, stop, 0, n) == 0) {
        held = n;
        break;
      }
    }
  }
  return held;
}

}  // namespace

OutputText::OutputText(const text::Tokenizer& tokenizer, const SamplingParams& params)
    : decoder_(tokenizer, params.skip_special_tokens),
      stops_(params.stop),
      include_stop_(params.include_stop_str_in_output) {}

std::string OutputText::push(int32_t id) {
  if (stopped_) return "";
  pending_ += decoder_.push(id);
  return take(false);
}

std::string OutputText::finish() {
  if (stopped_) return "";
  pending_ += decoder_.finish();
  return take(true);
}

std::string OutputText::take(bool last) {
  size_t first = std::string::npos;
  for (const std::string& stop : stops_) {
    size_t at = pending_.find(stop);
    if (at < first) {
      first = at;
      stopped_ = stop;
    }
  }
  size_t shown = pending_.size();
  if (stopped_) {
    shown = first + (include_stop_ ? stopped_->size() : 0);
  } else if (!last) {
    shown -= held_back(pending_, stops_);
  }
  std::string text = pending_.substr(0, shown);
  pending_.erase(0, shown);
  return text;
}

}  // namespace xylem::engine
