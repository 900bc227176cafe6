#include "xylem/io/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "xylem/base/file.h"
#include "xylem/io/hf_config.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

using nlohmann::json;

TEST(Json, ReadsAsPythonDoes) {
  EXPECT_EQ(parse_json(R"({"a": 1, "a": 2})", "x")["a"], 2);
  json floats = parse_json(R"([NaN, Infinity, -Infinity, -1, "NaN", "a\"Infinity"])", "x");
  EXPECT_EQ(floats, json::parse(R"([null, null, null, -1, "NaN", "a\"Infinity"])"));
}

TEST(Json, ErrorsNameTheFileAndThePlace) {
  auto refused = [](std::string_view text, std::string_view message) {
    expect_error([&] { parse_json(text, "config.json"); }, ErrorCode::kInvalidArgument, message);
  };
  refused("", "config.json is not valid JSON at line 1, column 1");
  refused("{\n  \"a\": tru\n}", "config.json is not valid JSON at line 2, column 11");
  refused("[1, 2", "column 6");
  refused("\"\xff\"", "not valid JSON");
  refused("[1e999]", "not valid JSON: ");
  refused("\"abc", "not valid JSON");
  refused("\"abc\\", "not valid JSON");
  refused("{} {}", "not valid JSON");
  try {
    parse_json("\"" + std::string(100000, 'a') + "\n", "long");
    FAIL();
  } catch (const Error& e) {
    EXPECT_LT(std::string(e.what()).size(), 300u);
  }
}

TEST(Json, BoundsDepthAndSize) {
  EXPECT_NO_THROW(parse_json(std::string(64, '[') + std::string(64, ']'), "x"));
  expect_error([] { parse_json(std::string(1000000, '['), "deep"); }, ErrorCode::kInvalidArgument,
               "deep nests more than 64 deep at line 1, column 65");
  EXPECT_NO_THROW(parse_json("\"" + std::string(100, '[') + "\"", "x"));
  expect_error([] { parse_json("[1,2,3]", "big", {.max_bytes = 6}); }, ErrorCode::kInvalidArgument,
               "big has 7 bytes of JSON, expected at most 6");
  TempFolder folder;
  write_file_atomic(folder.file("big"), "[1,2,3]");
  expect_error([&] { read_json_file(folder.file("big"), {.max_bytes = 6}); },
               ErrorCode::kInvalidArgument, "has 7 bytes");
}

HfConfig config() {
  return HfConfig::from(parse_json(R"({"n": 7, "negative": -1, "whole": 10000.0, "half": 0.5,
      "huge": 18446744073709551615, "yes": true, "text": "abc", "none": null,
      "ints": [1, 2], "floats": [1, 0.5], "texts": ["a"], "mixed": [1, "a"],
      "scaling": {"factor": 8.0, "inner": {"k": "v"}}})",
                                   "config.json"),
                        "config.json");
}

TEST(HfConfig, ReadsTypedKeys) {
  HfConfig c = config();
  EXPECT_EQ(c.int_key("n"), 7);
  EXPECT_EQ(c.int_key("whole"), 10000);
  EXPECT_EQ(c.float_key("n"), 7.0);
  EXPECT_EQ(c.float_key("half"), 0.5);
  EXPECT_TRUE(c.bool_key("yes"));
  EXPECT_EQ(c.string_key("text"), "abc");
  EXPECT_EQ(c.ints_key("ints"), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(c.floats_key("floats"), (std::vector<double>{1, 0.5}));
  EXPECT_EQ(c.strings_key("texts"), (std::vector<std::string>{"a"}));
  EXPECT_EQ(c.int_key_or("none", 3), 3);
  EXPECT_EQ(c.int_key_or("n", 3), 7);
  EXPECT_EQ(c.float_key_or("absent", 1.5), 1.5);
  EXPECT_EQ(c.string_key_or("absent", "d"), "d");
  EXPECT_TRUE(c.bool_key_or("absent", true));
  EXPECT_FALSE(c.has("none"));
  EXPECT_FALSE(c.object_key("absent"));
  // The inner object outlives the outer ones.
  HfConfig inner = *config().object_key("scaling")->object_key("inner");
  EXPECT_EQ(inner.string_key("k"), "v");
}

TEST(HfConfig, ErrorsNameFileKeyAndExpectation) {
  HfConfig c = config();
  auto refused = [](auto action, std::string_view message) {
    expect_error(action, ErrorCode::kInvalidArgument, message);
  };
  expect_error([&] { c.int_key("absent"); }, ErrorCode::kNotFound,
               "config.json has no key 'absent'");
  expect_error([&] { c.int_key("none"); }, ErrorCode::kNotFound, "has no key 'none'");
  refused(
      [&] {
        c.int_key("negative", {0, 100});
      },
      "config.json: key 'negative' is -1, expected an integer from 0 to 100");
  refused([&] { c.int_key("n", {8, 100}); }, "key 'n' is 7");
  refused([&] { c.int_key("half"); }, "key 'half' is 0.5, expected an integer");
  refused([&] { c.int_key("huge"); }, "expected an integer");
  refused([&] { c.int_key("text"); }, "key 'text' is \"abc\", expected an integer");
  refused([&] { c.float_key("text"); }, "expected a number");
  refused([&] { c.bool_key("n"); }, "expected true or false");
  refused([&] { c.string_key("n"); }, "expected a string");
  refused([&] { c.ints_key("mixed"); }, "expected an integer");
  refused([&] { c.ints_key("n"); }, "expected an array of integers");
  refused([&] { c.floats_key("mixed"); }, "expected an array of numbers");
  refused([&] { c.strings_key("mixed"); }, "expected an array of strings");
  refused([&] { c.object_key("n"); }, "key 'n' is 7, expected an object");
  refused([&] { c.int_key_or("text", 1); }, "expected an integer");
  refused([&] { c.object_key("scaling")->string_key("factor"); },
          "config.json: scaling: key 'factor' is 8.0, expected a string");
  refused([&] { HfConfig::from(parse_json("[]", "x"), "x"); }, "x holds array, expected a JSON");
}

}  // namespace
}  // namespace xylem::io
