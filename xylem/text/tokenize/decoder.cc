#include "xylem/text/tokenize/decoder.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "xylem/text/tokenize/byte_alphabet.h"
#include "xylem/text/tokenize/decoder_stages.h"

namespace xylem::text {
namespace {

// Replacements in a hostile file can multiply a text; real decoders shorten it.
constexpr size_t kMaxGrowth = 16;

// The end of every chain.
class AppendStage : public DecoderStage {
 public:
  explicit AppendStage(std::string* out) : out_(out) {}
  void push(std::string_view token) override { *out_ += token; }
  void finish() override {}

 private:
  std::string* out_;
};

// Gives the chain a new stage.
template <typename Stage, typename... Arguments>
DecoderStage* add_stage(StageChain& chain, Arguments&&... arguments) {
  chain.push_back(std::make_unique<Stage>(std::forward<Arguments>(arguments)...));
  return chain.back().get();
}

class ByteLevelDecoder : public Decoder {
 public:
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    return add_stage<ByteLevelStage>(chain, next);
  }
  std::string token_bytes(std::string_view token) const override {
    return characters_to_bytes(token).value_or(std::string(token));
  }
};

class ByteFallbackDecoder : public Decoder {
 public:
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    return add_stage<ByteFallbackStage>(chain, next);
  }
  std::string token_bytes(std::string_view token) const override {
    const int byte = fallback_byte(token);
    return byte < 0 ? std::string(token) : std::string(1, static_cast<char>(byte));
  }
};

// Joins all tokens to one; what follows then works on the whole text.
class FuseDecoder : public Decoder {
 public:
  DecoderStage* attach(DecoderStage* next, StageChain&) const override { return next; }
  std::string token_bytes(std::string_view token) const override { return std::string(token); }
};

class ReplaceDecoder : public Decoder {
 public:
  ReplaceDecoder(std::string pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    return add_stage<ReplaceStage>(chain, pattern_, content_, next);
  }
  std::string token_bytes(std::string_view token) const override {
    return replace_all(token, pattern_, content_);
  }
  size_t growth() const override {
    return std::max<size_t>(1, (content_.size() + pattern_.size() - 1) / pattern_.size());
  }

 private:
  std::string pattern_;
  std::string content_;
};

// Takes up to `start` copies of a character from the front of every token, or of the whole text
// behind Fuse; `stop` from the end of every token.
class StripDecoder : public Decoder {
 public:
  StripDecoder(std::string character, int32_t start, int32_t stop, bool whole_text)
      : character_(std::move(character)), start_(start), stop_(stop), whole_text_(whole_text) {}
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    if (whole_text_) return add_stage<StripTextStage>(chain, character_, start_, next);
    return add_stage<StripStage>(chain, character_, start_, stop_, next);
  }
  std::string token_bytes(std::string_view token) const override {
    if (whole_text_) return std::string(token);
    return std::string(strip_token(token, character_, start_, stop_));
  }

 private:
  std::string character_;
  int32_t start_;
  int32_t stop_;
  bool whole_text_;
};

class SpaceDecoder : public Decoder {
 public:
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    return add_stage<SpaceStage>(chain, next);
  }
  std::string token_bytes(std::string_view token) const override { return std::string(token); }
};

class DecoderSequence : public Decoder {
 public:
  explicit DecoderSequence(std::vector<std::unique_ptr<Decoder>> steps)
      : steps_(std::move(steps)) {}
  DecoderStage* attach(DecoderStage* next, StageChain& chain) const override {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      next = (*step)->attach(next, chain);
    }
    return next;
  }
  std::string token_bytes(std::string_view token) const override {
    std::string bytes(token);
    for (const auto& step : steps_) bytes = step->token_bytes(bytes);
    return bytes;
  }
  size_t growth() const override {
    size_t product = 1;
    for (const auto& step : steps_) product = std::min(product * step->growth(), kMaxGrowth + 1);
    return product;
  }

 private:
  std::vector<std::unique_ptr<Decoder>> steps_;
};

std::unique_ptr<Decoder> byte_level_from(const Json&, const Where&) {
  return make_byte_level_decoder();
}

std::unique_ptr<Decoder> byte_fallback_from(const Json&, const Where&) {
  return std::make_unique<ByteFallbackDecoder>();
}

std::unique_ptr<Decoder> fuse_from(const Json&, const Where&) {
  return std::make_unique<FuseDecoder>();
}

std::unique_ptr<Decoder> replace_from(const Json& json, const Where& where) {
  const std::string pattern =
      string_field(required_field(json, "pattern", where), "String", where + " pattern");
  if (pattern.empty()) fail(ErrorCode::kInvalidArgument, "{}: the pattern is empty", where);
  return std::make_unique<ReplaceDecoder>(pattern, string_field(json, "content", where));
}

std::unique_ptr<Decoder> strip_from(const Json& json, const Where& where, bool whole_text) {
  const int32_t stop = index_value(required_field(json, "stop", where), where + " stop");
  if (whole_text && stop > 0) {
    fail(ErrorCode::kUnimplemented, "{}: stop is {} behind Fuse, only 0 is supported", where, stop);
  }
  const std::string content = string_field(json, "content", where);
  if (content.empty()) fail(ErrorCode::kInvalidArgument, "{}: the content is empty", where);
  return std::make_unique<StripDecoder>(
      content, index_value(required_field(json, "start", where), where + " start"), stop,
      whole_text);
}

std::unique_ptr<Decoder> strip_tokens_from(const Json& json, const Where& where) {
  return strip_from(json, where, /*whole_text=*/false);
}

std::unique_ptr<Decoder> sequence_from(const Json& json, const Where& where) {
  std::vector<std::unique_ptr<Decoder>> steps;
  bool fused = false;
  for (const Json& step : array_field(json, "decoders", where)) {
    const std::string type = string_field(step, "type", where);
    if (!fused) {
      steps.push_back(make_decoder(step, where));
    } else if (type == "Strip") {
      steps.push_back(strip_from(step, where + " Strip", /*whole_text=*/true));
    } else {
      fail(ErrorCode::kUnimplemented, "{}: {} behind a step that joins tokens is not supported",
           where, type);
    }
    fused = fused || type == "Fuse" || type == "ByteLevel";
  }
  return std::make_unique<DecoderSequence>(std::move(steps));
}

constexpr std::array<PartKind<Decoder>, 6> kKinds = {{
    {"ByteFallback", byte_fallback_from},
    {"ByteLevel", byte_level_from},
    {"Fuse", fuse_from},
    {"Replace", replace_from},
    {"Sequence", sequence_from},
    {"Strip", strip_tokens_from},
}};

}  // namespace

std::unique_ptr<Decoder> make_decoder(const Json& json, const Where& where) {
  auto decoder = make_part<Decoder>(kKinds, json, where);
  if (decoder->growth() > kMaxGrowth) {
    fail(ErrorCode::kResourceExhausted, "{}: it makes tokens over {} times longer", where,
         kMaxGrowth);
  }
  return decoder;
}

std::unique_ptr<Decoder> make_byte_level_decoder() { return std::make_unique<ByteLevelDecoder>(); }

std::unique_ptr<Decoder> make_space_decoder() { return std::make_unique<SpaceDecoder>(); }

DecoderRun::DecoderRun(const Decoder& decoder, std::string* out) {
  chain_.push_back(std::make_unique<AppendStage>(out));
  first_ = decoder.attach(chain_.back().get(), chain_);
}

}  // namespace xylem::text
