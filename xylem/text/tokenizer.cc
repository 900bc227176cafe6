#include "xylem/text/tokenizer.h"

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>
#include <utility>

#include "xylem/base/error.h"
#include "xylem/text/tokenize/scratch_pool.h"
#include "xylem/text/tokenize/tokenizer_parts.h"
#include "xylem/text/utf8.h"

namespace xylem::text {

struct Tokenizer::Impl {
  explicit Impl(TokenizerParts given);

  void index_added();
  void index_bytes();
  void check_ids();
  int32_t size() const { return static_cast<int32_t>(bytes.size()); }
  bool known(int32_t id) const { return id >= 0 && id < size(); }
  void require_known(int32_t id) const;
  const std::string& text_of(int32_t id) const;
  void decode_one(int32_t id, bool skip_special, DecoderRun& run) const;

  void encode_raw(std::string_view piece, bool skip_special, Scratch& scratch,
                  std::vector<int32_t>& ids) const;
  void encode_normalized(std::string_view piece, Scratch& scratch, std::vector<int32_t>& ids) const;

  TokenizerParts parts;
  AddedTokens raw_added;         // searched in the text as it is
  AddedTokens normalized_added;  // searched in the normalised text
  std::map<std::string, int32_t, std::less<>> added_ids;
  std::unordered_map<int32_t, std::string> added_texts;  // where the model has another text
  std::vector<std::string> bytes;                        // by id
  std::vector<uint8_t> special;                          // by id
  mutable ScratchPool pool;
};

Tokenizer::Impl::Impl(TokenizerParts given) : parts(std::move(given)) {
  if (parts.pre_tokenizer != nullptr && parts.pre_tokenizer->can_emit_bytes() &&
      parts.model->accept_bytes()) {
    parts.pre_tokenizer->emit_bytes();
  }
  index_added();
  index_bytes();
  check_ids();
}

void Tokenizer::Impl::index_added() {
  int32_t last = static_cast<int32_t>(parts.model->token_texts().size()) - 1;
  for (const AddedToken& token : parts.added) last = std::max(last, token.id);
  bytes.resize(static_cast<size_t>(last) + 1);
  special.resize(bytes.size());

  RegexScratch scratch;
  for (const AddedToken& token : parts.added) {
    std::string pattern = token.content;
    if (token.normalized && parts.normalizer != nullptr) {
      parts.normalizer->normalize(pattern, scratch);
    }
    (token.normalized ? normalized_added : raw_added).add(token, pattern);
    added_ids[token.content] = token.id;
    if (token.special) special[token.id] = 1;
    // A token is written as it is searched, as in the tokenizers library.
    if (parts.model->token_id(pattern) != token.id) added_texts[token.id] = pattern;
  }
}

void Tokenizer::Impl::index_bytes() {
  for (int32_t id = 0; id < size(); ++id) bytes[id] = parts.decoder->token_bytes(text_of(id));
}

void Tokenizer::Impl::check_ids() {
  const auto check = [&](int32_t id, const char* what) {
    if (!known(id)) {
      fail(ErrorCode::kInvalidArgument, "{}: {} {} is outside the vocabulary of {} tokens",
           parts.name, what, id, size());
    }
  };
  if (parts.bos) check(*parts.bos, "the begin token");
  std::sort(parts.eos.begin(), parts.eos.end());
  parts.eos.erase(std::unique(parts.eos.begin(), parts.eos.end()), parts.eos.end());
  for (const int32_t id : parts.eos) check(id, "the end token");
  if (parts.post_processor == nullptr) return;
  std::vector<int32_t> ids;
  parts.post_processor->process(ids);
  for (const int32_t id : ids) check(id, "the post_processor's token");
}

void Tokenizer::Impl::require_known(int32_t id) const {
  if (!known(id)) {
    fail(ErrorCode::kInvalidArgument, "{}: token {} is outside the vocabulary of {} tokens",
         parts.name, id, size());
  }
}

const std::string& Tokenizer::Impl::text_of(int32_t id) const {
  static const std::string unused;
  const auto added = added_texts.find(id);
  if (added != added_texts.end()) return added->second;
  const TokenTexts& texts = parts.model->token_texts();
  return static_cast<size_t>(id) < texts.size() ? texts[id] : unused;
}

void Tokenizer::Impl::decode_one(int32_t id, bool skip_special, DecoderRun& run) const {
  if (!known(id) || (skip_special && special[id] != 0)) return;
  const std::string& token = text_of(id);
  if (!token.empty()) run.push(token);
}

void Tokenizer::Impl::encode_raw(std::string_view piece, bool skip_special, Scratch& scratch,
                                 std::vector<int32_t>& ids) const {
  if (parts.normalizer != nullptr) {
    scratch.normalized.assign(piece);
    parts.normalizer->normalize(scratch.normalized, scratch.regex);
    piece = scratch.normalized;
  }
  normalized_added.split(piece, skip_special, [&](int32_t id, std::string_view words) {
    if (id != AddedTokens::kNoToken) {
      ids.push_back(id);
    } else {
      encode_normalized(words, scratch, ids);
    }
  });
}

void Tokenizer::Impl::encode_normalized(std::string_view piece, Scratch& scratch,
                                        std::vector<int32_t>& ids) const {
  scratch.words.reset(piece);
  if (parts.pre_tokenizer != nullptr) parts.pre_tokenizer->split(scratch.words, scratch.regex);
  parts.model->encode(scratch.words, scratch.model, ids);
}

Tokenizer::Tokenizer(TokenizerParts parts) : impl_(std::make_unique<Impl>(std::move(parts))) {}
Tokenizer::~Tokenizer() = default;

std::vector<int32_t> Tokenizer::encode(std::string_view text, bool add_special_tokens,
                                       bool parse_special) const {
  const ScratchPool::Lease scratch(impl_->pool);
  std::vector<int32_t> ids;
  ids.reserve(text.size() / 4 + 8);
  const std::string_view repaired = repair_utf8(text, scratch->repaired);
  impl_->raw_added.split(repaired, !parse_special, [&](int32_t id, std::string_view piece) {
    if (id != AddedTokens::kNoToken) {
      ids.push_back(id);
    } else {
      impl_->encode_raw(piece, !parse_special, *scratch, ids);
    }
  });
  if (add_special_tokens && impl_->parts.post_processor != nullptr) {
    impl_->parts.post_processor->process(ids);
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool skip_special_tokens) const {
  std::string text;
  DecoderRun run(*impl_->parts.decoder, &text);
  for (const int32_t id : ids) impl_->decode_one(id, skip_special_tokens, run);
  run.finish();
  return text;
}

int32_t Tokenizer::vocab_size() const { return impl_->size(); }

std::optional<int32_t> Tokenizer::token_id(std::string_view token) const {
  const auto added = impl_->added_ids.find(token);
  if (added != impl_->added_ids.end()) return added->second;
  const int32_t id = impl_->parts.model->token_id(token);
  return id < 0 ? std::nullopt : std::optional(id);
}

const std::string& Tokenizer::token_text(int32_t id) const {
  impl_->require_known(id);
  return impl_->text_of(id);
}

const std::string& Tokenizer::token_bytes(int32_t id) const {
  impl_->require_known(id);
  return impl_->bytes[id];
}

bool Tokenizer::is_special(int32_t id) const {
  impl_->require_known(id);
  return impl_->special[id] != 0;
}

std::optional<int32_t> Tokenizer::bos_id() const { return impl_->parts.bos; }

const std::vector<int32_t>& Tokenizer::eos_ids() const { return impl_->parts.eos; }

struct StreamDecoder::Impl {
  Impl(const Tokenizer::Impl& given, bool skip)
      : tokenizer(given), skip_special(skip), run(*given.parts.decoder, &text) {}

  const Tokenizer::Impl& tokenizer;
  bool skip_special;
  std::string text;
  DecoderRun run;  // writes to text
};

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, bool skip_special)
    : impl_(std::make_unique<Impl>(*tokenizer.impl_, skip_special)) {}
StreamDecoder::~StreamDecoder() = default;
StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;

std::string StreamDecoder::push(int32_t id) {
  impl_->tokenizer.decode_one(id, impl_->skip_special, impl_->run);
  return std::exchange(impl_->text, {});
}

std::string StreamDecoder::finish() {
  impl_->run.finish();
  return std::exchange(impl_->text, {});
}

}  // namespace xylem::text
