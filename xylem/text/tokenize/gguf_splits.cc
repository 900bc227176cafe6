#include "xylem/text/tokenize/gguf_splits.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/io/printable.h"

namespace xylem::text {
namespace {

#define XYLEM_CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define XYLEM_SPACES "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define XYLEM_UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define XYLEM_LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define XYLEM_LEAD "[^\\r\\n\\p{L}\\p{N}]?"

constexpr std::string_view kGpt2 =
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+";
constexpr std::string_view kLlama3 = XYLEM_CONTRACTIONS
    "|" XYLEM_LEAD "\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" XYLEM_SPACES;
constexpr std::string_view kQwen2 =
    XYLEM_CONTRACTIONS "|" XYLEM_LEAD "\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" XYLEM_SPACES;
constexpr std::string_view kQwen35 = XYLEM_CONTRACTIONS
    "|" XYLEM_LEAD "[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|" XYLEM_SPACES;
constexpr std::string_view kSeedCoder =
    XYLEM_CONTRACTIONS "|" XYLEM_LEAD "\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\\r\\n]+|" XYLEM_SPACES;
constexpr std::string_view kBailing =
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|"
    "\\s*[\\r\\n]|\\s+(?!\\S)|\\s+";
constexpr std::string_view kTekken =
    XYLEM_LEAD XYLEM_UPPER "*" XYLEM_LOWER "+|" XYLEM_LEAD XYLEM_UPPER "+" XYLEM_LOWER
                           "*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" XYLEM_SPACES;
constexpr std::string_view kGpt4o = XYLEM_LEAD XYLEM_UPPER
    "*" XYLEM_LOWER "+" XYLEM_CONTRACTIONS "?|" XYLEM_LEAD XYLEM_UPPER "+" XYLEM_LOWER
    "*" XYLEM_CONTRACTIONS "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" XYLEM_SPACES;
constexpr std::string_view kDeepSeekV3 =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?"
    "[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\\r\\n]*|" XYLEM_SPACES;
// Latin, Greek, Cyrillic and other cased letters, as the DeepSeek LLM tokenizer.json lists them.
constexpr std::string_view kDeepSeekLetters =
    "\\s?[A-Za-zµÀ-ÖØ-öø-ƺƼ-ƿǄ-ʓʕ-ʯͰ-ͳͶͷͻ-ͽͿΆΈ-ΊΌΎ-ΡΣ-ϵϷ-ҁҊ-ԯԱ-ՖႠ-ჅᎠ-Ᏽᏸ-ᏽᲐ-ᲺᲽ-Ჿᴀ-"
    "ᴫᵫ-ᵷᵹ-ᶚ"
    "Ḁ-ἕἘ-Ἕἠ-ὅὈ-Ὅὐ-ὗὙὛὝὟ-ώᾀ-ᾴᾶ-ᾼιῂ-ῄῆ-ῌῐ-ΐῖ-Ίῠ-Ῥῲ-ῴῶ-ῼℂℇℊ-ℓℕℙ-ℝℤΩℨK-ℭℯ-ℴℹℼ-ℿⅅ-ⅉⅎↃↄ"
    "Ⰰ-ⱻⱾ-ⳤⳫ-ⳮⳲⳳꙀ-ꙭꚀ-ꚛꜢ-ꝯꝱ-ꞇꞋ-ꞎꭰ-ꮿﬀ-ﬆﬓ-ﬗＡ-Ｚａ-ｚ𐐀-𐑏𐒰-𐓓𐓘-𐓻𐲀-𐲲𐳀-"
    "𐳲𑢠-𑣟𞤀-𞥃]+";

#undef XYLEM_CONTRACTIONS
#undef XYLEM_SPACES
#undef XYLEM_UPPER
#undef XYLEM_LOWER
#undef XYLEM_LEAD

// A rule: its patterns cut one after the other, each match a word.
struct Rule {
  std::array<std::string_view, 6> patterns;  // up to the first empty one
  bool nfc = false;
  bool ignore_merges = false;
  bool add_bos = false;
};

struct NamedRule {
  const Rule* rule;
  std::array<std::string_view, 12> names;
};

constexpr Rule kGpt2Rule{{kGpt2}};
constexpr Rule kDigitsGpt2Rule{{"\\p{N}", kGpt2}};
constexpr Rule kFalconRule{{"[\\p{P}\\$\\+<=>\\^~\\|`]+", kGpt2, "[0-9][0-9][0-9]"}};
constexpr Rule kDefaultRule{{"[\\p{P}\\$\\+<=>\\^~\\|]+", kGpt2, "\\p{N}+", "[0-9][0-9][0-9]"}};
constexpr Rule kLlama3Rule{{kLlama3}, false, true, true};
constexpr Rule kLlama3MergesRule{{kLlama3}};
constexpr Rule kQwen2Rule{{kQwen2}, true};
constexpr Rule kQwen35Rule{{kQwen35}, true};
constexpr Rule kStableLm2Rule{{kQwen2}};
constexpr Rule kSeedCoderRule{{kSeedCoder}};
constexpr Rule kBailingRule{{kBailing}};
constexpr Rule kTekkenRule{{kTekken}, false, true, true};
constexpr Rule kGpt4oRule{{kGpt4o}};
constexpr Rule kDeepSeekV3Rule{{"\\p{N}{1,3}", "[一-龥぀-ゟ゠-ヿ]+", kDeepSeekV3}};
constexpr Rule kDeepSeekCoderRule{
    {"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+", "[一-龥ࠀ-一가-퟿]+", "\\p{N}"}};
constexpr Rule kDeepSeekLlmRule{{"[\\r\\n]", kDeepSeekLetters, "\\s?[!-/:-~！-／：-～‘-‟　-。]+",
                                 "\\s+$", "[一-龥ࠀ-一가-퟿]+", "\\p{N}+"}};

constexpr std::array<NamedRule, 16> kRules = {{
    {&kGpt2Rule,
     {"gpt-2", "phi-2", "olmo", "mpt", "jais", "trillion", "granite-docling", "exaone4", "gigachat",
      "a.x-4.0", "mellum", "modern-bert"}},
    {&kDigitsGpt2Rule,
     {"smollm", "starcoder", "refact", "command-r", "codeshell", "exaone", "minerva-7b",
      "mellum2"}},
    {&kFalconRule, {"falcon"}},
    {&kDefaultRule, {"default"}},
    {&kLlama3Rule,
     {"llama-bpe", "llama3", "llama-v3", "falcon3", "falcon-h1", "pixtral", "midm-2.0", "lfm2"}},
    {&kLlama3MergesRule, {"smaug-bpe", "dbrx", "chatglm-bpe", "glm4"}},
    {&kQwen2Rule, {"qwen2", "deepseek-r1-qwen", "megrez", "kormo", "f2llmv2"}},
    {&kQwen35Rule, {"qwen35"}},
    {&kStableLm2Rule, {"stablelm2", "hunyuan", "grok-2", "solar-open"}},
    {&kSeedCoderRule, {"seed-coder"}},
    {&kBailingRule, {"bailingmoe", "bailingmoe2", "llada-moe"}},
    {&kTekkenRule, {"tekken"}},
    {&kGpt4oRule, {"gpt-4o", "llama4", "kanana2", "minimax-m2"}},
    {&kDeepSeekV3Rule, {"deepseek-v3", "hunyuan-dense", "joyai-llm"}},
    {&kDeepSeekCoderRule, {"deepseek-coder"}},
    {&kDeepSeekLlmRule, {"deepseek-llm"}},
}};

const Rule& find_rule(std::string_view name, const std::string& where) {
  for (const NamedRule& named : kRules) {
    const auto* found = std::find(named.names.begin(), named.names.end(), name);
    if (found != named.names.end() && !name.empty()) return *named.rule;
  }
  fail(ErrorCode::kUnimplemented,
       "{}: the splitting rule '{}' (tokenizer.ggml.pre) is not supported; a tokenizer.json of the "
       "model would do instead",
       where, io::printable(name));
}

}  // namespace

GgufSplit make_gguf_split(std::string_view name, const std::string& where) {
  const Rule& rule = find_rule(name, where);
  std::vector<std::unique_ptr<PreTokenizer>> steps;
  for (const std::string_view pattern : rule.patterns) {
    if (!pattern.empty()) {
      steps.push_back(make_split(Regex(pattern, where), SplitBehavior::kIsolated));
    }
  }
  steps.push_back(make_byte_level(/*add_prefix_space=*/false, /*use_regex=*/false));
  return {rule.nfc ? make_nfc() : nullptr, make_pre_tokenizer_sequence(std::move(steps)),
          rule.ignore_merges, rule.add_bos};
}

}  // namespace xylem::text
