// The splitting rules that GGUF files name in tokenizer.ggml.pre, in the form in which the models'
// own tokenizer.json files write them.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "xylem/text/tokenize/normalizer.h"
#include "xylem/text/tokenize/pre_tokenizer.h"

namespace xylem::text {

struct GgufSplit {
  std::unique_ptr<Normalizer> normalizer;  // may be null
  std::unique_ptr<PreTokenizer> pre_tokenizer;
  // What such files leave unsaid: whether a word that is a token needs no merges, and whether the
  // begin token is added when tokenizer.ggml.add_bos_token is absent.
  bool ignore_merges;
  bool add_bos;
};

// Throws kUnimplemented for a name that is not known; where is for messages.
GgufSplit make_gguf_split(std::string_view name, const std::string& where);

}  // namespace xylem::text
