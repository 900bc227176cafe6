#include "xylem/kernels/cpu/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "xylem/base/cpu.h"
#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_pack.h"

namespace xylem::kernels {
namespace {

std::string name_of(const testing::TestParamInfo<CpuLevel>& info) {
  return std::string(cpu_level_name(info.param));
}

class GemmTest : public testing::TestWithParam<CpuLevel> {
 protected:
  void SetUp() override { set_cpu_level(GetParam()); }
  void TearDown() override { set_cpu_level(cpu_levels().back()); }

  bool rounds() const { return GetParam() >= CpuLevel::kAvx512Bf16; }

  std::mt19937 random_{7};
};

INSTANTIATE_TEST_SUITE_P(Levels, GemmTest, testing::ValuesIn(cpu_levels()), name_of);

int64_t bytes_of(DType dtype) { return dtype == DType::kF32 ? 4 : 2; }

float rounded(float value, DType dtype) {
  if (dtype == DType::kBF16) return bf16_to_float(float_to_bf16(value));
  if (dtype == DType::kF16) return f16_to_float(float_to_f16(value));
  return value;
}

// A matrix in memory of a type, with padded rows, at an odd address, beside its exact values.
struct Matrix {
  Matrix(int64_t rows, int64_t columns, DType type, bool transposed, std::mt19937& random)
      : columns(columns), type(type), transposed(transposed) {
    std::normal_distribution<float> normal;
    stride = (transposed ? rows : columns) + static_cast<int64_t>(random() % 5);
    memory.resize((transposed ? columns : rows) * stride * bytes_of(type) + 1, '\xff');
    values.resize(rows * columns);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        const float value = rounded(normal(random), type);
        values[i * columns + j] = value;
        store(transposed ? j * stride + i : i * stride + j, value);
      }
    }
  }

  void store(int64_t index, float value) {
    char* p = memory.data() + 1 + index * bytes_of(type);
    const uint16_t half = type == DType::kBF16 ? float_to_bf16(value) : float_to_f16(value);
    std::memcpy(p, type == DType::kF32 ? static_cast<void*>(&value) : const_cast<uint16_t*>(&half),
                static_cast<size_t>(bytes_of(type)));
  }

  MatrixView view() const { return {memory.data() + 1, type, stride, transposed}; }
  double at(int64_t i, int64_t j, bool as_bf16) const {
    const float value = values[i * columns + j];
    return as_bf16 ? rounded(value, DType::kBF16) : value;
  }

  int64_t columns, stride = 0;
  DType type;
  bool transposed;
  std::vector<char> memory;
  std::vector<float> values;
};

// The sum and the sum of magnitudes, by which an error is judged.
struct Sum {
  double value = 0, magnitude = 0;
};

Sum reference(const Matrix& a, const Matrix& b, int64_t i, int64_t j, bool as_bf16) {
  Sum sum;
  for (int64_t p = 0; p < a.columns; ++p) {
    const double product = a.at(i, p, as_bf16) * b.at(p, j, as_bf16);
    sum.value += product;
    sum.magnitude += std::abs(product);
  }
  return sum;
}

double tolerance(const Sum& sum, int64_t k) {
  return 1e-30 + sum.magnitude * 6e-8 * std::sqrt(static_cast<double>(k) + 8);
}

struct Case {
  int64_t m, n, k;
  DType a, b, c;
  bool a_transposed, b_transposed;
  Precision precision;
};

class GemmCase : public GemmTest {
 protected:
  void check(const Case& t) {
    SCOPED_TRACE(testing::Message()
                 << "m " << t.m << " n " << t.n << " k " << t.k << " " << dtype_name(t.a)
                 << (t.a_transposed ? "^T" : "") << " " << dtype_name(t.b)
                 << (t.b_transposed ? "^T" : "") << " -> " << dtype_name(t.c) << " fast "
                 << (t.precision == Precision::kFast));
    const Matrix a(t.m, t.k, t.a, t.a_transposed, random_);
    const Matrix b(t.k, t.n, t.b, t.b_transposed, random_);
    const int64_t stride = t.n + 3, size = bytes_of(t.c);
    std::vector<char> c(t.m * stride * size, '\x5a');
    gemm(t.m, t.n, t.k, a.view(), b.view(), {c.data(), t.c, stride}, pool_,
         {t.precision, Epilogue::kNone, nullptr});

    const bool as_bf16 = rounds() && t.precision == Precision::kFast;
    for (int64_t i = 0; i < t.m; ++i) {
      for (int64_t j = 0; j < stride; ++j) {
        const char* p = c.data() + (i * stride + j) * size;
        if (j >= t.n) {
          ASSERT_EQ(*p, '\x5a') << "wrote past row " << i;
          continue;
        }
        const Sum sum = reference(a, b, i, j, as_bf16);
        double allowed = tolerance(sum, t.k);
        if (t.c == DType::kBF16) allowed += std::abs(sum.value) * 0x1p-8;
        ASSERT_NEAR(load(p, t.c), sum.value, allowed) << "at " << i << ", " << j;
      }
    }
  }

  static float load(const char* p, DType type) {
    if (type == DType::kF32) {
      float value;
      std::memcpy(&value, p, 4);
      return value;
    }
    uint16_t bits;
    std::memcpy(&bits, p, 2);
    return bf16_to_float(bits);
  }

  ThreadPool pool_{3};
};

INSTANTIATE_TEST_SUITE_P(Levels, GemmCase, testing::ValuesIn(cpu_levels()), name_of);

TEST_P(GemmCase, MatchesDoublePrecisionOverOddShapes) {
  constexpr DType kTypes[] = {DType::kF32, DType::kBF16, DType::kF16};
  for (int i = 0; i < 150; ++i) {
    const auto size = [&] { return static_cast<int64_t>(1 + random_() % 70); };
    check({size(), size(), size(), kTypes[random_() % 3], kTypes[random_() % 3],
           random_() % 3 == 0 ? DType::kBF16 : DType::kF32, random_() % 2 == 0, random_() % 2 == 0,
           random_() % 2 == 0 ? Precision::kFast : Precision::kF32});
  }
}

TEST_P(GemmCase, SplitsDepthRowsAndColumns) {
  constexpr DType kF = DType::kF32, kB = DType::kBF16;
  check({97, 131, 1031, kF, kF, kF, false, true, Precision::kF32});
  check({97, 67, 2081, kB, kB, kB, true, false, Precision::kFast});
  check({1229, 83, 37, kF, kF, kB, false, false, Precision::kF32});
  check({1087, 71, 41, kB, kB, kF, false, false, Precision::kFast});
  check({5, 1543, 29, kF, kF, kF, true, true, Precision::kFast});
}

TEST_P(GemmCase, EmptySizes) {
  check({3, 5, 0, DType::kF32, DType::kF32, DType::kF32, false, false, Precision::kF32});
  check({3, 5, 0, DType::kBF16, DType::kBF16, DType::kF32, false, false, Precision::kFast});
  check({0, 5, 4, DType::kF32, DType::kF32, DType::kF32, false, false, Precision::kF32});
  check({3, 0, 4, DType::kF32, DType::kF32, DType::kF32, false, false, Precision::kF32});
}

TEST_P(GemmTest, AddsInPlace) {
  const int64_t m = 19, n = 45, k = 33;
  const Matrix a(m, k, DType::kF32, false, random_), b(k, n, DType::kF32, false, random_);
  std::vector<float> c(m * n, 0.5f);
  ThreadPool pool(2);
  gemm(m, n, k, a.view(), b.view(), {c.data(), DType::kF32, n}, pool,
       {Precision::kF32, Epilogue::kNone, c.data()});
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const Sum sum = reference(a, b, i, j, false);
      ASSERT_NEAR(c[i * n + j], sum.value + 0.5, tolerance(sum, k) + 1e-6);
    }
  }
}

double silu(double x) { return x / (1 + std::exp(-x)); }

class LinearTest : public GemmTest {
 protected:
  // y of linear against the reference, with the epilogue and an addition.
  void check(int64_t m, int64_t n, int64_t k, DType type, const MatmulOptions& base) {
    SCOPED_TRACE(testing::Message()
                 << "m " << m << " n " << n << " k " << k << " " << dtype_name(type));
    const Matrix w(k, n, type, true, random_);  // stored as [n, k]
    Matrix x(m, k, DType::kF32, false, random_);
    MatrixView weights = w.view();
    weights.transposed = false;
    const bool silu_mul = base.epilogue == Epilogue::kSiluMul;
    const int64_t columns = silu_mul ? n / 2 : n;
    std::vector<float> y(m * columns, NAN), add(m * columns, 0.25f);
    MatmulOptions options = base;
    options.add = add.data();
    linear(m, n, k, x.values.data(), weights, y.data(), pool_, options);

    const bool as_bf16 =
        rounds() && base.precision == Precision::kFast && type != DType::kF32 && m > kLinearDotRows;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        if (!silu_mul) {
          const Sum sum = reference(x, w, i, j, as_bf16);
          ASSERT_NEAR(y[i * n + j], sum.value + 0.25, tolerance(sum, k) + 1e-6) << i << ", " << j;
          continue;
        }
        const int64_t column = j / 16 * 32 + j % 16;
        const Sum gate = reference(x, w, i, column, as_bf16);
        const Sum up = reference(x, w, i, column + 16, as_bf16);
        const double allowed = 1.2 * tolerance(gate, k) * std::abs(up.value) +
                               std::abs(gate.value) * tolerance(up, k) + 1e-6;
        ASSERT_NEAR(y[i * columns + j], silu(gate.value) * up.value + 0.25, allowed);
      }
    }
  }

  ThreadPool pool_{3};
};

INSTANTIATE_TEST_SUITE_P(Levels, LinearTest, testing::ValuesIn(cpu_levels()), name_of);

TEST_P(LinearTest, MatchesDoublePrecision) {
  for (DType type : {DType::kF32, DType::kBF16, DType::kF16}) {
    for (Precision precision : {Precision::kFast, Precision::kF32}) {
      const MatmulOptions options = {precision, Epilogue::kNone, nullptr};
      for (int64_t m : {1, 2, 3, 7, 16, 17, 41}) {
        check(m, static_cast<int64_t>(1 + random_() % 70), static_cast<int64_t>(1 + random_() % 90),
              type, options);
      }
    }
  }
}

TEST_P(LinearTest, SiluOfGateTimesUp) {
  for (DType type : {DType::kF32, DType::kBF16}) {
    for (int64_t m : {1, 5, 23, 40}) {
      check(m, 96, 61, type, {Precision::kFast, Epilogue::kSiluMul, nullptr});
      check(m, 64, 300, type, {Precision::kF32, Epilogue::kSiluMul, nullptr});
    }
  }
}

// Whatever stands around a row, and however many threads there are, its bits stay.
TEST_P(GemmTest, RowsDoNotDependOnTheBatch) {
  const int64_t n = 77, k = 533, most = 700;
  for (DType type : {DType::kF32, DType::kBF16}) {
    const Matrix w(k, n, type, true, random_), x(most, k, DType::kF32, false, random_);
    MatrixView weights = w.view();
    weights.transposed = false;
    ThreadPool one(1), three(3);
    const auto row_of = [&](int64_t m, int64_t row, ThreadPool& pool) {
      std::vector<float> y(m * n);
      const int64_t first = row - m / 2;  // the row in the middle of m others
      linear(m, n, k, x.values.data() + first * k, weights, y.data(), pool);
      const auto begin = y.begin() + (row - first) * n;
      return std::vector<float>(begin, begin + n);
    };
    const std::vector<float> few = row_of(1, 350, one), many = row_of(17, 350, one);
    for (int64_t m : {2, 3, 5, 8, 13, 16}) EXPECT_EQ(row_of(m, 350, three), few) << m;
    for (int64_t m : {17, 18, 29, 33, 64, 700}) EXPECT_EQ(row_of(m, 350, three), many) << m;
  }
}

TEST_P(GemmTest, QuantisedWeightsMatchTheirValues) {
  const int64_t n = 80, k = 544;
  std::vector<char> blocks(n * k / 32 * 34);  // Q8_0: an f16 scale and 32 bytes
  for (char& byte : blocks) byte = static_cast<char>(random_());
  for (size_t i = 0; i < blocks.size(); i += 34) {
    const uint16_t scale = float_to_f16(static_cast<float>(random_() % 100) * 1e-4f);
    std::memcpy(&blocks[i], &scale, 2);
  }
  std::vector<char> memory(packed_bytes(BlockType::kQ8_0, n, k) + 64);
  char* packed = memory.data() + 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64;
  pack(BlockType::kQ8_0, n, k, blocks.data(), packed);
  std::vector<int32_t> ids(n);
  for (int32_t i = 0; i < n; ++i) ids[i] = i;
  Matrix w(k, n, DType::kF32, true, random_);
  std::vector<float> rows(n * k);
  embed_rows(BlockType::kQ8_0, n, k, packed, ids.data(), n, rows.data());
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t p = 0; p < k; ++p) w.values[p * n + j] = rows[j * k + p];
  }

  ThreadPool pool(2);
  for (Precision precision : {Precision::kFast, Precision::kF32}) {
    const int64_t m = quant_linear_crossover(precision) + 9;
    const Matrix x(m, k, DType::kF32, false, random_);
    std::vector<float> y(m * n, NAN);
    quant_linear(BlockType::kQ8_0, n, k, packed, x.values.data(), m, y.data(), pool,
                 {precision, Epilogue::kNone, nullptr});
    const bool as_bf16 = rounds() && precision == Precision::kFast;
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        const Sum sum = reference(x, w, i, j, as_bf16);
        ASSERT_NEAR(y[i * n + j], sum.value, tolerance(sum, k)) << i << ", " << j;
      }
    }
  }
}

TEST_P(GemmTest, RefusesWhatItCannotMultiply) {
  float one[4] = {};
  ThreadPool pool(1);
  const MatrixView f32 = {one, DType::kF32, 2};
  const MatrixOut out = {one, DType::kF32, 2};
  EXPECT_THROW(gemm(2, 2, 2, {one, DType::kS32, 2}, f32, out, pool), Error);
  EXPECT_THROW(gemm(2, 2, 2, f32, {one, DType::kF32, 1}, out, pool), Error);
  EXPECT_THROW(gemm(-1, 2, 2, f32, f32, out, pool), Error);
  EXPECT_THROW(gemm(2, 2, 2, f32, f32, {one, DType::kF16, 2}, pool), Error);
  EXPECT_THROW(linear(1, 2, 2, one, {one, DType::kF32, 2, true}, one, pool), Error);
  EXPECT_THROW(
      linear(1, 2, 2, one, f32, one, pool, {Precision::kFast, Epilogue::kSiluMul, nullptr}), Error);
}

}  // namespace
}  // namespace xylem::kernels
