#include "xylem/serve/engine/sampler.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <unordered_map>

#include "xylem/base/error.h"

namespace xylem::engine {
namespace {

constexpr float kLowest = -std::numeric_limits<float>::infinity();

// The index of the largest value; the first of equal ones. Throws on NaN, which no order has a
// place for, and when no difference to the largest is a number.
int32_t argmax(std::span<const float> values) {
  // Blocks keep the comparison loop free of indices, so that it runs in vectors.
  constexpr size_t kBlock = 1024;
  float best = kLowest;
  size_t best_block = 0;
  for (size_t start = 0; start < values.size(); start += kBlock) {
    size_t end = std::min(values.size(), start + kBlock);
    float top = kLowest;
    bool nan = false;
    for (size_t i = start; i < end; ++i) {
      top = values[i] > top ? values[i] : top;
      nan |= values[i] != values[i];
    }
    if (nan) fail(ErrorCode::kInternal, "the model's logits are not numbers (NaN)");
    if (top > best) {
      best = top;
      best_block = start;
    }
  }
  if (!std::isfinite(best)) {
    fail(ErrorCode::kInternal, "the largest logit is {}, expected a finite number", best);
  }
  auto begin = values.begin() + static_cast<int64_t>(best_block);
  return static_cast<int32_t>(std::find(begin, values.end(), best) - values.begin());
}

double log_sum_exp(std::span<const float> values) {
  float top = values[static_cast<size_t>(argmax(values))];
  double total = 0;
  for (float v : values) total += std::exp(static_cast<double>(v - top));
  return static_cast<double>(top) + std::log(total);
}

// A uniform number in [0, 1) from the seed and the position: splitmix64 over both.
double uniform(uint64_t seed, uint64_t position) {
  auto mix = [](uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  return static_cast<double>(mix(mix(seed) ^ position) >> 11) * 0x1p-53;
}

void apply_penalties(const SamplingContext& c, std::span<float> logits) {
  const SamplingParams& p = *c.params;
  if (p.repetition_penalty == 1 && p.presence_penalty == 0 && p.frequency_penalty == 0) return;
  std::unordered_map<int32_t, int64_t> counts;  // of the output; 0 for tokens of the prompt alone
  for (int32_t id : c.prompt) counts.emplace(id, 0);
  for (int32_t id : c.output) ++counts[id];
  for (auto [id, count] : counts) {
    float& logit = logits[static_cast<size_t>(id)];
    float penalty = static_cast<float>(p.repetition_penalty);
    logit = logit > 0 ? logit / penalty : logit * penalty;
    if (count == 0) continue;
    logit -= static_cast<float>(p.frequency_penalty * static_cast<double>(count));
    logit -= static_cast<float>(p.presence_penalty);
  }
}

bool changes_logits(const SamplingContext& c) {
  const SamplingParams& p = *c.params;
  return !p.logit_bias.empty() || p.repetition_penalty != 1 || p.presence_penalty != 0 ||
         p.frequency_penalty != 0 || static_cast<int64_t>(c.output.size()) < p.min_tokens;
}

void adjust_logits(const SamplingContext& c, std::span<float> logits) {
  const SamplingParams& p = *c.params;
  for (const auto& [id, bias] : p.logit_bias) logits[static_cast<size_t>(id)] += bias;
  if (static_cast<int64_t>(c.output.size()) < p.min_tokens) {
    for (int32_t id : c.end_ids) logits[static_cast<size_t>(id)] = kLowest;
    for (int32_t id : p.stop_token_ids) logits[static_cast<size_t>(id)] = kLowest;
  }
  apply_penalties(c, logits);
}

// Candidates in falling order of logit, as many as top-k, top-p and min-p leave, and their
// probabilities (not normalised).
int32_t draw(const SamplingContext& c, std::span<const float> logits) {
  const SamplingParams& p = *c.params;
  float top = logits[static_cast<size_t>(argmax(logits))];
  std::vector<std::pair<float, int32_t>> candidates;  // (probability relative to the best, id)
  auto relative = [&](float logit) {
    return static_cast<float>(std::exp(static_cast<double>(logit - top) / p.temperature));
  };
  double floor = std::max(p.min_p, 0.0);
  for (size_t i = 0; i < logits.size(); ++i) {
    float probability = relative(logits[i]);
    if (probability > 0 && probability >= floor) {
      candidates.emplace_back(probability, static_cast<int32_t>(i));
    }
  }
  auto better = [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  };
  bool narrowed = p.top_p < 1;
  if (p.top_k > 0 && p.top_k < static_cast<int64_t>(candidates.size())) {
    std::nth_element(candidates.begin(), candidates.begin() + p.top_k, candidates.end(), better);
    candidates.resize(static_cast<size_t>(p.top_k));
    narrowed = true;
  }
  double total = 0;
  for (const auto& [probability, id] : candidates) total += static_cast<double>(probability);
  if (narrowed) std::sort(candidates.begin(), candidates.end(), better);
  if (p.top_p < 1) {  // the shortest prefix that holds top_p of the mass
    double mass = 0;
    size_t kept = 0;
    while (kept < candidates.size() && mass < p.top_p * total) {
      mass += static_cast<double>(candidates[kept++].first);
    }
    candidates.resize(kept);
    total = mass;
  }
  double target = uniform(c.seed, c.output.size()) * total;
  for (const auto& [probability, id] : candidates) {
    target -= static_cast<double>(probability);
    if (target < 0) return id;
  }
  return candidates.back().second;
}

std::vector<TokenLogprob> best_tokens(std::span<const float> logits, int64_t count, double norm) {
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  size_t n = std::min(static_cast<size_t>(count), order.size());
  auto better = [&](int32_t a, int32_t b) {
    float x = logits[static_cast<size_t>(a)], y = logits[static_cast<size_t>(b)];
    return x != y ? x > y : a < b;
  };
  std::partial_sort(order.begin(), order.begin() + static_cast<int64_t>(n), order.end(), better);
  std::vector<TokenLogprob> best;
  for (size_t i = 0; i < n; ++i) {
    double logit = static_cast<double>(logits[static_cast<size_t>(order[i])]);
    best.push_back({order[i], static_cast<float>(logit - norm)});
  }
  return best;
}

}  // namespace

SampledToken sample(std::span<const float> logits, const SamplingContext& context,
                    std::vector<float>& scratch) {
  std::span<const float> adjusted = logits;
  if (changes_logits(context)) {
    scratch.assign(logits.begin(), logits.end());
    adjust_logits(context, scratch);
    adjusted = scratch;
  }
  SampledToken token;
  token.id = context.params->temperature == 0 ? argmax(adjusted) : draw(context, adjusted);
  if (context.params->logprobs) {
    double norm = log_sum_exp(logits);
    token.logprob =
        static_cast<float>(static_cast<double>(logits[static_cast<size_t>(token.id)]) - norm);
    token.top = best_tokens(logits, *context.params->logprobs, norm);
  }
  return token;
}

}  // namespace xylem::engine
