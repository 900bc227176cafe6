// Every field out of its range is one error that names the field, its value and what is expected.
#include "xylem/serve/engine/sampling_params.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "xylem/runtime/test_util.h"

namespace xylem::engine {
namespace {

using runtime::error_of;

constexpr int64_t kVocabulary = 100;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Change = std::function<void(SamplingParams&)>;

void expect_refused(const Change& change, const std::string& message) {
  SamplingParams params;
  change(params);
  Error error = error_of([&] { params.validate(kVocabulary); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(error.what(), message);
}

void expect_taken(const Change& change) {
  SamplingParams params;
  change(params);
  EXPECT_NO_THROW(params.validate(kVocabulary));
}

struct Numbers {
  const char* name;
  double SamplingParams::*field;
  std::vector<double> good;
  std::vector<std::pair<double, const char*>> bad;  // with how the message writes it
  const char* expected;
};

TEST(SamplingParams, RealNumbersHaveRanges) {
  std::vector<Numbers> fields = {
      {"temperature",
       &SamplingParams::temperature,
       {0, 0.5, 100},
       {{-0.5, "-0.5"}, {100.5, "100.5"}, {kNan, "nan"}, {kInfinity, "inf"}},
       "0 to 100"},
      {"top_p",
       &SamplingParams::top_p,
       {1e-9, 0.5, 1},
       {{0, "0"}, {-1, "-1"}, {1.5, "1.5"}, {kNan, "nan"}},
       "a number above 0 and up to 1"},
      {"min_p",
       &SamplingParams::min_p,
       {0, 0.5, 1},
       {{-0.25, "-0.25"}, {1.25, "1.25"}, {kNan, "nan"}},
       "0 to 1"},
      {"repetition_penalty",
       &SamplingParams::repetition_penalty,
       {1e-3, 1, 100},
       {{0, "0"}, {-1, "-1"}, {100.5, "100.5"}, {kNan, "nan"}},
       "a number above 0 and up to 100"},
      {"presence_penalty",
       &SamplingParams::presence_penalty,
       {-2, 0, 2},
       {{-2.5, "-2.5"}, {2.5, "2.5"}, {kNan, "nan"}},
       "-2 to 2"},
      {"frequency_penalty",
       &SamplingParams::frequency_penalty,
       {-2, 0, 2},
       {{-2.5, "-2.5"}, {2.5, "2.5"}, {kNan, "nan"}},
       "-2 to 2"},
  };
  for (const Numbers& f : fields) {
    for (double value : f.good) expect_taken([&](SamplingParams& p) { p.*f.field = value; });
    for (const auto& [value, text] : f.bad) {
      expect_refused([&, v = value](SamplingParams& p) { p.*f.field = v; },
                     fmt::format("{} is {}, expected {}", f.name, text, f.expected));
    }
  }
}

TEST(SamplingParams, CountsHaveRanges) {
  for (int64_t k : {-1, 0, 1, 1000000}) expect_taken([=](SamplingParams& p) { p.top_k = k; });
  expect_refused([](SamplingParams& p) { p.top_k = -2; },
                 "top_k is -2, expected -1, 0 or a positive number");
  expect_taken([](SamplingParams& p) { p.max_tokens = 1; });
  for (int64_t n : {0, -5}) {
    expect_refused([=](SamplingParams& p) { p.max_tokens = n; },
                   fmt::format("max_tokens is {}, expected at least 1", n));
  }
  expect_taken([](SamplingParams& p) { p.min_tokens = p.max_tokens; });
  for (int64_t n : {-1, 17}) {
    expect_refused([=](SamplingParams& p) { p.min_tokens = n; },
                   fmt::format("min_tokens is {}, expected 0 to max_tokens", n));
  }
  for (int64_t n : {0, 1000}) expect_taken([=](SamplingParams& p) { p.logprobs = n; });
  for (int64_t n : {-1, 1001}) {
    expect_refused([=](SamplingParams& p) { p.logprobs = n; },
                   fmt::format("logprobs is {}, expected 0 to 1000", n));
  }
}

TEST(SamplingParams, TokensAreOfTheVocabulary) {
  expect_taken([](SamplingParams& p) { p.logit_bias = {{0, -100}, {99, 100}}; });
  expect_taken([](SamplingParams& p) { p.stop_token_ids = {0, 99}; });
  for (int32_t id : {-1, 100}) {
    expect_refused(
        [=](SamplingParams& p) {
          p.logit_bias = {{5, 1}, {id, 1}};
        },
        fmt::format("logit_bias is {}, expected token ids of the vocabulary", id));
    expect_refused(
        [=](SamplingParams& p) {
          p.stop_token_ids = {5, id};
        },
        fmt::format("stop_token_ids is {}, expected token ids of the vocabulary", id));
  }
}

TEST(SamplingParams, BiasesHaveARange) {
  for (float bias : {-100.5f, 100.5f, std::numeric_limits<float>::quiet_NaN()}) {
    expect_refused(
        [=](SamplingParams& p) {
          p.logit_bias = {{3, bias}};
        },
        fmt::format("logit_bias is {}, expected biases from -100 to 100", bias));
  }
}

TEST(SamplingParams, StopStringsAreNotEmpty) {
  expect_taken([](SamplingParams& p) { p.stop = {"a", "\n"}; });
  expect_refused(
      [](SamplingParams& p) {
        p.stop = {"a", ""};
      },
      "stop is an empty string, expected strings that are not empty");
}

TEST(SamplingParams, DefaultsAreValid) {
  expect_taken([](SamplingParams&) {});
}

}  // namespace
}  // namespace xylem::engine
