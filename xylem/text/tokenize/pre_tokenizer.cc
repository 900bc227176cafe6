#include "xylem/text/tokenize/pre_tokenizer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "xylem/text/tokenize/byte_alphabet.h"

namespace xylem::text {
namespace {

// GPT-2's pattern, which ByteLevel applies when use_regex is set.
constexpr std::string_view kGpt2Pattern =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";

constexpr size_t kMaxTextBytes = size_t{1} << 30;
// How far pre-tokenisers may lengthen a text.
constexpr size_t kMinLimit = size_t{1} << 20;
constexpr size_t kMaxGrowth = 16;

// Longest text kept allocated between uses, in words.
constexpr size_t kKeptSpans = 1 << 16;

class ByteLevel : public PreTokenizer {
 public:
  ByteLevel(bool add_prefix_space, bool use_regex) : add_prefix_space_(add_prefix_space) {
    if (use_regex) {
      split_ = make_split(Regex(kGpt2Pattern, "ByteLevel"), SplitBehavior::kIsolated);
    }
  }

  void split(PreTokens& tokens, RegexScratch& scratch) const override {
    if (add_prefix_space_) {
      tokens.rewrite_words([](std::string_view word, std::string& out) {
        if (!word.starts_with(' ')) out += ' ';
        out += word;
      });
    }
    if (split_ != nullptr) split_->split(tokens, scratch);
    if (!map_bytes_) return;
    tokens.rewrite_words([](std::string_view word, std::string& out) {
      for (const char c : word) out += byte_to_character(static_cast<unsigned char>(c));
    });
  }

  bool can_emit_bytes() const override { return true; }
  void emit_bytes() override { map_bytes_ = false; }

 private:
  bool add_prefix_space_;
  bool map_bytes_ = true;
  std::unique_ptr<PreTokenizer> split_;
};

class PreTokenizerSequence : public PreTokenizer {
 public:
  explicit PreTokenizerSequence(std::vector<std::unique_ptr<PreTokenizer>> steps)
      : steps_(std::move(steps)) {}

  void split(PreTokens& tokens, RegexScratch& scratch) const override {
    for (const auto& step : steps_) step->split(tokens, scratch);
  }

  bool can_emit_bytes() const override {
    return !steps_.empty() && steps_.back()->can_emit_bytes();
  }
  void emit_bytes() override { steps_.back()->emit_bytes(); }

 private:
  std::vector<std::unique_ptr<PreTokenizer>> steps_;
};

SplitBehavior behavior_field(const Json& json, const Where& where, std::string_view otherwise) {
  constexpr std::array<std::pair<std::string_view, SplitBehavior>, 5> kNames = {{
      {"Removed", SplitBehavior::kRemoved},
      {"Isolated", SplitBehavior::kIsolated},
      {"MergedWithPrevious", SplitBehavior::kMergedWithPrevious},
      {"MergedWithNext", SplitBehavior::kMergedWithNext},
      {"Contiguous", SplitBehavior::kContiguous},
  }};
  const std::string name = string_field(json, "behavior", where, otherwise);
  for (const auto& [known, behavior] : kNames) {
    if (known == name) return behavior;
  }
  fail(ErrorCode::kInvalidArgument, "{}: the behavior '{}' is unknown", where, name);
}

std::unique_ptr<PreTokenizer> byte_level_from(const Json& json, const Where& where) {
  return make_byte_level(bool_field(json, "add_prefix_space", where, true),
                         bool_field(json, "use_regex", where, true));
}

std::unique_ptr<PreTokenizer> digits_from(const Json& json, const Where& where) {
  const bool individual = bool_field(json, "individual_digits", where, false);
  return make_split(Regex("\\p{N}", where),
                    individual ? SplitBehavior::kIsolated : SplitBehavior::kContiguous);
}

std::unique_ptr<PreTokenizer> punctuation_from(const Json& json, const Where& where) {
  return make_split(Regex("[\\p{P}!-/:-@\\[-`{-~]", where),
                    behavior_field(json, where, "Isolated"));
}

std::unique_ptr<PreTokenizer> split_from(const Json& json, const Where& where) {
  return make_split(pattern_field(json, where), behavior_field(json, where, "Isolated"),
                    bool_field(json, "invert", where, false));
}

std::unique_ptr<PreTokenizer> sequence_from(const Json& json, const Where& where) {
  std::vector<std::unique_ptr<PreTokenizer>> steps;
  for (const Json& step : array_field(json, "pretokenizers", where)) {
    steps.push_back(make_pre_tokenizer(step, where));
  }
  return make_pre_tokenizer_sequence(std::move(steps));
}

constexpr std::array<PartKind<PreTokenizer>, 5> kKinds = {{
    {"ByteLevel", byte_level_from},
    {"Digits", digits_from},
    {"Punctuation", punctuation_from},
    {"Sequence", sequence_from},
    {"Split", split_from},
}};

}  // namespace

void PreTokens::reset(std::string_view text) {
  limit_ = std::min(kMaxTextBytes, kMinLimit + kMaxGrowth * text.size());
  check_size(text.size());
  text_ = text;
  spans_.assign(1, {0, static_cast<uint32_t>(text.size())});
}

void PreTokens::check_size(size_t bytes) const {
  if (bytes > limit_) {
    fail(ErrorCode::kResourceExhausted, "a text to tokenise has {} bytes, at most {} expected",
         bytes, limit_);
  }
}

void PreTokens::trim() {
  text_ = {};
  if (spans_.capacity() > kKeptSpans) spans_ = {};
  if (next_.capacity() > kKeptSpans) next_ = {};
  if (storage_.capacity() > kKeptSpans * sizeof(Span)) storage_ = {};
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer(const Json& json, const Where& where) {
  return make_part<PreTokenizer>(kKinds, json, where);
}

std::unique_ptr<PreTokenizer> make_byte_level(bool add_prefix_space, bool use_regex) {
  return std::make_unique<ByteLevel>(add_prefix_space, use_regex);
}

std::unique_ptr<PreTokenizer> make_pre_tokenizer_sequence(
    std::vector<std::unique_ptr<PreTokenizer>> steps) {
  return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

}  // namespace xylem::text
