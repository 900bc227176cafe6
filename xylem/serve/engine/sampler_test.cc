// The sampler against softmax and the penalties' definitions (vLLM's, computed here in double).
#include "xylem/serve/engine/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "xylem/runtime/test_util.h"

namespace xylem::engine {
namespace {

using runtime::contains;
using runtime::error_of;

constexpr float kInf = std::numeric_limits<float>::infinity();

using Ids = std::vector<int32_t>;
using Floats = std::vector<float>;

// What a request has beside its parameters.
struct History {
  Ids prompt = {};
  Ids output = {};
  Ids end_ids = {};
  uint64_t seed = 0;
};

SampledToken draw(const Floats& logits, const SamplingParams& params, const History& h = {}) {
  std::vector<float> scratch;
  return sample(logits, {&params, h.prompt, h.output, h.end_ids, h.seed}, scratch);
}

SamplingParams greedy() { return {.temperature = 0}; }

Floats logs(const std::vector<double>& probabilities) {
  Floats logits;
  for (double p : probabilities) logits.push_back(static_cast<float>(std::log(p)));
  return logits;
}

std::vector<double> log_softmax(const Floats& logits) {
  double total = 0;
  for (float x : logits) total += std::exp(static_cast<double>(x));
  std::vector<double> out;
  for (float x : logits) out.push_back(static_cast<double>(x) - std::log(total));
  return out;
}

// How often each token comes over many seeds.
std::vector<int64_t> frequencies(const Floats& logits, const SamplingParams& params, int draws) {
  std::vector<int64_t> counts(logits.size(), 0);
  for (int seed = 0; seed < draws; ++seed) {
    ++counts[static_cast<size_t>(draw(logits, params, {.seed = static_cast<uint64_t>(seed)}).id)];
  }
  return counts;
}

// Pearson's statistic of the counts against probabilities; tokens of probability 0 must not come.
double chi_square(const std::vector<int64_t>& counts, const std::vector<double>& probabilities) {
  double draws = 0, statistic = 0;
  for (int64_t count : counts) draws += static_cast<double>(count);
  for (size_t i = 0; i < counts.size(); ++i) {
    double expected = draws * probabilities[i];
    double off = static_cast<double>(counts[i]) - expected;
    if (expected == 0) {
      EXPECT_EQ(counts[i], 0) << "token " << i;
    } else {
      statistic += off * off / expected;
    }
  }
  return statistic;
}

// The tokens that come at all. Each that may come must have a probability of 1% or more: to miss it
// in 3000 draws has a chance below 1e-13.
std::set<int32_t> support(const Floats& logits, const SamplingParams& params) {
  std::set<int32_t> ids;
  std::vector<int64_t> counts = frequencies(logits, params, 3000);
  for (size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) ids.insert(static_cast<int32_t>(i));
  }
  return ids;
}

using Set = std::set<int32_t>;

TEST(Sampler, GreedyTakesTheLargestAndTheFirstOfEqualOnes) {
  EXPECT_EQ(draw({-3, -1, -2}, greedy()).id, 1);
  EXPECT_EQ(draw({0, 5, 1, 5}, greedy()).id, 1);
  EXPECT_EQ(draw({-kInf, -kInf, -1e30f}, greedy()).id, 2);
  EXPECT_EQ(draw({7}, greedy()).id, 0);
  for (size_t size : {1023, 1024, 1025, 5000}) {
    for (size_t at : {size_t{0}, size / 2, size - 1}) {
      Floats logits(size, -2);
      logits[at] = -1;
      EXPECT_EQ(draw(logits, greedy()).id, static_cast<int32_t>(at)) << size;
    }
  }
}

TEST(Sampler, GreedyLooksAtNoSeedAndNoFilter) {
  SamplingParams params = greedy();
  params.top_k = 1;
  params.top_p = 0.01;
  params.min_p = 1;
  for (uint64_t seed : {0u, 1u, 99u}) EXPECT_EQ(draw({1, 2, 1.5}, params, {.seed = seed}).id, 1);
}

// 60 is beyond the 1 - 1e-8 quantile of 7 degrees of freedom; a temperature off by 3% fails.
TEST(Sampler, DrawsFollowSoftmaxOfTheTemperature) {
  Floats logits = {0.5f, -1, 2, 1.25f, 0, -0.5f, 1.75f, -2};
  for (double temperature : {0.7, 1.0, 1.8}) {
    Floats scaled;
    for (float x : logits) scaled.push_back(static_cast<float>(x / temperature));
    std::vector<double> probabilities;
    for (double x : log_softmax(scaled)) probabilities.push_back(std::exp(x));
    std::vector<int64_t> counts = frequencies(logits, {.temperature = temperature}, 200000);
    EXPECT_LT(chi_square(counts, probabilities), 60) << temperature;
    EXPECT_GT(chi_square(counts, {.125, .125, .125, .125, .125, .125, .125, .125}), 1000);
  }
}

TEST(Sampler, NarrowedDrawsKeepTheProportions) {
  Floats logits = logs({0.1, 0.4, 0.2, 0.3});
  std::vector<double> expected = {0, 4.0 / 7, 0, 3.0 / 7};
  EXPECT_LT(chi_square(frequencies(logits, {.top_k = 2}, 50000), expected), 30);
  EXPECT_LT(chi_square(frequencies(logits, {.top_p = 0.65}, 50000), expected), 30);
  EXPECT_LT(chi_square(frequencies(logits, {.min_p = 0.7}, 50000), expected), 30);
}

TEST(Sampler, TinyTemperaturesAreGreedy) {
  for (double temperature : {1e-6, 1e-300, 5e-324}) {
    EXPECT_EQ(support({1, 3, 2, 2.999f}, {.temperature = temperature}), (Set{1})) << temperature;
  }
}

TEST(Sampler, HugeLogitsDoNotOverflow) {
  EXPECT_EQ(support({3e38f, -3e38f, 3e38f, -kInf}, {}), (Set{0, 2}));
}

TEST(Sampler, TopKKeepsTheKLargest) {
  Floats logits = {1, 2, 0.5f, 1.5f};
  EXPECT_EQ(support(logits, {.top_k = 1}), (Set{1}));
  EXPECT_EQ(support(logits, {.top_k = 2}), (Set{1, 3}));
  EXPECT_EQ(support(logits, {.top_k = 3}), (Set{0, 1, 3}));
  for (int64_t off : {-1, 0, 4, 1000}) {
    EXPECT_EQ(support(logits, {.top_k = off}), (Set{0, 1, 2, 3})) << off;
  }
}

TEST(Sampler, TopKTakesTheFirstOfEqualOnes) {
  EXPECT_EQ(support({1, 3, 3, 3, 0}, {.top_k = 2}), (Set{1, 2}));
  EXPECT_EQ(support({2, 2, 2, 2, 2}, {.top_k = 3}), (Set{0, 1, 2}));
}

TEST(Sampler, TopPKeepsTheShortestPrefixThatHoldsTheMass) {
  Floats logits = logs({0.125, 0.5, 0.125, 0.25});
  EXPECT_EQ(support(logits, {.top_p = 1e-9}), (Set{1}));
  EXPECT_EQ(support(logits, {.top_p = 0.5}), (Set{1}));
  EXPECT_EQ(support(logits, {.top_p = 0.51}), (Set{1, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.75}), (Set{1, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.76}), (Set{0, 1, 3}));
  EXPECT_EQ(support(logits, {.top_p = 0.9}), (Set{0, 1, 2, 3}));
  EXPECT_EQ(support(logits, {.top_p = 1}), (Set{0, 1, 2, 3}));
  EXPECT_EQ(support({0, 0, 0, 0}, {.top_p = 0.5}), (Set{0, 1}));
}

TEST(Sampler, MinPIsRelativeToTheBestToken) {
  Floats logits = logs({0.125, 0.5, 0.25, 0.125});
  EXPECT_EQ(support(logits, {.min_p = 0.24}), (Set{0, 1, 2, 3}));
  EXPECT_EQ(support(logits, {.min_p = 0.26}), (Set{1, 2}));
  EXPECT_EQ(support(logits, {.min_p = 0.51}), (Set{1}));
  EXPECT_EQ(support({1, 2, 2, 0}, {.min_p = 1}), (Set{1, 2}));
}

TEST(Sampler, FiltersComeInOrder) {
  Floats logits = logs({0.4, 0.3, 0.2, 0.1});
  EXPECT_EQ(support(logits, {.top_p = 0.5}), (Set{0, 1}));
  EXPECT_EQ(support(logits, {.top_k = 2, .top_p = 0.5}), (Set{0}));    // top-k, then top-p
  EXPECT_EQ(support(logits, {.top_p = 0.5, .min_p = 0.7}), (Set{0}));  // min-p, then top-p
  EXPECT_EQ(support(logits, {.min_p = 0.8}), (Set{0}));
  EXPECT_EQ(support(logits, {.temperature = 2, .min_p = 0.8}), (Set{0, 1}));  // temperature first
  EXPECT_EQ(support(logits, {.temperature = 0.5, .top_p = 0.5}), (Set{0}));
}

// Token 1's logit, as adjusted, lies between its neighbours among the floats: a rival just above
// wins, one just below loses.
void expect_adjusted(float logit, SamplingParams params, const History& history, float expected) {
  params.temperature = 0;
  for (bool above : {false, true}) {
    float rival = std::nextafter(expected, above ? kInf : -kInf);
    EXPECT_EQ(draw({-1e30f, logit, -1e30f, rival}, params, history).id, above ? 3 : 1)
        << "logit " << logit << ", expected " << expected;
  }
}

TEST(Sampler, RepetitionPenaltyDividesPositiveAndMultipliesNegativeLogits) {
  SamplingParams params = {.repetition_penalty = 1.25};
  for (const History& seen : {History{.prompt = {1}}, History{.output = {1}},
                              History{.prompt = {1, 2, 1}, .output = {1, 1}}}) {
    expect_adjusted(3, params, seen, 3 / 1.25f);
    expect_adjusted(-3, params, seen, -3 * 1.25f);
    expect_adjusted(0, params, seen, 0);
  }
  expect_adjusted(3, params, {.prompt = {0, 2}, .output = {2}}, 3);
  expect_adjusted(3, {.repetition_penalty = 0.5}, {.prompt = {1}}, 6);
}

TEST(Sampler, PresencePenaltyCountsTheOutputOnce) {
  SamplingParams params = {.presence_penalty = 0.75};
  expect_adjusted(2, params, {.output = {1}}, 1.25f);
  expect_adjusted(2, params, {.output = {1, 1, 2, 1}}, 1.25f);
  expect_adjusted(2, params, {.prompt = {1, 1}, .output = {2}}, 2);
  expect_adjusted(2, {.presence_penalty = -2}, {.output = {1}}, 4);
}

TEST(Sampler, FrequencyPenaltyCountsTheOutputEachTime) {
  SamplingParams params = {.frequency_penalty = 0.75};
  expect_adjusted(2, params, {.output = {1}}, 1.25f);
  expect_adjusted(2, params, {.output = {1, 1, 2, 1}}, -0.25f);
  expect_adjusted(2, params, {.prompt = {1, 1}, .output = {2}}, 2);
  expect_adjusted(2, {.frequency_penalty = -0.5}, {.output = {1, 1}}, 3);
}

TEST(Sampler, BiasComesBeforeThePenaltiesAndRepetitionBeforeTheOthers) {
  SamplingParams params = {.repetition_penalty = 2, .logit_bias = {{1, 4}}};
  expect_adjusted(-1, params, {.prompt = {1}}, 1.5f);
  params.presence_penalty = 0.25;
  params.frequency_penalty = 0.5;
  expect_adjusted(-1, params, {.prompt = {1}, .output = {1, 1, 1}}, 1.5f - 1.5f - 0.25f);
}

TEST(Sampler, LogitBiasMovesTokens) {
  SamplingParams params = {.logit_bias = {{0, 100}, {2, -100}}};
  EXPECT_EQ(support({0, 1, 2, 3}, params), (Set{0}));
  params.logit_bias = {{3, -100}};
  EXPECT_EQ(support({0, 1, 0, 3}, params), (Set{0, 1, 2}));
  expect_adjusted(1, {.logit_bias = {{1, -2.5f}}}, {}, -1.5f);
}

TEST(Sampler, NothingEndsBeforeMinTokens) {
  SamplingParams params = {.temperature = 0, .min_tokens = 2, .stop_token_ids = {2}};
  Floats logits = {5, 1, 4, 3};
  EXPECT_EQ(draw(logits, params, {.end_ids = {0}}).id, 3);
  EXPECT_EQ(draw(logits, params, {.output = {1}, .end_ids = {0}}).id, 3);
  EXPECT_EQ(draw(logits, params, {.output = {1, 1}, .end_ids = {0}}).id, 0);
  EXPECT_EQ(draw(logits, params, {.output = {1, 1}}).id, 0);
  params.logit_bias = {{2, 100}};
  EXPECT_EQ(draw(logits, params, {.end_ids = {0}}).id, 3);
  EXPECT_EQ(draw(logits, params, {.output = {1, 1}, .end_ids = {0}}).id, 2);
  params = {.temperature = 1, .min_tokens = 1, .stop_token_ids = {2, 3}};
  EXPECT_EQ(support({9, 0, 0, 0}, params), (Set{0}));
  EXPECT_EQ(support({0, 0, 9, 0}, params), (Set{0, 1}));
}

TEST(Sampler, TheSeedAndThePositionAloneDecide) {
  Floats logits(50, 0);
  std::vector<float> used(7, 42);  // scratch that other requests left
  SamplingParams params = {.frequency_penalty = 1e-9};
  for (uint64_t seed : {0ull, 7ull, ~0ull}) {
    for (size_t length : {0, 1, 5}) {
      Ids ones(length, 1), twos(length, 2);
      SampledToken first = draw(logits, params, {.output = ones, .seed = seed});
      EXPECT_EQ(sample(logits, {&params, {}, twos, {}, seed}, used).id, first.id);
    }
  }
}

// Pairs of draws fill a table of 8 times 8 evenly. 140 is beyond the 1 - 1e-7 quantile of 63
// degrees of freedom; draws that depend on each other leave cells empty.
double pairs_chi_square(uint64_t seed_step, size_t position_step) {
  Floats logits(8, 0);
  std::vector<int64_t> counts(64, 0);
  std::vector<int32_t> output(200, 0);
  auto at = [&](uint64_t seed, size_t position) {
    SamplingParams params;
    std::vector<float> scratch;
    return sample(logits, {&params, {}, std::span(output).first(position), {}, seed}, scratch).id;
  };
  for (uint64_t seed = 0; seed < 200; ++seed) {
    for (size_t position = 0; position < 199; ++position) {
      int32_t a = at(seed, position), b = at(seed + seed_step, position + position_step);
      ++counts[static_cast<size_t>(8 * a + b)];
    }
  }
  return chi_square(counts, std::vector<double>(64, 1.0 / 64));
}

TEST(Sampler, SeedsAndPositionsAreIndependent) {
  EXPECT_LT(pairs_chi_square(0, 1), 140);
  EXPECT_LT(pairs_chi_square(1, 0), 140);
  EXPECT_LT(pairs_chi_square(uint64_t{1} << 63, 0), 140);
  EXPECT_GT(pairs_chi_square(0, 0), 10000);
}

TEST(Sampler, LogprobsAreTheLogSoftmaxOfTheRawLogits) {
  Floats logits = {0.5f, -3, 2, 1.25f, -kInf, 2, 11.5f, 11.25f};
  SamplingParams params = {.temperature = 0.5,
                           .top_k = 3,
                           .frequency_penalty = 1,
                           .logit_bias = {{1, 50}},
                           .logprobs = 5};
  std::vector<double> expected = log_softmax(logits);
  SampledToken token = draw(logits, params, {.output = {6}});
  EXPECT_EQ(token.id, 1);  // by its bias, which the log-probabilities do not see
  EXPECT_NEAR(token.logprob, expected[1], 1e-6);
  ASSERT_EQ(token.top.size(), 5u);
  Ids order = {6, 7, 2, 5, 3};
  for (size_t i = 0; i < order.size(); ++i) {
    EXPECT_EQ(token.top[i].id, order[i]);
    EXPECT_NEAR(token.top[i].logprob, expected[static_cast<size_t>(order[i])], 1e-6);
  }
}

TEST(Sampler, AsManyLogprobsAsAsked) {
  Floats logits = {0, 3, 1};
  SamplingParams params = greedy();
  EXPECT_TRUE(draw(logits, params).top.empty());
  params.logprobs = 0;
  EXPECT_TRUE(draw(logits, params).top.empty());
  EXPECT_NEAR(draw(logits, params).logprob, log_softmax(logits)[1], 1e-6);
  params.logprobs = 1000;
  EXPECT_EQ(draw(logits, params).top.size(), 3u);
}

// Every way of sampling refuses; none gives a token.
void expect_refused(const Floats& logits, const char* text, const History& history = {},
                    std::vector<SamplingParams> ways = {}) {
  if (ways.empty()) ways = {greedy(), {}, {.top_k = 2}, {.top_p = 0.5}, {.min_p = 0.1}};
  for (const SamplingParams& params : ways) {
    Error error = error_of([&] { draw(logits, params, history); });
    EXPECT_EQ(error.code(), ErrorCode::kInternal);
    EXPECT_TRUE(contains(error.what(), text)) << error.what();
  }
}

TEST(Sampler, RefusesLogitsThatAreNoNumbers) {
  for (size_t at : {0, 1, 1023, 1024, 2999}) {
    Floats logits(3000, 1);
    logits[at] = std::numeric_limits<float>::quiet_NaN();
    expect_refused(logits, "NaN");
  }
}

TEST(Sampler, RefusesLogitsOfWhichNoneIsFinite) {
  expect_refused({-kInf, -kInf, -kInf}, "the largest logit is -inf");
  expect_refused({1, kInf, 2}, "the largest logit is inf");
  expect_refused({1, -kInf}, "the largest logit is -inf", {.end_ids = {0}},
                 {{.temperature = 0, .min_tokens = 1}, {.min_tokens = 1}});
}

}  // namespace
}  // namespace xylem::engine
