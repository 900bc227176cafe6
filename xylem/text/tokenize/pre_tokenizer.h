// Pre-tokenisers: they cut a text into words, within which the model works. The kinds and their
// meaning are those of tokenizer.json.
//
//   PreTokens tokens("Hello world");
//   make_pre_tokenizer(json, "tokenizer.json: pre_tokenizer")->split(tokens, scratch);
//   // tokens.word(0) == "Hello", tokens.word(1) == "Ġworld" (or " world", see emit_bytes)
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/text/tokenize/part_registry.h"
#include "xylem/text/tokenize/regex.h"

namespace xylem::text {

struct Span {
  uint32_t begin;
  uint32_t end;
};

// A text and the words found so far. The spans are ordered and do not overlap.
class PreTokens {
 public:
  // Starts again with the whole of text (up to 1 GiB) as one word; text must outlive the use.
  void reset(std::string_view text);

  std::string_view text() const { return text_; }
  const std::vector<Span>& spans() const { return spans_; }
  std::string_view word(const Span& span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }

  // Replaces each span by what cut(word, emit) emits: emit(begin, end) within the word.
  template <typename Cut>
  void cut_words(Cut&& cut) {
    next_.clear();
    for (const Span& span : spans_) {
      cut(word(span), [&](size_t begin, size_t end) {
        if (begin < end) {
          next_.push_back(
              {static_cast<uint32_t>(span.begin + begin), static_cast<uint32_t>(span.begin + end)});
        }
      });
    }
    spans_.swap(next_);
  }

  // Replaces each word's text by what rewrite(word, out) appends to out.
  template <typename Rewrite>
  void rewrite_words(Rewrite&& rewrite) {
    std::string rewritten;
    for (Span& span : spans_) {
      const auto begin = static_cast<uint32_t>(rewritten.size());
      rewrite(word(span), rewritten);
      check_size(rewritten.size());
      span = {begin, static_cast<uint32_t>(rewritten.size())};
    }
    storage_.swap(rewritten);
    text_ = storage_;
  }

  // Gives back memory that one huge text took.
  void trim();

 private:
  void check_size(size_t bytes) const;

  size_t limit_ = 0;  // bytes; steps that rewrite in a hostile file can multiply a text
  std::string_view text_;
  std::string storage_;  // owns the text once a step has rewritten it
  std::vector<Span> spans_;
  std::vector<Span> next_;
};

// Immutable after loading; safe to share between threads.
class PreTokenizer {
 public:
  virtual ~PreTokenizer() = default;
  virtual void split(PreTokens& tokens, RegexScratch& scratch) const = 0;

  // Whether the last step maps bytes to the characters of the byte alphabet. At load, when the
  // model can work on bytes, emit_bytes() leaves that step out, so that words keep their bytes.
  virtual bool can_emit_bytes() const { return false; }
  virtual void emit_bytes() {}
};

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json, const Where& where);

// The pieces that GGUF files name instead of describing.
enum class SplitBehavior { kRemoved, kIsolated, kMergedWithPrevious, kMergedWithNext, kContiguous };
std::unique_ptr<PreTokenizer> make_split(Regex regex, SplitBehavior behavior, bool invert = false);
std::unique_ptr<PreTokenizer> make_byte_level(bool add_prefix_space, bool use_regex);
std::unique_ptr<PreTokenizer> make_pre_tokenizer_sequence(
    std::vector<std::unique_ptr<PreTokenizer>> steps);

}  // namespace xylem::text
