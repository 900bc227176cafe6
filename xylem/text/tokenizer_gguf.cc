// Tokenizers from the metadata of GGUF files (keys: docs/gguf.md of the ggml project).
#include <algorithm>
#include <unordered_set>
#include <utility>

#include "xylem/base/error.h"
#include "xylem/base/log.h"
#include "xylem/io/printable.h"
#include "xylem/text/tokenize/bpe.h"
#include "xylem/text/tokenize/gguf_splits.h"
#include "xylem/text/tokenize/tokenizer_parts.h"
#include "xylem/text/tokenizer.h"
#include "xylem/text/utf8.h"

namespace xylem::text {
namespace {

constexpr int64_t kControlToken = 3;      // special
constexpr int64_t kUserDefinedToken = 4;  // found in texts like control tokens, but not special

TokenTexts texts_from(const std::vector<std::string_view>& tokens, const std::string& where) {
  TokenTexts texts;
  texts.reserve(tokens.size());
  std::unordered_set<std::string_view> seen;
  for (const std::string_view token : tokens) {
    if (!token.empty() && !seen.insert(token).second) {
      fail(ErrorCode::kDataLoss, "{}: tokenizer.ggml.tokens holds '{}' twice", where,
           io::printable(token));
    }
    std::string storage;
    texts.emplace_back(repair_utf8(token, storage));
  }
  return texts;
}

std::vector<AddedToken> added_from(const std::vector<std::string_view>& tokens,
                                   const std::vector<int64_t>& types) {
  std::vector<AddedToken> added;
  for (size_t id = 0; id < types.size(); ++id) {
    if (types[id] != kControlToken && types[id] != kUserDefinedToken) continue;
    if (tokens[id].empty()) continue;
    added.push_back({.id = static_cast<int32_t>(id),
                     .content = std::string(tokens[id]),
                     .special = types[id] == kControlToken});
  }
  return added;
}

std::optional<int32_t> id_key(const io::GgufFile& file, const char* key, size_t tokens) {
  if (!file.has(key)) return std::nullopt;
  const int64_t id = file.get_i64(key);
  if (id < 0 || id >= static_cast<int64_t>(tokens)) {
    fail(ErrorCode::kDataLoss, "{}: {} is {}, outside the vocabulary of {} tokens", file.name(),
         key, id, tokens);
  }
  return static_cast<int32_t>(id);
}

std::unique_ptr<Model> model_from(const io::GgufFile& file,
                                  const std::vector<std::string_view>& tokens, bool ignore_merges) {
  const std::vector<std::string_view> merges = file.get_strings("tokenizer.ggml.merges");
  const auto merge_at = [&](size_t i) -> std::pair<std::string_view, std::string_view> {
    const size_t space = merges[i].find(' ', 1);
    if (space == std::string_view::npos || space + 1 == merges[i].size()) {
      fail(ErrorCode::kDataLoss, "{}: tokenizer.ggml.merges[{}] is '{}', expected two tokens",
           file.name(), i, io::printable(merges[i]));
    }
    return {merges[i].substr(0, space), merges[i].substr(space + 1)};
  };
  BpeOptions options;
  options.ignore_merges = ignore_merges;
  return std::make_unique<Bpe>(texts_from(tokens, file.name()), merges.size(), merge_at,
                               std::move(options), file.name() + ": tokenizer.ggml");
}

}  // namespace

std::unique_ptr<const Tokenizer> Tokenizer::from_gguf(const io::GgufFile& file) {
  const std::string_view kind = file.get_string("tokenizer.ggml.model");
  if (kind != "gpt2") {
    fail(ErrorCode::kUnimplemented,
         "{}: the tokenizer model '{}' is not supported (supported: gpt2)", file.name(),
         io::printable(kind));
  }
  const std::string_view pre = file.get_string("tokenizer.ggml.pre", "default");
  if (pre == "default") {
    log(LogLevel::kWarn, "{}: tokenizer.ggml.pre does not say how to split texts; ids may be off",
        file.name());
  }
  GgufSplit split = make_gguf_split(pre, file.name());

  const std::vector<std::string_view> tokens = file.get_strings("tokenizer.ggml.tokens");
  std::vector<int64_t> types;
  if (file.has("tokenizer.ggml.token_type")) types = file.get_ints("tokenizer.ggml.token_type");
  if (!types.empty() && types.size() != tokens.size()) {
    fail(ErrorCode::kDataLoss, "{}: tokenizer.ggml has {} tokens and {} token types", file.name(),
         tokens.size(), types.size());
  }

  TokenizerParts parts;
  parts.name = file.name();
  parts.normalizer = std::move(split.normalizer);
  parts.pre_tokenizer = std::move(split.pre_tokenizer);
  parts.model = model_from(file, tokens, split.ignore_merges);
  parts.decoder = make_byte_level_decoder();
  parts.added = added_from(tokens, types);
  parts.bos = id_key(file, "tokenizer.ggml.bos_token_id", tokens.size());
  const auto eos = id_key(file, "tokenizer.ggml.eos_token_id", tokens.size());
  for (const auto& end : {eos, id_key(file, "tokenizer.ggml.eot_token_id", tokens.size())}) {
    if (end) parts.eos.push_back(*end);
  }
  std::vector<int32_t> prefix;
  std::vector<int32_t> suffix;
  if (parts.bos && file.get_bool("tokenizer.ggml.add_bos_token", split.add_bos)) {
    prefix.push_back(*parts.bos);
  }
  if (eos && file.get_bool("tokenizer.ggml.add_eos_token", false)) suffix.push_back(*eos);
  parts.post_processor = make_template(std::move(prefix), std::move(suffix));
  return std::make_unique<Tokenizer>(std::move(parts));
}

}  // namespace xylem::text
