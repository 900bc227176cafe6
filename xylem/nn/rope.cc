#include "xylem/nn/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "xylem/base/error.h"
#include "xylem/core/array.h"

namespace xylem::nn {
namespace {

using std::numbers::pi;

// Meta's Llama 3.1 rule: long wavelengths are stretched, short ones kept, those between blended.
void scale_llama3(const RopeConfig& config, std::vector<double>& frequencies) {
  double original = static_cast<double>(config.original_max_position_embeddings);
  for (double& f : frequencies) {
    double wavelength = 2 * pi / f;
    if (wavelength > original / config.low_freq_factor) {
      f /= config.factor;
    } else if (wavelength >= original / config.high_freq_factor) {
      double smooth = (original / wavelength - config.low_freq_factor) /
                      (config.high_freq_factor - config.low_freq_factor);
      f = (1 - smooth) * f / config.factor + smooth * f;
    }
  }
}

// YaRN (arXiv 2309.00071): a ramp between interpolated and kept frequencies, over channel pairs.
void scale_yarn(const RopeConfig& config, std::vector<double>& frequencies) {
  double original = static_cast<double>(config.original_max_position_embeddings);
  double dim = static_cast<double>(config.rotary_dim);
  auto correction = [&](double rotations) {
    return dim * std::log(original / (rotations * 2 * pi)) / (2 * std::log(config.theta));
  };
  double low = correction(config.beta_fast), high = correction(config.beta_slow);
  if (config.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, dim - 1);
  if (low == high) high += 0.001;
  for (size_t i = 0; i < frequencies.size(); ++i) {
    double ramp = std::clamp((static_cast<double>(i) - low) / (high - low), 0.0, 1.0);
    frequencies[i] = frequencies[i] / config.factor * ramp + frequencies[i] * (1 - ramp);
  }
}

double yarn_mscale(double factor, double mscale) {
  return factor <= 1 ? 1 : 0.1 * mscale * std::log(factor) + 1;
}

}  // namespace

std::vector<double> inverse_frequencies(const RopeConfig& config) {
  if (config.rotary_dim < 2 || config.rotary_dim % 2 != 0) {
    fail(ErrorCode::kInvalidArgument, "[rope] rotary_dim is {}, expected a positive even number",
         config.rotary_dim);
  }
  std::vector<double> frequencies(static_cast<size_t>(config.rotary_dim / 2));
  for (size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] = std::pow(
        config.theta, -2.0 * static_cast<double>(i) / static_cast<double>(config.rotary_dim));
  }
  if (config.type == "linear") {
    for (double& f : frequencies) f /= config.factor;
  } else if (config.type == "llama3") {
    scale_llama3(config, frequencies);
  } else if (config.type == "yarn") {
    scale_yarn(config, frequencies);
  } else if (config.type != "default") {
    fail(ErrorCode::kUnimplemented,
         "[rope] rope_type \"{}\" is not supported, expected default, linear, llama3 or yarn",
         config.type);
  }
  if (!config.divisors.empty()) {
    if (config.divisors.size() != frequencies.size()) {
      fail(ErrorCode::kInvalidArgument, "[rope] {} frequency divisors given for {} channel pairs",
           config.divisors.size(), frequencies.size());
    }
    for (size_t i = 0; i < frequencies.size(); ++i) frequencies[i] /= config.divisors[i];
  }
  return frequencies;
}

double attention_factor(const RopeConfig& config) {
  if (config.type != "yarn") return 1;
  if (config.attention_factor > 0) return config.attention_factor;
  if (config.mscale > 0 && config.mscale_all_dim > 0) {
    return yarn_mscale(config.factor, config.mscale) /
           yarn_mscale(config.factor, config.mscale_all_dim);
  }
  return yarn_mscale(config.factor, 1);
}

kernels::RopeTables rope_tables(const RopeConfig& config, int64_t positions) {
  // Angles are rounded to float before the cosine, as the reference implementations do.
  std::vector<double> frequencies = inverse_frequencies(config);
  double factor = attention_factor(config);
  std::vector<float> cos, sin;
  cos.reserve(frequencies.size() * static_cast<size_t>(positions));
  sin.reserve(cos.capacity());
  for (int64_t p = 0; p < positions; ++p) {
    for (double f : frequencies) {
      float angle = static_cast<float>(p) * static_cast<float>(f);
      cos.push_back(static_cast<float>(std::cos(static_cast<double>(angle)) * factor));
      sin.push_back(static_cast<float>(std::sin(static_cast<double>(angle)) * factor));
    }
  }
  Shape shape = {positions, static_cast<int64_t>(frequencies.size())};
  return {array<float>(cos, shape), array<float>(sin, shape)};
}

}  // namespace xylem::nn
