// The stages that decoder.cc chains together, and the token rules they share with token_bytes().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "xylem/text/tokenize/decoder.h"
#include "xylem/text/utf8.h"

namespace xylem::text {

// The byte of a token "<0x0A>", or -1.
int fallback_byte(std::string_view token);
std::string replace_all(std::string_view text, std::string_view pattern, std::string_view content);
// The token without up to `start` leading and `stop` trailing copies of character.
std::string_view strip_token(std::string_view token, std::string_view character, int32_t start,
                             int32_t stop);

// The byte alphabet back to bytes, the bytes to text; what is no UTF-8 becomes U+FFFD.
class ByteLevelStage : public DecoderStage {
 public:
  explicit ByteLevelStage(DecoderStage* next) : next_(next) {}
  void push(std::string_view token) override;
  void finish() override;

 private:
  void flush();
  DecoderStage* next_;
  Utf8Assembler assembler_;
  std::string ready_;
};

// Runs of tokens <0xNN> to their bytes; a run that is no UTF-8 becomes one U+FFFD a byte, so a run
// waits until another token ends it.
class ByteFallbackStage : public DecoderStage {
 public:
  explicit ByteFallbackStage(DecoderStage* next) : next_(next) {}
  void push(std::string_view token) override;
  void finish() override;

 private:
  void flush();
  DecoderStage* next_;
  std::string run_;
};

class ReplaceStage : public DecoderStage {
 public:
  ReplaceStage(std::string_view pattern, std::string_view content, DecoderStage* next)
      : pattern_(pattern), content_(content), next_(next) {}
  void push(std::string_view token) override {
    next_->push(replace_all(token, pattern_, content_));
  }
  void finish() override { next_->finish(); }

 private:
  std::string pattern_;
  std::string content_;
  DecoderStage* next_;
};

class StripStage : public DecoderStage {
 public:
  StripStage(std::string character, int32_t start, int32_t stop, DecoderStage* next)
      : character_(std::move(character)), start_(start), stop_(stop), next_(next) {}
  void push(std::string_view token) override {
    next_->push(strip_token(token, character_, start_, stop_));
  }
  void finish() override { next_->finish(); }

 private:
  std::string character_;
  int32_t start_;
  int32_t stop_;
  DecoderStage* next_;
};

// Strips the front of the whole text.
class StripTextStage : public DecoderStage {
 public:
  StripTextStage(std::string character, int32_t start, DecoderStage* next)
      : character_(std::move(character)), left_(start), next_(next) {}
  void push(std::string_view token) override;
  void finish() override { next_->finish(); }

 private:
  std::string character_;
  int32_t left_;  // copies that may still go
  DecoderStage* next_;
};

class SpaceStage : public DecoderStage {
 public:
  explicit SpaceStage(DecoderStage* next) : next_(next) {}
  void push(std::string_view token) override {
    if (!first_) next_->push(" ");
    first_ = false;
    next_->push(token);
  }
  void finish() override { next_->finish(); }

 private:
  bool first_ = true;
  DecoderStage* next_;
};

}  // namespace xylem::text
