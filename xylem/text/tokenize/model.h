// Models turn words into token ids (tokenizer.json's "model").
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "xylem/text/tokenize/part_registry.h"
#include "xylem/text/tokenize/pre_tokenizer.h"
#include "xylem/text/tokenize/word_cache.h"

namespace xylem::text {

// Working memory of a model; one a thread at a time, always used with the same model.
struct ModelScratch {
  // A token under construction; neighbours are linked so that joining two costs nothing.
  struct Symbol {
    int32_t id;
    int32_t previous;
    int32_t next;
    uint32_t rank;  // of joining with the next symbol
  };
  std::vector<int32_t> ids;
  std::vector<Symbol> symbols;
  std::vector<uint64_t> queue;
  std::vector<int32_t> word_ids;
  WordCache cache;

  // Gives back memory that one huge word took.
  void trim();
};

// The strings of a model's tokens: texts[id]; an empty string for an id that is not used.
using TokenTexts = std::vector<std::string>;

// Immutable after loading; safe to share between threads.
class Model {
 public:
  virtual ~Model() = default;
  // Appends the ids of all words.
  virtual void encode(const PreTokens& words, ModelScratch& scratch,
                      std::vector<int32_t>& ids) const = 0;
  // The id of a token of the model's vocabulary, or -1.
  virtual int32_t token_id(std::string_view token) const = 0;
  virtual const TokenTexts& token_texts() const = 0;

  // Called once at load, when the pre-tokeniser can emit bytes instead of the byte alphabet's
  // characters: answers whether the model can take them, and does from then on.
  virtual bool accept_bytes() { return false; }
};

std::unique_ptr<Model> make_model(const Json& json, const Where& where);

}  // namespace xylem::text
