#include "xylem/kernels/cpu/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "xylem/base/cpu.h"
#include "xylem/base/error.h"

namespace xylem::kernels {
namespace {

struct Shape {
  int64_t heads, kv_heads, head_dim, page_size;
};

// Sequences that grow step by step over one cache, with what it holds kept for the reference.
class Batch {
 public:
  Batch(Shape shape, DType dtype, int64_t sequences, int64_t longest, uint32_t seed)
      : random_(seed), shape_(shape), dtype_(dtype), keys_(sequences), values_(sequences) {
    int64_t pages = (longest + shape.page_size - 1) / shape.page_size;
    a_.heads = shape.heads;
    a_.kv_heads = shape.kv_heads;
    a_.head_dim = shape.head_dim;
    a_.page_size = shape.page_size;
    a_.max_pages_per_seq = pages;
    a_.num_pages = sequences * pages + 1;
    a_.num_seqs = sequences;
    a_.layers = 2;
    a_.layer = 1;
    a_.cache_dtype = dtype;
    a_.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
    for (int64_t i = 0; i < sequences * pages; ++i) {
      page_table_.push_back(static_cast<int32_t>(i + 1));
    }
    std::shuffle(page_table_.begin(), page_table_.end(), random_);
    // What lies in pages before their use must not matter: bf16 0x7fff is a NaN, and so is a float
    // of two of them.
    int64_t elements = 4 * a_.num_pages * shape.kv_heads * shape.page_size * shape.head_dim;
    cache_.assign(host_bytes(dtype, elements) / 2, 0x7fff);
    a_.page_table = page_table_.data();
    a_.kv_cache = cache_.data();
    kv_lens_.assign(sequences, 0);
  }

  PagedAttention& parameters() { return a_; }

  void use_rope(int64_t rotary_dim, int64_t positions) {
    for (int64_t p = 0; p < positions; ++p) {
      for (int64_t i = 0; i < rotary_dim / 2; ++i) {
        double angle = p * std::pow(10000.0, -2.0 * i / rotary_dim);
        cos_.push_back(static_cast<float>(std::cos(angle)));
        sin_.push_back(static_cast<float>(std::sin(angle)));
      }
    }
    a_.rope_cos = cos_.data();
    a_.rope_sin = sin_.data();
    a_.rotary_dim = rotary_dim;
    a_.rope_positions = positions;
  }

  // One call with so many new tokens of each sequence and random content; gives `out`.
  std::vector<float> step(const std::vector<int64_t>& new_tokens, int64_t padding,
                          ThreadPool& pool) {
    int64_t tokens = 0;
    for (int64_t n : new_tokens) tokens += n;
    int64_t stride = (shape_.heads + 2 * shape_.kv_heads) * shape_.head_dim;
    std::vector<float> qkv((tokens + padding) * stride);
    std::normal_distribution<float> normal;
    for (float& x : qkv) x = normal(random_);
    return run(new_tokens, qkv, tokens + padding, pool);
  }

  std::vector<float> run(const std::vector<int64_t>& new_tokens, const std::vector<float>& qkv,
                         int64_t rows, ThreadPool& pool) {
    cu_q_lens_.assign(1, 0);
    for (size_t s = 0; s < new_tokens.size(); ++s) {
      cu_q_lens_.push_back(cu_q_lens_.back() + static_cast<int32_t>(new_tokens[s]));
      kv_lens_[s] += static_cast<int32_t>(new_tokens[s]);
    }
    qkv_ = qkv;  // expected() reads it later
    a_.tokens = rows;
    a_.q = qkv_.data();
    a_.k = a_.q + shape_.heads * shape_.head_dim;
    a_.v = a_.k + shape_.kv_heads * shape_.head_dim;
    a_.q_stride = a_.k_stride = a_.v_stride =
        (shape_.heads + 2 * shape_.kv_heads) * shape_.head_dim;
    a_.cu_q_lens = cu_q_lens_.data();
    a_.kv_lens = kv_lens_.data();
    std::vector<float> out(rows * shape_.heads * shape_.head_dim, -7.0f);
    a_.out = out.data();
    paged_attention(a_, pool);
    remember();
    return out;
  }

  // What the last step should have given, in double precision.
  std::vector<double> expected() const {
    int64_t group = shape_.heads / shape_.kv_heads, dim = shape_.head_dim;
    std::vector<double> out(a_.tokens * shape_.heads * dim, 0.0);
    for (int64_t s = 0; s < a_.num_seqs; ++s) {
      for (int64_t row = cu_q_lens_[s]; row < cu_q_lens_[s + 1]; ++row) {
        int64_t position = kv_lens_[s] - (cu_q_lens_[s + 1] - row);
        for (int64_t h = 0; h < shape_.heads; ++h) {
          attend(s, row, position, h, h / group, &out[(row * shape_.heads + h) * dim]);
        }
      }
    }
    return out;
  }

  std::vector<uint16_t>& cache() { return cache_; }

 private:
  std::vector<double> rotated(const float* x, int64_t position) const {
    std::vector<double> y(x, x + shape_.head_dim);
    int64_t half = a_.rotary_dim / 2;
    for (int64_t i = 0; i < half; ++i) {
      double c = cos_[position * half + i], s = sin_[position * half + i];
      y[i] = x[i] * c - x[half + i] * s;
      y[half + i] = x[half + i] * c + x[i] * s;
    }
    return y;
  }

  // Element d of what the cache holds: part 0 are keys, 1 values.
  float cached(int64_t part, int64_t s, int64_t position, int64_t head, int64_t d) const {
    int64_t slot = s * a_.max_pages_per_seq + position / a_.page_size;
    int64_t block = (a_.layer * 2 + part) * a_.num_pages + page_table_[slot];
    int64_t row = (block * a_.kv_heads + head) * a_.page_size + position % a_.page_size;
    int64_t index = row * a_.head_dim + d;
    if (dtype_ == DType::kBF16) return bf16_to_float(cache_[index]);
    float value;
    std::memcpy(&value, cache_.data() + 2 * index, sizeof value);
    return value;
  }

  // Checks the keys and values that the step stored, and keeps them as they were rounded.
  void remember() {
    double relative = dtype_ == DType::kBF16 ? 1.0 / 256 : 1e-6;
    for (int64_t s = 0; s < a_.num_seqs; ++s) {
      for (int64_t row = cu_q_lens_[s]; row < cu_q_lens_[s + 1]; ++row) {
        int64_t position = kv_lens_[s] - (cu_q_lens_[s + 1] - row);
        for (int64_t h = 0; h < shape_.kv_heads; ++h) {
          const float* k = a_.k + row * a_.k_stride + h * shape_.head_dim;
          const float* v = a_.v + row * a_.v_stride + h * shape_.head_dim;
          std::vector<double> key = rotated(k, position);
          for (int64_t d = 0; d < shape_.head_dim; ++d) {
            keys_[s].push_back(cached(0, s, position, h, d));
            values_[s].push_back(cached(1, s, position, h, d));
            ASSERT_NEAR(keys_[s].back(), key[d], relative * std::abs(key[d]) + 1e-6);
            ASSERT_NEAR(values_[s].back(), v[d], relative * std::abs(v[d]));
          }
        }
      }
    }
  }

  void attend(int64_t s, int64_t row, int64_t position, int64_t h, int64_t kv_head,
              double* out) const {
    int64_t dim = shape_.head_dim, stride = shape_.kv_heads * dim;
    std::vector<double> q = rotated(a_.q + row * a_.q_stride + h * dim, position), p;
    int64_t first =
        a_.sliding_window > 0 ? std::max<int64_t>(0, position - a_.sliding_window + 1) : int64_t{0};
    double most = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t j = first; j <= position; ++j) {
      double score = 0;
      for (int64_t d = 0; d < dim; ++d) score += q[d] * keys_[s][j * stride + kv_head * dim + d];
      score *= a_.scale;
      if (a_.softcap > 0) score = a_.softcap * std::tanh(score / a_.softcap);
      p.push_back(score);
      most = std::max(most, score);
    }
    for (double& x : p) sum += x = std::exp(x - most);
    for (int64_t j = first; j <= position; ++j) {
      const double* v = &values_[s][j * stride + kv_head * dim];
      for (int64_t d = 0; d < dim; ++d) out[d] += p[j - first] / sum * v[d];
    }
  }

  std::mt19937 random_;
  Shape shape_;
  DType dtype_;
  PagedAttention a_;
  std::vector<uint16_t> cache_;
  std::vector<int32_t> page_table_, cu_q_lens_, kv_lens_;
  std::vector<float> cos_, sin_, qkv_;
  std::vector<std::vector<double>> keys_, values_;  // [sequence][position, kv_heads, head_dim]
};

double largest_difference(const std::vector<float>& x, const std::vector<double>& y) {
  EXPECT_EQ(x.size(), y.size());
  double most = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i])) return std::numeric_limits<double>::infinity();
    most = std::max(most, std::abs(x[i] - y[i]));
  }
  return most;
}

double largest_difference(const std::vector<float>& x, const std::vector<float>& y) {
  return largest_difference(x, std::vector<double>(y.begin(), y.end()));
}

// How far the output of one more step is from what it should be.
double step_error(Batch& batch, const std::vector<int64_t>& new_tokens, int64_t padding,
                  ThreadPool& pool) {
  std::vector<float> out = batch.step(new_tokens, padding, pool);
  return largest_difference(out, batch.expected());
}

// Queries and probabilities are rounded to bf16 only in the AMX kernels.
double tolerance(CpuLevel level, DType dtype) {
  return level == CpuLevel::kAmx && dtype == DType::kBF16 ? 2e-2 : 1e-5;
}

class AttentionTest : public testing::TestWithParam<std::tuple<CpuLevel, DType>> {
 protected:
  void SetUp() override {
    before_ = cpu_level();
    set_cpu_level(std::get<0>(GetParam()));
  }
  void TearDown() override { set_cpu_level(before_); }
  DType dtype() const { return std::get<1>(GetParam()); }
  double tolerance() const { return kernels::tolerance(std::get<0>(GetParam()), dtype()); }

  ThreadPool pool_{2};

 private:
  CpuLevel before_{};
};

INSTANTIATE_TEST_SUITE_P(Levels, AttentionTest,
                         testing::Combine(testing::ValuesIn(cpu_levels()),
                                          testing::Values(DType::kF32, DType::kBF16)),
                         [](const auto& info) {
                           return std::string(cpu_level_name(std::get<0>(info.param))) + "_" +
                                  std::string(dtype_name(std::get<1>(info.param)));
                         });

// Group sizes 1, 3, 4, 6, 9 and 20; head sizes with and without vector tails; page sizes that do
// and do not divide the kernels' blocks.
const Shape kShapes[] = {{3, 3, 16, 16},  {9, 3, 64, 32}, {8, 2, 24, 16},  {4, 1, 80, 8},
                         {3, 1, 96, 64},  {4, 4, 128, 5}, {2, 1, 256, 16}, {6, 1, 40, 48},
                         {20, 1, 32, 16}, {9, 1, 8, 1},   {9, 3, 64, 16}};

TEST_P(AttentionTest, MatchesTheReferenceOnMixedBatches) {
  for (const Shape& shape : kShapes) {
    SCOPED_TRACE(testing::Message() << shape.heads << "/" << shape.kv_heads << " heads of "
                                    << shape.head_dim << ", pages of " << shape.page_size);
    Batch batch(shape, dtype(), 6, 200, 1);
    for (const std::vector<int64_t>& step :
         std::vector<std::vector<int64_t>>{{1, 15, 130, 0, 2, 64},
                                           {1, 1, 1, 17, 0, 1},
                                           {1, 33, 1, 1, 70, 2},
                                           {1, 1, 1, 1, 1, 1}}) {
      EXPECT_LT(step_error(batch, step, 3, pool_), tolerance());
    }
  }
}

TEST_P(AttentionTest, StaysExactAtPageAndPartitionBorders) {
  Batch batch({2, 1, 32, 16}, dtype(), 8, 600, 2);
  batch.step({15, 16, 17, 255, 256, 257, 511, 512}, 0, pool_);
  EXPECT_LT(step_error(batch, {1, 1, 1, 1, 1, 1, 1, 1}, 0, pool_), tolerance());
  EXPECT_LT(step_error(batch, {2, 1, 1, 1, 3, 1, 1, 2}, 0, pool_), tolerance());
}

TEST_P(AttentionTest, SlidingWindowSoftcapAndRope) {
  for (const Shape& shape : {Shape{3, 1, 64, 16}, Shape{4, 2, 40, 7}}) {
    for (int64_t window : {1, 20, 64, 200}) {
      SCOPED_TRACE(testing::Message() << "window " << window << ", head_dim " << shape.head_dim);
      Batch batch(shape, dtype(), 3, 500, 3);
      batch.parameters().sliding_window = window;
      batch.parameters().softcap = window == 20 ? 3.0f : 0.0f;
      batch.use_rope(window == 64 ? 24 : shape.head_dim, 500);
      for (const std::vector<int64_t>& step :
           std::vector<std::vector<int64_t>>{{270, 70, 3}, {1, 5, 1}, {64, 1, 1}}) {
        EXPECT_LT(step_error(batch, step, 1, pool_), tolerance());
      }
    }
  }
}

TEST_P(AttentionTest, PagesBehindTheWindowMayBeGone) {
  Batch batch({3, 1, 64, 16}, dtype(), 1, 500, 4);
  batch.parameters().sliding_window = 50;
  batch.step({300}, 0, pool_);
  auto* pages = const_cast<int32_t*>(batch.parameters().page_table);
  for (int64_t page = 0; page < 250 / 16; ++page) pages[page] = -1;
  EXPECT_LT(step_error(batch, {30}, 0, pool_), tolerance());
  EXPECT_LT(step_error(batch, {1}, 0, pool_), tolerance());
}

TEST_P(AttentionTest, LargeScoresDoNotOverflow) {
  Batch batch({4, 2, 64, 16}, dtype(), 2, 300, 5);
  batch.parameters().scale = 30;  // scores of hundreds: probabilities nearly one and zero
  std::vector<float> out = batch.step({200, 1}, 0, pool_);
  for (float x : out) ASSERT_TRUE(std::isfinite(x));
  // An error of 1e-7 in a score of 1,000 is one of 1e-4 in its probability.
  double bound = tolerance() < 1e-4 ? 2e-3 : 10;
  EXPECT_LT(largest_difference(out, batch.expected()), bound);
}

// The rows of `chunk` tokens a call, each sequence being alone in its calls.
std::vector<float> in_chunks(const Shape& shape, DType dtype, const std::vector<float>& qkv,
                             int64_t length, int64_t chunk, ThreadPool& pool) {
  Batch batch(shape, dtype, 1, length, 6);
  batch.use_rope(shape.head_dim, length);
  int64_t stride = (shape.heads + 2 * shape.kv_heads) * shape.head_dim;
  std::vector<float> all;
  for (int64_t at = 0; at < length; at += chunk) {
    int64_t n = std::min(chunk, length - at);
    std::vector<float> rows(qkv.begin() + at * stride, qkv.begin() + (at + n) * stride);
    std::vector<float> out = batch.run({n}, rows, n, pool);
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

TEST_P(AttentionTest, ChunkedPrefillGivesTheSameNumbers) {
  Shape shape = {9, 3, 64, 16};
  int64_t length = 330;
  std::mt19937 random(8);
  std::normal_distribution<float> normal;
  std::vector<float> qkv(length * (shape.heads + 2 * shape.kv_heads) * shape.head_dim);
  for (float& x : qkv) x = normal(random);
  std::vector<float> whole = in_chunks(shape, dtype(), qkv, length, length, pool_);
  EXPECT_EQ(whole, in_chunks(shape, dtype(), qkv, length, 6, pool_));
  EXPECT_EQ(whole, in_chunks(shape, dtype(), qkv, length, 66, pool_));
  EXPECT_LT(largest_difference(whole, in_chunks(shape, dtype(), qkv, length, 7, pool_)),
            tolerance());
  EXPECT_LT(largest_difference(whole, in_chunks(shape, dtype(), qkv, length, 1, pool_)),
            tolerance());
}

TEST_P(AttentionTest, NeitherThreadsNorNeighboursMatter) {
  Shape shape = {9, 3, 64, 16};
  std::vector<std::vector<float>> results;
  for (int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    Batch batch(shape, dtype(), 3, 900, 9);
    std::vector<float> first = batch.step({700, 40, 300}, 0, pool);
    std::vector<float> second = batch.step({1, 3, 1}, 2, pool);
    first.insert(first.end(), second.begin(), second.end());
    results.push_back(first);
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);

  std::mt19937 random(10);
  std::normal_distribution<float> normal;
  int64_t stride = (shape.heads + 2 * shape.kv_heads) * shape.head_dim;
  std::vector<float> rows(stride * 601);
  for (float& x : rows) x = normal(random);
  std::vector<float> one(rows.begin(), rows.begin() + 500 * stride),
      step_one(rows.begin(), rows.begin() + stride);
  Batch alone(shape, dtype(), 1, 600, 11), together(shape, dtype(), 2, 600, 12);
  std::vector<float> x = alone.run({500}, one, 500, pool_),
                     y = together.run({500, 101}, rows, 601, pool_);
  y.resize(x.size());
  EXPECT_EQ(x, y);
  std::vector<float> two(rows.begin(), rows.begin() + 2 * stride);
  x = alone.run({1}, step_one, 1, pool_);
  y = together.run({1, 1}, two, 2, pool_);
  y.resize(x.size());
  EXPECT_EQ(x, y);
}

TEST_P(AttentionTest, MatchesTorch) {
  std::ifstream file(XYLEM_SOURCE_DIR "/tests/data/attention_sdpa.bin", std::ios::binary);
  int32_t header[6];
  ASSERT_TRUE(file.read(reinterpret_cast<char*>(header), sizeof header));
  ASSERT_EQ(header[0], 2);
  Shape shape = {header[1], header[2], header[3], 16};
  std::vector<float> qkv, expected;
  int64_t q = shape.heads * shape.head_dim, kv = shape.kv_heads * shape.head_dim;
  for (int64_t length : {header[4], header[5]}) {
    std::vector<float> data(length * 2 * (q + kv));
    ASSERT_TRUE(file.read(reinterpret_cast<char*>(data.data()),
                          static_cast<std::streamsize>(data.size() * sizeof(float))));
    const float* k = data.data() + length * q;
    const float* v = k + length * kv;
    for (int64_t i = 0; i < length; ++i) {
      qkv.insert(qkv.end(), data.data() + i * q, data.data() + (i + 1) * q);
      qkv.insert(qkv.end(), k + i * kv, k + (i + 1) * kv);
      qkv.insert(qkv.end(), v + i * kv, v + (i + 1) * kv);
    }
    expected.insert(expected.end(), v + length * kv, v + length * (kv + q));
  }
  Batch batch(shape, dtype(), 2, 64, 13);
  std::vector<float> out = batch.run({header[4], header[5]}, qkv, header[4] + header[5], pool_);
  EXPECT_LT(largest_difference(out, expected), dtype() == DType::kF32 ? 2e-6 : 4e-2);
}

TEST(AttentionErrors, NameWhatIsWrong) {
  ThreadPool pool(1);
  auto message = [&](auto change) {
    Batch batch({4, 2, 16, 4}, DType::kF32, 2, 16, 14);
    batch.step({3, 2}, 0, pool);
    change(batch.parameters());
    try {
      batch.step({1, 2}, 0, pool);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message([](PagedAttention& a) {
              a.num_pages = 1;
            }).find("[paged_attention] page ids must be below num_pages, got "),
            0u);
  EXPECT_EQ(message([](PagedAttention& a) { a.max_pages_per_seq = 0; }),
            "[paged_attention] kv_len must fit the page table, got 4");
  EXPECT_EQ(message([](PagedAttention& a) { a.head_dim = 12; }),
            "[paged_attention] head_dim must be a multiple of 8 up to 1024, got 12");
  EXPECT_EQ(message([](PagedAttention& a) { a.kv_heads = 3; }),
            "[paged_attention] heads must be a positive multiple of kv_heads, got 4");
  EXPECT_EQ(message([](PagedAttention&) {}), "no error");
}

}  // namespace
}  // namespace xylem::kernels
