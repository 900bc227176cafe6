// Decoders turn tokens back into text (tokenizer.json's "decoder"). A decoder is a chain of stages
// that tokens pass one after the other, so that decoding a stream and decoding a list are one code.
//
//   auto decoder = make_decoder(json, "tokenizer.json: decoder");
//   std::string text;
//   DecoderRun run(*decoder, &text);
//   run.push("Ġhello");   // text grows by what is certain
//   run.finish();
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "xylem/text/tokenize/part_registry.h"

namespace xylem::text {

// Takes tokens in order; keeps the state of one text.
class DecoderStage {
 public:
  virtual ~DecoderStage() = default;
  virtual void push(std::string_view token) = 0;
  virtual void finish() = 0;  // the text has ended: let go of what was held back
};

using StageChain = std::vector<std::unique_ptr<DecoderStage>>;

// Immutable; safe to share between threads.
class Decoder {
 public:
  virtual ~Decoder() = default;
  // Puts the stages that feed `next` in front of it: appends them to chain (which owns them) and
  // returns the first.
  virtual DecoderStage* attach(DecoderStage* next, StageChain& chain) const = 0;
  // The bytes that a token stands for in the middle of a text.
  virtual std::string token_bytes(std::string_view token) const = 0;
  // At most how many times longer a token becomes (beside U+FFFD for broken bytes).
  virtual size_t growth() const { return 1; }
};

std::unique_ptr<Decoder> make_decoder(const Json& json, const Where& where);

std::unique_ptr<Decoder> make_byte_level_decoder();
// Joins tokens by spaces, as the tokenizers library does without a decoder.
std::unique_ptr<Decoder> make_space_decoder();

// The decoding of one text into *out.
class DecoderRun {
 public:
  DecoderRun(const Decoder& decoder, std::string* out);
  void push(std::string_view token) { first_->push(token); }
  void finish() { first_->finish(); }

 private:
  StageChain chain_;
  DecoderStage* first_;
};

}  // namespace xylem::text
