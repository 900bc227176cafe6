// Tokenizers: text to token ids and back, as Hugging Face's tokenizers library does it.
//
//   auto tokenizer = Tokenizer::from_folder("models/smollm2");        // or from_gguf, from_json
//   std::vector<int32_t> ids = tokenizer->encode("Hello world", /*add_special_tokens=*/true);
//   std::string text = tokenizer->decode(ids);
//
//   StreamDecoder stream(*tokenizer);
//   for (int32_t id : ids) std::cout << stream.push(id);   // never half a character
//   std::cout << stream.finish();
//
// Covered: byte-pair encoding with the normalisers, pre-tokenisers, post-processors and decoders
// registered in xylem/text/tokenize; any other type is an Error that names it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/io/gguf.h"

namespace xylem::text {

struct TokenizerParts;

// What files beside tokenizer.json say about its tokens.
struct TokenizerConfig {
  std::optional<std::string> bos_token;
  std::vector<std::string> eos_tokens;
  std::vector<int32_t> eos_ids;
  // When either is given they decide which of the two tokens encode() adds, in place of
  // tokenizer.json's post-processor (as in transformers).
  std::optional<bool> add_bos;
  std::optional<bool> add_eos;
};

// Immutable; safe to use from many threads at once.
class Tokenizer {
 public:
  // Reads the text of a tokenizer.json; name is for messages. Throws kInvalidArgument for a broken
  // file and kUnimplemented for a kind of tokenizer that is not covered, each naming the part.
  static std::unique_ptr<const Tokenizer> from_json(std::string_view tokenizer_json,
                                                    const std::string& name,
                                                    const TokenizerConfig& config = {});

  // Reads a Hugging Face folder: tokenizer.json, and where present tokenizer_config.json,
  // generation_config.json and config.json, whose end tokens are united.
  static std::unique_ptr<const Tokenizer> from_folder(const std::string& folder);

  // Reads the metadata tokenizer.ggml.* of a GGUF file (model "gpt2": byte-level BPE, the splitting
  // rule named by tokenizer.ggml.pre).
  static std::unique_ptr<const Tokenizer> from_gguf(const io::GgufFile& file);

  explicit Tokenizer(TokenizerParts parts);
  ~Tokenizer();
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  // The ids of a text. Bytes that are no UTF-8 count as U+FFFD. add_special_tokens adds what the
  // model expects around a text (begin token...): use it for plain text, not for a rendered chat
  // template. Without parse_special, control tokens in the text are text like any other.
  std::vector<int32_t> encode(std::string_view text, bool add_special_tokens,
                              bool parse_special = true) const;

  // The text of ids, always well-formed UTF-8; ids outside the vocabulary are passed over.
  std::string decode(std::span<const int32_t> ids, bool skip_special_tokens = false) const;

  // Ids are below vocab_size(); a model's output may have more rows, which no token uses.
  int32_t vocab_size() const;
  std::optional<int32_t> token_id(std::string_view token) const;
  // The token as its file writes it ("Ġworld"); empty for an id that is not used. Like the next
  // two, throws kInvalidArgument for an id outside the vocabulary.
  const std::string& token_text(int32_t id) const;
  // The bytes it stands for (" world"), which need not be whole characters.
  const std::string& token_bytes(int32_t id) const;
  bool is_special(int32_t id) const;

  std::optional<int32_t> bos_id() const;
  // The tokens that end an answer; sorted.
  const std::vector<int32_t>& eos_ids() const;

 private:
  friend class StreamDecoder;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Decodes ids as they come. The pieces joined are what decode() gives for all ids together; a
// piece never ends inside a character. The tokenizer must outlive it.
class StreamDecoder {
 public:
  explicit StreamDecoder(const Tokenizer& tokenizer, bool skip_special = true);
  ~StreamDecoder();
  StreamDecoder(StreamDecoder&&) noexcept;
  StreamDecoder& operator=(StreamDecoder&&) noexcept;

  // The text that has become certain; may be empty.
  std::string push(int32_t id);
  // The rest; the decoder must not be used after.
  std::string finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace xylem::text
