// Broken and hostile tokenizer files: each is one Error that says what is wrong.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "xylem/base/error.h"
#include "xylem/text/tokenizer.h"

namespace xylem::text {
namespace {

using nlohmann::json;

json small_tokenizer() {
  return {{"added_tokens", json::array()},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"ab", 2}}},
            {"merges", json::array({"a b"})}}}};
}

std::string error_of(const std::string& text, ErrorCode code) {
  try {
    Tokenizer::from_json(text, "t.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  ADD_FAILURE() << "no error for " << text;
  return "";
}

// Applies an RFC 7386 patch to the small tokenizer and expects an error that holds `part`.
void expect_error(const json& patch, const std::string& part,
                  ErrorCode code = ErrorCode::kInvalidArgument) {
  json tokenizer = small_tokenizer();
  tokenizer.merge_patch(patch);
  const std::string message = error_of(tokenizer.dump(), code);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_EQ(message.find("t.json"), 0) << message;
}

json model(const json& fields) { return {{"model", fields}}; }

TEST(TokenizerErrors, TheSmallTokenizerItselfIsFine) {
  const auto tokenizer = Tokenizer::from_json(small_tokenizer().dump(), "t.json");
  EXPECT_EQ(tokenizer->encode("abba", false), std::vector<int32_t>({2, 1, 0}));
  EXPECT_EQ(tokenizer->vocab_size(), 3);
}

TEST(TokenizerErrors, NameTheBrokenPlace) {
  error_of("", ErrorCode::kInvalidArgument);
  error_of("{", ErrorCode::kInvalidArgument);
  EXPECT_EQ(error_of("[]", ErrorCode::kInvalidArgument),
            "t.json: found array, expected an object with 'model'");
  expect_error({{"model", nullptr}}, "the field 'model' is missing");
  expect_error(model({{"merges", nullptr}}), "the field 'merges' is missing");
  expect_error(model({{"merges", "x"}}), "'merges' is string, expected an array");
  expect_error(model({{"vocab", nullptr}}), "the field 'vocab' is missing");
  expect_error(model({{"vocab", 3}}), "vocab is number, expected an object");
}

TEST(TokenizerErrors, RefuseBadVocabularies) {
  expect_error(model({{"vocab", {{"c", -1}}}}), "vocab['c'] is -1");
  expect_error(model({{"vocab", {{"c", 1.5}}}}), "vocab['c'] is 1.5");
  expect_error(model({{"vocab", {{"c", "x"}}}}), "expected an integer");
  expect_error(model({{"vocab", {{"c", 2000000000}}}}), "out of range");
  expect_error(model({{"vocab", {{"c", 4294967297}}}}), "vocab['c'] is 4294967297");
  expect_error(model({{"vocab", {{"c", 1}}}}), "both have id 1");
}

TEST(TokenizerErrors, RefuseBadMerges) {
  expect_error(model({{"merges", {"a c"}}}), "merges[0] needs the token 'c'");
  expect_error(model({{"merges", {"a b", "b a"}}}), "merges[1] needs the token 'ba'");
  expect_error(model({{"merges", {"ab"}}}), "merges[0] is no pair");
  expect_error(model({{"merges", {"a b c"}}}), "merges[0] is no pair");
  expect_error(model({{"merges", json::array({json::array({"a"})})}}), "merges[0] is no pair");
  expect_error(model({{"merges", {7}}}), "merges[0] is no pair");
}

TEST(TokenizerErrors, NameUnknownTypes) {
  const auto unknown = ErrorCode::kUnimplemented;
  expect_error(model({{"type", "Unigram"}}), "model: the type 'Unigram' is not supported", unknown);
  expect_error({{"normalizer", {{"type", "Nmt"}}}}, "normalizer: the type 'Nmt'", unknown);
  expect_error({{"pre_tokenizer", {{"type", "Bert"}}}}, "pre_tokenizer: the type 'Bert'", unknown);
  expect_error({{"post_processor", {{"type", "X"}}}}, "post_processor: the type 'X'", unknown);
  expect_error({{"decoder", {{"type", "CTC"}}}}, "decoder: the type 'CTC'", unknown);
  expect_error({{"decoder", {{"type", nullptr}}}}, "the field 'type' is missing");
  expect_error(model({{"dropout", 0.1}}), "dropout", unknown);
  expect_error(model({{"end_of_word_suffix", "</w>"}}), "end_of_word_suffix", unknown);
}

json split(const std::string& regex) {
  return {{"pre_tokenizer",
           {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}}}};
}

TEST(TokenizerErrors, RefuseBadPatterns) {
  expect_error(split("("), "'(' does not compile");
  expect_error(split("[a"), "does not compile");
  expect_error(split("\\p{Nonsense}"), "does not compile");
  expect_error(split("[a&&b]"), "intersection", ErrorCode::kUnimplemented);
  expect_error(split("a\\C"), "does not compile");
  expect_error(split(std::string(70'000, 'a')), "70000 bytes");
  expect_error(split("((a{1,500}){1,500}){1,500}"), "does not compile");
  expect_error(
      {{"pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "x"}}}},
      "the behavior 'x' is unknown");
}

TEST(TokenizerErrors, StopPatternsThatExplode) {
  json tokenizer = small_tokenizer();
  tokenizer.merge_patch(split("(a+)+(a+)+(a+)+$"));
  const auto loaded = Tokenizer::from_json(tokenizer.dump(), "t.json");
  EXPECT_THROW(loaded->encode(std::string(5000, 'a') + "c", false), Error);
}

json added(const json& token) { return {{"added_tokens", json::array({token})}}; }

TEST(TokenizerErrors, RefuseBadAddedTokens) {
  expect_error({{"added_tokens", 3}}, "'added_tokens' is number, expected an array");
  expect_error(added("x"), "added_tokens[0]");
  expect_error(added({{"content", "x"}}), "the field 'id' is missing");
  expect_error(added({{"id", 2000000000}, {"content", "x"}}), "out of range");
  expect_error(added({{"id", 1}, {"content", "x"}}), "as has the model's token 'b'");
  expect_error({{"added_tokens", {{{"id", 3}, {"content", "x"}}, {{"id", 3}, {"content", "y"}}}}},
               "as has 'x'");
  expect_error(added({{"id", 3}, {"content", "x"}, {"special", "no"}}), "expected true or false");
  json tokenizer = small_tokenizer();
  tokenizer.merge_patch(added({{"id", 3}, {"content", std::string(600, 'x')}}));
  EXPECT_THROW(Tokenizer::from_json(tokenizer.dump(), "t.json"), Error);
}

TEST(TokenizerErrors, AnAddedTokenOfTheVocabularyHasItsId) {
  json tokenizer = small_tokenizer();
  tokenizer.merge_patch(added({{"id", 5}, {"content", "b"}}));
  const auto loaded = Tokenizer::from_json(tokenizer.dump(), "t.json");
  EXPECT_EQ(loaded->encode("ab", false), std::vector<int32_t>({0, 1}));
}

TEST(TokenizerErrors, RefuseBadTemplates) {
  const auto processor = [](const json& single, const json& tokens) -> json {
    return {{"post_processor",
             {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", tokens}}}};
  };
  const json text = {{"Sequence", {{"id", "A"}}}};
  const json begin = {{"SpecialToken", {{"id", "<s>"}}}};
  expect_error(processor(json::array({begin}), {{"<s>", {{"ids", {0}}}}}), "lacks the sequence A");
  expect_error(processor({begin, text}, json::object()), "the field '<s>' is missing");
  expect_error(processor({begin, text}, {{"<s>", {{"ids", {9}}}}}), "token 9 is outside");
  expect_error(processor({text, text}, json::object()), "sequence A once");
}

TEST(TokenizerErrors, BoundTextsThatNormalisersMultiply) {
  json steps = json::array();
  for (int i = 0; i < 12; ++i) {
    steps.push_back({{"type", "Replace"}, {"pattern", {{"String", "a"}}}, {"content", "aaaaaaaa"}});
  }
  json tokenizer = small_tokenizer();
  tokenizer["normalizer"] = {{"type", "Sequence"}, {"normalizers", steps}};
  const auto loaded = Tokenizer::from_json(tokenizer.dump(), "t.json");
  EXPECT_THROW(loaded->encode("aaaa", false), Error);
}

json replace(const std::string& pattern, const std::string& content) {
  return {{"type", "Replace"}, {"pattern", {{"String", pattern}}}, {"content", content}};
}

TEST(TokenizerErrors, BoundAddedTokensThatNormalisersMultiply) {
  json tokenizer = small_tokenizer();
  tokenizer["normalizer"] = replace("x", std::string(1000, 'x'));
  for (int id = 3; id < 6; ++id) {
    tokenizer["added_tokens"].push_back({{"id", id},
                                         {"content", std::string(100, 'x') + std::to_string(id)},
                                         {"normalized", true}});
  }
  error_of(tokenizer.dump(), ErrorCode::kResourceExhausted);
}

TEST(TokenizerErrors, BoundTokensThatDecodersMultiply) {
  const auto exhausted = ErrorCode::kResourceExhausted;
  expect_error({{"decoder", replace("a", std::string(100, 'a'))}}, "times longer", exhausted);
  json steps = json::array();
  for (int i = 0; i < 100; ++i) steps.push_back(replace("a", "aa"));
  expect_error({{"decoder", {{"type", "Sequence"}, {"decoders", steps}}}}, "times longer",
               exhausted);
}

TEST(TokenizerErrors, BoundTheTokensThatPostProcessorsAdd) {
  json single = json::array({{{"Sequence", {{"id", "A"}}}}});
  for (int i = 0; i < 100; ++i) single.push_back({{"SpecialToken", {{"id", "s"}}}});
  const json processor = {{"type", "TemplateProcessing"},
                          {"single", single},
                          {"special_tokens", {{"s", {{"ids", std::vector<int>(100, 0)}}}}}};
  expect_error({{"post_processor", processor}}, "adds over", ErrorCode::kResourceExhausted);

  single.erase(single.begin() + 11, single.end());  // 1000 tokens, within the bound
  json one = processor;
  one["single"] = single;
  const json two = {{"type", "Sequence"}, {"processors", {one, one}}};
  expect_error({{"post_processor", two}}, "adds over", ErrorCode::kResourceExhausted);
}

TEST(TokenizerErrors, BoundTheNumberOfParts) {
  json steps = json::array();
  for (int i = 0; i < 1000; ++i) steps.push_back({{"type", "Digits"}});
  expect_error({{"pre_tokenizer", {{"type", "Sequence"}, {"pretokenizers", steps}}}}, "parts",
               ErrorCode::kResourceExhausted);
}

TEST(TokenizerErrors, AWordOfNoTokensIsCached) {
  const auto loaded = Tokenizer::from_json(small_tokenizer().dump(), "t.json");
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(loaded->encode("c", false).empty());
}

// Each space token takes the spaces behind it, as in the tokenizers library: quadratic unless the
// stretch is read once.
TEST(TokenizerErrors, ALongRunOfStrippedSpaceIsReadOnce) {
  json tokenizer = small_tokenizer();
  tokenizer.merge_patch(added({{"id", 3}, {"content", " "}, {"rstrip", true}}));
  const auto loaded = Tokenizer::from_json(tokenizer.dump(), "t.json");
  constexpr size_t kSpaces = 1'000'000;
  const std::vector<int32_t> ids = loaded->encode(std::string(kSpaces, ' ') + "a", false);
  EXPECT_EQ(ids.size(), kSpaces + 1);
  EXPECT_EQ(ids.back(), 0);
}

TEST(TokenizerErrors, BoundNesting) {
  std::string text = R"({"model":{"type":"BPE","vocab":{},"merges":[]},"normalizer":)";
  std::string end = "}";
  for (int i = 0; i < 10'000; ++i) {
    text += R"({"type":"Sequence","normalizers":[)";
    end += "]}";
  }
  error_of(text + end, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace xylem::text
