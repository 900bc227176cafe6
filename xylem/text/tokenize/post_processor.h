// Post-processors add special tokens around an encoded text (tokenizer.json's "post_processor").
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "xylem/text/tokenize/part_registry.h"

namespace xylem::text {

// Immutable; safe to share between threads.
class PostProcessor {
 public:
  virtual ~PostProcessor() = default;
  virtual void process(std::vector<int32_t>& ids) const = 0;
};

std::unique_ptr<PostProcessor> make_post_processor(const Json& json, const Where& where);

// prefix, the text, suffix.
std::unique_ptr<PostProcessor> make_template(std::vector<int32_t> prefix,
                                             std::vector<int32_t> suffix);

}  // namespace xylem::text
