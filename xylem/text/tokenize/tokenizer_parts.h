// What a Tokenizer is assembled from, whatever file it came from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "xylem/text/tokenize/added_tokens.h"
#include "xylem/text/tokenize/decoder.h"
#include "xylem/text/tokenize/model.h"
#include "xylem/text/tokenize/normalizer.h"
#include "xylem/text/tokenize/post_processor.h"
#include "xylem/text/tokenize/pre_tokenizer.h"

namespace xylem::text {

struct TokenizerParts {
  std::string name;                             // the file, for messages
  std::unique_ptr<Normalizer> normalizer;       // may be null
  std::unique_ptr<PreTokenizer> pre_tokenizer;  // may be null: a text is one word
  std::unique_ptr<Model> model;
  std::unique_ptr<PostProcessor> post_processor;  // may be null
  std::unique_ptr<Decoder> decoder;
  std::vector<AddedToken> added;  // of equal contents the last counts
  std::optional<int32_t> bos;
  std::vector<int32_t> eos;
};

}  // namespace xylem::text
