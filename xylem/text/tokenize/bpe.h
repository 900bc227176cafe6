// Byte-pair encoding: a word's characters (or bytes) are joined pair by pair, lowest rank first and
// leftmost among equals, until no pair of neighbours has a merge (Sennrich et al. 2016).
//
// Short words take a scan over a small array, long ones a queue and a linked list, so that a word
// of n characters costs O(n log n) whatever it holds. Short words are also cached.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "xylem/text/tokenize/merge_table.h"
#include "xylem/text/tokenize/model.h"
#include "xylem/text/tokenize/string_index.h"

namespace xylem::text {

struct BpeOptions {
  std::optional<std::string> unk_token;  // stands for characters that the vocabulary lacks
  bool fuse_unk = false;                 // one unk_token for a run of them
  bool byte_fallback = false;            // their bytes' tokens <0xNN> instead, when all exist
  bool ignore_merges = false;            // a word that is a token needs no merges
};

class Bpe : public Model {
 public:
  // The two halves of merge i; the order is the rank.
  using MergeAt = std::function<std::pair<std::string_view, std::string_view>(size_t i)>;

  // Throws kInvalidArgument for merges of tokens that the vocabulary lacks. where is for messages.
  Bpe(TokenTexts texts, size_t merge_count, const MergeAt& merge_at, BpeOptions options,
      const Where& where);

  void encode(const PreTokens& words, ModelScratch& scratch,
              std::vector<int32_t>& ids) const override;
  int32_t token_id(std::string_view token) const override { return index_.find(token); }
  const TokenTexts& token_texts() const override { return texts_; }
  bool accept_bytes() override;

 private:
  void add_merges(size_t count, const MergeAt& merge_at, const Where& where);
  void find_characters(const Where& where);
  void encode_word(std::string_view word, ModelScratch& scratch, std::vector<int32_t>& ids) const;
  // The ids of the word's characters before any merge, into ids.
  void start_word(std::string_view word, std::vector<int32_t>& ids) const;
  int32_t character_id(std::string_view character) const;  // -1: none
  bool append_fallback(std::string_view character, std::vector<int32_t>& ids) const;
  void merge_short(std::vector<int32_t>& ids) const;
  void merge_long(ModelScratch& scratch, std::vector<int32_t>& ids) const;

  TokenTexts texts_;
  TokenTexts
      words_;  // what each token matches: texts_, or its bytes once accept_bytes() was called
  BpeOptions options_;
  StringIndex index_;
  std::optional<StringIndex> word_index_;  // over words_, in use with bytes and ignore_merges
  MergeTable merges_;
  std::vector<int32_t> merged_;  // by rank: the joined token
  int32_t unk_id_ = -1;
  bool bytes_ = false;
  std::array<int32_t, 256> byte_ids_{};   // of <0xNN>, or of the byte's character; -1: none
  std::array<int32_t, 128> ascii_ids_{};  // of one-character tokens; -1: none
};

std::unique_ptr<Model> make_bpe(const Json& json, const Where& where);

}  // namespace xylem::text
