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
    "\\s?[A-Za-z"
    "\\x{00B5}\\x{00C0}-\\x{00D6}\\x{00D8}-\\x{00F6}\\x{00F8}-\\x{01BA}\\x{01BC}-\\x{01BF}"
    "\\x{01C4}-\\x{0293}\\x{0295}-\\x{02AF}\\x{0370}-\\x{0373}\\x{0376}-\\x{0377}"
    "\\x{037B}-\\x{037D}\\x{037F}\\x{0386}\\x{0388}-\\x{038A}\\x{038C}\\x{038E}-\\x{03A1}"
    "\\x{03A3}-\\x{03F5}\\x{03F7}-\\x{0481}\\x{048A}-\\x{052F}\\x{0531}-\\x{0556}"
    "\\x{10A0}-\\x{10C5}\\x{13A0}-\\x{13F5}\\x{13F8}-\\x{13FD}\\x{1C90}-\\x{1CBA}"
    "\\x{1CBD}-\\x{1CBF}\\x{1D00}-\\x{1D2B}\\x{1D6B}-\\x{1D77}\\x{1D79}-\\x{1D9A}"
    "\\x{1E00}-\\x{1F15}\\x{1F18}-\\x{1F1D}\\x{1F20}-\\x{1F45}\\x{1F48}-\\x{1F4D}"
    "\\x{1F50}-\\x{1F57}\\x{1F59}\\x{1F5B}\\x{1F5D}\\x{1F5F}-\\x{1F7D}\\x{1F80}-\\x{1FB4}"
    "\\x{1FB6}-\\x{1FBC}\\x{1FBE}\\x{1FC2}-\\x{1FC4}\\x{1FC6}-\\x{1FCC}\\x{1FD0}-\\x{1FD3}"
    "\\x{1FD6}-\\x{1FDB}\\x{1FE0}-\\x{1FEC}\\x{1FF2}-\\x{1FF4}\\x{1FF6}-\\x{1FFC}\\x{2102}"
    "\\x{2107}\\x{210A}-\\x{2113}\\x{2115}\\x{2119}-\\x{211D}\\x{2124}\\x{2126}\\x{2128}"
    "\\x{212A}-\\x{212D}\\x{212F}-\\x{2134}\\x{2139}\\x{213C}-\\x{213F}\\x{2145}-\\x{2149}"
    "\\x{214E}\\x{2183}-\\x{2184}\\x{2C00}-\\x{2C7B}\\x{2C7E}-\\x{2CE4}\\x{2CEB}-\\x{2CEE}"
    "\\x{2CF2}-\\x{2CF3}\\x{A640}-\\x{A66D}\\x{A680}-\\x{A69B}\\x{A722}-\\x{A76F}"
    "\\x{A771}-\\x{A787}\\x{A78B}-\\x{A78E}\\x{AB70}-\\x{ABBF}\\x{FB00}-\\x{FB06}"
    "\\x{FB13}-\\x{FB17}\\x{FF21}-\\x{FF3A}\\x{FF41}-\\x{FF5A}\\x{10400}-\\x{1044F}"
    "\\x{104B0}-\\x{104D3}\\x{104D8}-\\x{104FB}\\x{10C80}-\\x{10CB2}\\x{10CC0}-\\x{10CF2}"
    "\\x{118A0}-\\x{118DF}\\x{1E900}-\\x{1E943}"
    "]+";

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
constexpr Rule kDeepSeekV3Rule{
    {"\\p{N}{1,3}", "[\\x{4E00}-\\x{9FA5}\\x{3040}-\\x{309F}\\x{30A0}-\\x{30FF}]+", kDeepSeekV3}};
constexpr Rule kDeepSeekCoderRule{{"[\\r\\n]", "\\s?\\p{L}+", "\\s?\\p{P}+",
                                   "[\\x{4E00}-\\x{9FA5}\\x{0800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+",
                                   "\\p{N}"}};
constexpr Rule kDeepSeekLlmRule{
    {"[\\r\\n]", kDeepSeekLetters,
     "\\s?[!-/:-~\\x{FF01}-\\x{FF0F}\\x{FF1A}-\\x{FF5E}\\x{2018}-\\x{201F}\\x{3000}-\\x{3002}]+",
     "\\s+$", "[\\x{4E00}-\\x{9FA5}\\x{0800}-\\x{4E00}\\x{AC00}-\\x{D7FF}]+", "\\p{N}+"}};

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
