// The text of an answer as its tokens come: whole UTF-8 sequences only, and nothing that may yet
// turn out to begin a stop string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "xylem/serve/engine/sampling_params.h"
#include "xylem/text/tokenizer.h"

namespace xylem::engine {

class OutputText {
 public:
  OutputText(const text::Tokenizer& tokenizer, const SamplingParams& params);

  // Adds a token; gives the text that may be shown now. Once stopped(), later tokens add nothing.
  std::string push(int32_t id);
  // The end of the answer: what was held back.
  std::string finish();
  // The stop string that the text ran into.
  const std::optional<std::string>& stopped() const { return stopped_; }

 private:
  std::string take(bool last);

  text::StreamDecoder decoder_;
  std::vector<std::string> stops_;
  bool include_stop_;
  std::string pending_;  // decoded, not shown yet
  std::optional<std::string> stopped_;
};

}  // namespace xylem::engine
