#include "xylem/kernels/cpu/quant_matmul.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/dequantize.h"
#include "xylem/kernels/cpu/quant_test_util.h"

namespace xylem::kernels {
namespace {

struct Problem {
  BlockType type;
  int64_t n, k, m;
  std::vector<uint8_t> blocks;
  std::vector<float> x;
  PackedMemory packed;

  Problem(BlockType type, int64_t n, int64_t k, int64_t m)
      : type(type),
        n(n),
        k(k),
        m(m),
        blocks(random_matrix(type, n, k, 7)),
        x(random_floats(m * k, 11)),
        packed(packed_matrix(type, n, k, blocks)) {
    // Rows and blocks of different size, so that a wrong scale shows.
    for (int64_t i = 0; i < m * k; ++i) x[i] *= static_cast<float>(1 + i / 32 % 5 + i / k % 3);
  }

  std::vector<float> run(Precision precision, int threads = 2) {
    ThreadPool pool(threads);
    std::vector<float> y(m * n, NAN);
    quant_matmul(type, n, k, packed.data(), x.data(), m, y.data(), pool, {.precision = precision});
    return y;
  }
};

// What rounding a block of activations to int8 may change in the product with these weights.
double rounding_bound(const float* x, const float* w, int64_t k) {
  double bound = 0;
  for (int64_t b = 0; b < k; b += 32) {
    double top = 0, weights = 0;
    for (int64_t i = b; i < b + 32; ++i) {
      top = std::max(top, static_cast<double>(std::abs(x[i])));
      weights += std::abs(w[i]);
    }
    bound += top / 127 / 2 * weights;
  }
  return bound;
}

void check(Problem& problem, Precision precision) {
  const auto [n, k, m] = std::tuple(problem.n, problem.k, problem.m);
  std::vector<float> w(n * k);
  dequantize(problem.type, problem.blocks.data(), w.data(), n * k);
  const bool rounded = precision == Precision::kFast && block_info(problem.type).quantised;
  const std::vector<float> y = problem.run(precision);
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const float *x = &problem.x[i * k], *row = &w[j * k];
      double expected = 0, magnitude = 0;
      for (int64_t c = 0; c < k; ++c) {
        expected += static_cast<double>(x[c]) * row[c];
        magnitude += std::abs(static_cast<double>(x[c]) * row[c]);
      }
      const double bound = 1e-5 * magnitude + (rounded ? rounding_bound(x, row, k) : 0);
      ASSERT_NEAR(y[i * n + j], expected, bound) << "row " << i << " column " << j;
    }
  }
}

TEST(QuantMatmul, FastIsWithinTheRoundingOfActivations) {
  at_each_level([] {
    for (BlockType type : kQuantisedTypes) {
      SCOPED_TRACE(block_info(type).name);
      for (int64_t m : {1, 3, 21}) {
        Problem problem(type, 37, 512, m);
        check(problem, Precision::kFast);
      }
    }
    Problem odd(BlockType::kQ4_1, 576, 576, 2);
    check(odd, Precision::kFast);
  });
}

TEST(QuantMatmul, F32KeepsActivations) {
  at_each_level([] {
    for (BlockType type : kQuantisedTypes) {
      SCOPED_TRACE(block_info(type).name);
      for (int64_t m : {1, 7}) {
        Problem problem(type, 37, 512, m);
        check(problem, Precision::kF32);
      }
    }
    for (BlockType type : kPlainTypes) {
      SCOPED_TRACE(block_info(type).name);
      Problem problem(type, 37, 77, 7);
      check(problem, Precision::kF32);
      check(problem, Precision::kFast);
    }
  });
}

// Extreme codes everywhere, where 16-bit sums would overflow first.
TEST(QuantMatmul, ExtremeCodesDoNotOverflow) {
  at_each_level([] {
    for (BlockType type : kQuantisedTypes) {
      SCOPED_TRACE(block_info(type).name);
      for (uint8_t byte : {0x00, 0x7f, 0x80, 0xff}) {
        Problem problem(type, 16, 256, 2);
        std::mt19937 rng(5);
        std::fill(problem.blocks.begin(), problem.blocks.end(), byte);
        const BlockInfo& info = block_info(type);
        for (size_t at = 0; at < problem.blocks.size(); at += info.bytes) {
          set_scales(type, rng, &problem.blocks[at]);
        }
        problem.packed = packed_matrix(type, problem.n, problem.k, problem.blocks);
        std::fill(problem.x.begin(), problem.x.begin() + 256, -3.0f);
        std::fill(problem.x.begin() + 256, problem.x.end(), 3.0f);
        check(problem, Precision::kFast);
      }
    }
  });
}

// Bit-identical rows whatever the batch and the threads, and the same at every level.
TEST(QuantMatmul, RowsDoNotDependOnTheBatch) {
  for (BlockType type : kQuantisedTypes) {
    SCOPED_TRACE(block_info(type).name);
    for (Precision precision : {Precision::kFast, Precision::kF32}) {
      Problem whole(type, 96, 256, 33);
      const std::vector<float> expected = whole.run(precision, 1);
      at_each_level([&] {
        for (int threads : {1, 2, 3}) EXPECT_EQ(whole.run(precision, threads), expected);
        for (int64_t m : {1, 2, 5, 8, 16}) {
          Problem part(type, 96, 256, 33);
          part.x.erase(part.x.begin(), part.x.begin() + 3 * part.k);  // another place in the batch
          part.m = m;
          const std::vector<float> y = part.run(precision);
          EXPECT_TRUE(std::equal(y.begin(), y.end(), expected.begin() + 3 * part.n)) << m;
        }
      });
    }
  }
}

TEST(QuantMatmul, AddsAResidual) {
  at_each_level([] {
    for (int64_t n : {37, 64}) {
      Problem problem(BlockType::kQ4_1, n, 96, 3);
      const std::vector<float> product = problem.run(Precision::kFast);
      std::vector<float> y = random_floats(3 * n, 5), expected = y;
      for (size_t i = 0; i < y.size(); ++i) expected[i] += product[i];
      quant_matmul(problem.type, n, 96, problem.packed.data(), problem.x.data(), 3, y.data(),
                   ThreadPool::global(), {.add = y.data()});
      EXPECT_EQ(y, expected);
    }
  });
}

TEST(QuantMatmul, MultipliesSiluOfGateByUp) {
  at_each_level([] {
    const BlockType type = BlockType::kQ4_1;
    const int64_t n = 48, k = 64, m = 5;
    Problem gate(type, n, k, m), up(type, n, k, m);
    up.blocks = random_matrix(type, n, k, 8);
    up.packed = packed_matrix(type, n, k, up.blocks);
    PackedMemory both(packed_bytes(type, 2 * n, k));
    pack(type, n, k, gate.blocks.data(), both.data(), {.first_group = 0, .group_step = 2});
    pack(type, n, k, up.blocks.data(), both.data(), {.first_group = 1, .group_step = 2});
    std::vector<float> y(m * n, NAN);
    quant_matmul(type, 2 * n, k, both.data(), gate.x.data(), m, y.data(), ThreadPool::global(),
                 {.epilogue = Epilogue::kSiluMul});
    const std::vector<float> g = gate.run(Precision::kFast), u = up.run(Precision::kFast);
    for (int64_t i = 0; i < m * n; ++i) {
      const double silu = g[i] / (1 + std::exp(-static_cast<double>(g[i])));
      EXPECT_NEAR(y[i], silu * u[i], 1e-6 * std::abs(silu * u[i]) + 1e-30);
    }
  });
}

// silu(v) over the whole range: gate weights (1, 0), up weights (0, 1), x = (v, 1).
TEST(QuantMatmul, SiluIsAccurate) {
  const std::vector<float> gate = {1, 0}, up = {0, 1};
  PackedMemory packed(packed_bytes(BlockType::kF32, 32, 2));
  pack(BlockType::kF32, 1, 2, gate.data(), packed.data());
  pack(BlockType::kF32, 1, 2, up.data(), packed.data(), {.first_group = 1});
  std::vector<float> x;
  for (float v = -100; v <= 100; v += 0.0137f) x.insert(x.end(), {v, 1.0f});
  const int64_t m = static_cast<int64_t>(x.size() / 2);
  at_each_level([&] {
    std::vector<float> y(m * 16);
    quant_matmul(BlockType::kF32, 32, 2, packed.data(), x.data(), m, y.data(), ThreadPool::global(),
                 {.epilogue = Epilogue::kSiluMul});
    for (int64_t i = 0; i < m; ++i) {
      const double v = x[2 * i], silu = v / (1 + std::exp(-v));
      ASSERT_NEAR(y[16 * i], silu, 3e-7 * std::abs(silu) + 1e-35) << v;
    }
  });
}

TEST(QuantMatmul, NotANumberStaysSo) {
  at_each_level([] {
    for (float bad : {NAN, INFINITY}) {
      Problem problem(BlockType::kQ4_1, 16, 64, 2);
      problem.x[70] = bad;  // row 1
      const std::vector<float> y = problem.run(Precision::kFast);
      for (int64_t j = 0; j < 16; ++j) {
        EXPECT_TRUE(std::isfinite(y[j]));
        EXPECT_FALSE(std::isfinite(y[16 + j]));
      }
    }
  });
}

TEST(QuantMatmul, RefusesWhatDoesNotFit) {
  Problem problem(BlockType::kQ4_1, 16, 32, 1);
  std::vector<float> y(32);
  const auto run = [&](int64_t n, int64_t k, int64_t m, Epilogue epilogue) {
    quant_matmul(BlockType::kQ4_1, n, k, problem.packed.data(), problem.x.data(), m, y.data(),
                 ThreadPool::global(), {.epilogue = epilogue});
  };
  EXPECT_THROW(run(16, 33, 1, Epilogue::kNone), Error);
  EXPECT_THROW(run(16, 32, -1, Epilogue::kNone), Error);
  EXPECT_THROW(run(16, 32, 1, Epilogue::kSiluMul), Error);
  run(16, 32, 0, Epilogue::kNone);
  run(0, 32, 1, Epilogue::kNone);
}

}  // namespace
}  // namespace xylem::kernels
