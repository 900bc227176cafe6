// Whole tokenizers against the tokenizers library's own output (scripts/make_tokenizer_cases.py,
// and the wider files of ../shared/reference where they stand beside the checkout).
#include "xylem/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "xylem/base/file.h"
#include "xylem/text/tokenize/gguf_splits.h"

namespace xylem::text {
namespace {

using Ids = std::vector<int32_t>;
using nlohmann::json;

const std::string kData = XYLEM_SOURCE_DIR "/tests/data/text/";
const std::string kShared = XYLEM_SOURCE_DIR "/../shared/reference/";
const std::string kSmolLm2 = XYLEM_SOURCE_DIR "/.deps/models/smollm2.gguf";

std::vector<json> read_lines(const std::string& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(json::parse(line));
  return lines;
}

std::string stream_decode(const Tokenizer& tokenizer, const Ids& ids, bool skip_special) {
  StreamDecoder stream(tokenizer, skip_special);
  std::string text;
  for (const int32_t id : ids) text += stream.push(id);
  return text + stream.finish();
}

// A row of a file; gtest prints its name alone.
struct Row {
  json value;
  friend void PrintTo(const Row& row, std::ostream* out) {
    *out << row.value.value("name", row.value.value("rule", ""));
  }
};

std::vector<Row> read_rows(const std::string& path) {
  std::vector<Row> rows;
  for (json& line : read_lines(path)) rows.push_back({std::move(line)});
  return rows;
}

std::string row_name(const testing::TestParamInfo<Row>& info) {
  std::string name = testing::PrintToString(info.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class TokenizerCases : public testing::TestWithParam<Row> {};

TEST_P(TokenizerCases, AgreeWithTheTokenizersLibrary) {
  const auto tokenizer = Tokenizer::from_json(GetParam().value["tokenizer"].dump(), "test.json");
  for (const json& row : GetParam().value["cases"]) {
    const std::string text = row[0];
    SCOPED_TRACE(row[0].dump());
    EXPECT_EQ(tokenizer->encode(text, false), row[1].get<Ids>());
    const Ids special = tokenizer->encode(text, true);
    EXPECT_EQ(special, row[2].get<Ids>());
    EXPECT_EQ(tokenizer->encode(text, false, /*parse_special=*/false), row[3].get<Ids>());
    EXPECT_EQ(tokenizer->decode(special), row[4].get<std::string>());
    EXPECT_EQ(tokenizer->decode(special, true), row[5].get<std::string>());
    EXPECT_EQ(stream_decode(*tokenizer, special, false), row[4].get<std::string>());
    EXPECT_EQ(stream_decode(*tokenizer, special, true), row[5].get<std::string>());
  }
}

INSTANTIATE_TEST_SUITE_P(Small, TokenizerCases,
                         testing::ValuesIn(read_rows(kData + "tokenizers.jsonl")), row_name);

class GgufSplits : public testing::TestWithParam<Row> {};

TEST_P(GgufSplits, CutWhereTheTokenizersLibraryCuts) {
  const GgufSplit split = make_gguf_split(GetParam().value["rule"].get<std::string>(), "test.gguf");
  split.pre_tokenizer->emit_bytes();
  RegexScratch scratch;
  PreTokens words;
  for (const json& row : GetParam().value["cuts"]) {
    const std::string text = row[0];
    words.reset(text);
    split.pre_tokenizer->split(words, scratch);
    std::vector<uint32_t> ends;
    for (const Span& span : words.spans()) ends.push_back(span.end);
    if (text.empty()) ends.clear();
    EXPECT_EQ(ends, row[1].get<std::vector<uint32_t>>()) << row[0].dump();
  }
}

INSTANTIATE_TEST_SUITE_P(Rules, GgufSplits, testing::ValuesIn(read_rows(kData + "splits.jsonl")),
                         row_name);

class SmolLm2 : public testing::Test {
 protected:
  static const Tokenizer& tokenizer() {
    static const auto instance = Tokenizer::from_gguf(*io::GgufFile::open(kSmolLm2));
    return *instance;
  }
};

TEST_F(SmolLm2, EncodesAsTheTokenizersLibrary) {
  const std::vector<json> rows = read_lines(kData + "smollm2.jsonl");
  ASSERT_FALSE(rows.empty());
  for (const json& row : rows) {
    const Ids ids = tokenizer().encode(row["text"].get<std::string>(), false);
    EXPECT_EQ(ids, row["ids"].get<Ids>()) << row["text"].dump();
    EXPECT_EQ(stream_decode(tokenizer(), ids, false), tokenizer().decode(ids));
  }
}

TEST_F(SmolLm2, KnowsItsSpecialTokens) {
  EXPECT_EQ(tokenizer().vocab_size(), 49152);
  EXPECT_EQ(tokenizer().bos_id(), 1);
  EXPECT_EQ(tokenizer().eos_ids(), Ids({2}));
  EXPECT_EQ(tokenizer().token_id("<|im_end|>"), 2);
  EXPECT_EQ(tokenizer().token_id("no such token"), std::nullopt);
  EXPECT_TRUE(tokenizer().is_special(2));
  EXPECT_FALSE(tokenizer().is_special(100));
  EXPECT_EQ(tokenizer().token_text(253), "Ġa");
  EXPECT_EQ(tokenizer().token_bytes(253), " a");
  EXPECT_THROW(tokenizer().token_bytes(49152), Error);
  EXPECT_THROW(tokenizer().is_special(-1), Error);
}

TEST_F(SmolLm2, StreamsWholeCharacters) {
  const std::string text = "😀 naïve 你好 🏳️‍🌈";
  StreamDecoder stream(tokenizer());
  std::string joined;
  for (const int32_t id : tokenizer().encode(text, false)) {
    const std::string piece = stream.push(id);
    EXPECT_NO_THROW(json(piece).dump()) << "half a character";
    joined += piece;
  }
  EXPECT_EQ(joined + stream.finish(), text);
}

TEST_F(SmolLm2, DecodesACutCharacterAsOneReplacement) {
  Ids ids = tokenizer().encode("a𝟙", false);
  ids.pop_back();
  EXPECT_EQ(tokenizer().decode(ids), "a\uFFFD");
  EXPECT_EQ(stream_decode(tokenizer(), ids, true), "a\uFFFD");
}

TEST_F(SmolLm2, PassesOverIdsOutsideTheVocabulary) {
  const Ids ids = {-1, 253, 49152, 2000000000};
  EXPECT_EQ(tokenizer().decode(ids), " a");
  EXPECT_EQ(stream_decode(tokenizer(), ids, true), " a");
}

TEST_F(SmolLm2, TakesInvalidUtf8AsReplacementCharacters) {
  EXPECT_EQ(tokenizer().encode("a\xff\xe2\x82z\xf0\x9f", false),
            tokenizer().encode("a\uFFFD\uFFFDz\uFFFD", false));
}

TEST_F(SmolLm2, GivesTheSameIdsFromManyThreads) {
  const std::string text = read_file(kData + "smollm2.jsonl");
  const Ids expected = tokenizer().encode(text, false);
  std::vector<std::thread> threads;
  std::vector<Ids> results(8);
  for (Ids& result : results) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) result = tokenizer().encode(text, false);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Ids& result : results) EXPECT_EQ(result, expected);
}

// Megabytes without a space make one word; any quadratic step would take minutes here.
TEST_F(SmolLm2, EncodesHugeWordsInBoundedTime) {
  for (const char* unit : {"a", " ", "\n", "1", "=", "ab", "é", "字", "!A"}) {
    std::string text;
    while (text.size() < 1'000'000) text += unit;
    const Ids ids = tokenizer().encode(text, false);
    EXPECT_EQ(tokenizer().decode(ids), text) << unit;
  }
}

TEST(SharedReferences, AgreeForSmolLm2) {
  const std::string path = kShared + "tokenizers/smollm2.jsonl";
  if (!std::filesystem::exists(path)) return;  // smollm2.jsonl in tests/data covers a part
  const auto tokenizer = Tokenizer::from_gguf(*io::GgufFile::open(kSmolLm2));
  std::vector<json> rows = read_lines(path);
  rows.erase(rows.begin());  // the header
  for (const json& row : rows) {
    const std::string text = row["text"];
    const Ids ids = tokenizer->encode(text, false);
    EXPECT_EQ(ids, row["ids"].get<Ids>()) << row["text"].dump();
    EXPECT_EQ(tokenizer->encode(text, true), row.value("ids_special", row["ids"]).get<Ids>());
    EXPECT_EQ(tokenizer->decode(ids), row.value("decoded", text));
    EXPECT_EQ(stream_decode(*tokenizer, ids, false), row.value("decoded", text));
  }
}

TEST(SharedReferences, AgreeForTinyModels) {
  if (!std::filesystem::exists(kShared + "tiny")) return;  // tokenizers.jsonl covers their kinds
  for (const auto& family : std::filesystem::directory_iterator(kShared + "tiny")) {
    const json reference = json::parse(read_file(family.path() / "reference.json"));
    const auto tokenizer = Tokenizer::from_folder(family.path());
    EXPECT_EQ(tokenizer->token_id("<bos>"), tokenizer->bos_id()) << family.path();
    EXPECT_FALSE(tokenizer->eos_ids().empty()) << family.path();
    for (const json& row : reference["cases"]) {
      const Ids prompt = row["prompt_ids"];
      // Ids from 500 are placeholders of pictures and sound, put in after tokenising.
      if (*std::max_element(prompt.begin(), prompt.end()) >= 500) continue;
      EXPECT_EQ(tokenizer->encode(row["text"].get<std::string>(), true), prompt) << family.path();
    }
  }
}

}  // namespace
}  // namespace xylem::text
