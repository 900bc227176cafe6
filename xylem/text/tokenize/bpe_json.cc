#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "xylem/io/printable.h"
#include "xylem/text/tokenize/bpe.h"

namespace xylem::text {
namespace {

// Real vocabularies end below 300,000; unused ids are few.
constexpr size_t kMaxTokens = size_t{1} << 22;
constexpr size_t kMaxUnusedIds = size_t{1} << 16;

TokenTexts texts_from(const Json& vocabulary, const Where& where) {
  if (!vocabulary.is_object()) {
    fail(ErrorCode::kInvalidArgument, "{}: vocab is {}, expected an object of ids by token", where,
         vocabulary.type_name());
  }
  if (vocabulary.size() > kMaxTokens) {
    fail(ErrorCode::kResourceExhausted, "{}: vocab has {} tokens, at most {} expected", where,
         vocabulary.size(), kMaxTokens);
  }
  TokenTexts texts;
  for (const auto& [token, value] : vocabulary.items()) {
    const auto id =
        static_cast<size_t>(index_value(value, where + " vocab['" + io::printable(token) + "']"));
    if (id >= vocabulary.size() + kMaxUnusedIds) {
      fail(ErrorCode::kInvalidArgument, "{}: the token '{}' has id {}, out of range for {} tokens",
           where, io::printable(token), id, vocabulary.size());
    }
    if (id >= texts.size()) texts.resize(std::max(id + 1, vocabulary.size()));
    if (!texts[id].empty()) {
      fail(ErrorCode::kInvalidArgument, "{}: the tokens '{}' and '{}' both have id {}", where,
           io::printable(texts[id]), io::printable(token), id);
    }
    texts[id] = token;
  }
  return texts;
}

// "left right", or ["left", "right"], which can hold tokens with spaces.
std::pair<std::string_view, std::string_view> merge_from(const Json& merge, size_t index,
                                                         const Where& where) {
  if (const auto* line = merge.get_ptr<const std::string*>()) {
    const size_t space = line->find(' ');
    if (space != std::string::npos && line->find(' ', space + 1) == std::string::npos) {
      return {std::string_view(*line).substr(0, space), std::string_view(*line).substr(space + 1)};
    }
  } else if (merge.is_array() && merge.size() == 2 && merge[0].is_string() &&
             merge[1].is_string()) {
    return {*merge[0].get_ptr<const std::string*>(), *merge[1].get_ptr<const std::string*>()};
  }
  fail(ErrorCode::kInvalidArgument, "{}: merges[{}] is no pair of tokens, expected 'a b'", where,
       index);
}

void refuse_options(const Json& json, const Where& where) {
  for (const char* option : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    if (!string_field(json, option, where, "").empty()) {
      fail(ErrorCode::kUnimplemented, "{}: the option '{}' is not supported", where, option);
    }
  }
  const Json* dropout = optional_field(json, "dropout");
  if (dropout != nullptr && *dropout != 0) {
    fail(ErrorCode::kUnimplemented, "{}: 'dropout' (random merges) is not supported", where);
  }
}

constexpr std::array<PartKind<Model>, 1> kKinds = {{
    {"BPE", make_bpe},
}};

}  // namespace

std::unique_ptr<Model> make_bpe(const Json& json, const Where& where) {
  refuse_options(json, where);
  BpeOptions options;
  if (optional_field(json, "unk_token") != nullptr) {
    options.unk_token = string_field(json, "unk_token", where);
  }
  options.fuse_unk = bool_field(json, "fuse_unk", where, false);
  options.byte_fallback = bool_field(json, "byte_fallback", where, false);
  options.ignore_merges = bool_field(json, "ignore_merges", where, false);
  const Json& merges = array_field(json, "merges", where);
  const auto merge_at = [&](size_t i) { return merge_from(merges[i], i, where); };
  return std::make_unique<Bpe>(texts_from(required_field(json, "vocab", where), where),
                               merges.size(), merge_at, std::move(options), where);
}

std::unique_ptr<Model> make_model(const Json& json, const Where& where) {
  return make_part<Model>(kKinds, json, where);
}

}  // namespace xylem::text
