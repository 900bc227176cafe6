// Bugs that others shipped or that the CPU plugins have, each kept away by a test.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "xylem/core/eval.h"
#include "xylem/core/jit.h"
#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

class Pitfalls : public CoreTest {};

// The compiler would like this gather's result column-major. A second program reads its arguments
// row-major without looking.
TEST_P(Pitfalls, ResultsAreRowMajorForTheNextProgram) {
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kS4}) {
    Array x = astype(reshape(arange(12), {4, 3}) - 6, dtype);
    eval(x);
    Array y = index(x, {Slice({}, {}, -1), array<int32_t>({0, 2, 2})});
    Array other = x + x;
    std::vector<Array> both = {y, other};
    eval(both);
    EXPECT_EQ(reals(astype(y, DType::kF32)),
              (std::vector<double>{3, 5, 5, 0, 2, 2, -3, -1, -1, -6, -4, -4}));
    EXPECT_EQ(reals(y), reals(astype(y, DType::kF32)));
  }
}

// An update that shifts its own base reads what it has already overwritten: 1 1 1 1 in place of
// 1 1 2 3 (openxla/xla#49176).
TEST_P(Pitfalls, AShiftByUpdatingASliceOfItself) {
  auto shifted = [](const Array& x, int64_t by, const std::function<Array(const Array&)>& f) {
    Array start = scalar(by, DType::kS32);
    int64_t rest = x.size() - by;
    Array zero = scalar(0, DType::kS32);
    return std::vector<Array>{
        reshape(dynamic_update_slice(x, f(slice(x, {0}, {rest})), {start}), {-1, 2}),
        reshape(dynamic_update_slice(x, f(dynamic_slice(x, {zero}, {rest})), {start}), {-1, 2}),
        reshape(concatenate({slice(x, {0}, {by}), f(slice(x, {0}, {rest}))}), {-1, 2})};
  };
  std::vector<std::function<Array(const Array&)>> functions = {
      [](const Array& part) { return part; }, [](const Array& part) { return part * 2 + 1; },
      [](const Array& part) {
        return reshape(reshape(part, {1, -1}), {-1});
      },
      [](const Array& part) { return astype(astype(part, DType::kF64), DType::kF32); }};
  for (int64_t size : {4, 16, 64}) {
    for (int64_t by : {1, 3}) {
      for (const auto& f : functions) {
        Array x = astype(arange(size), DType::kF32) + 1;
        eval(x);
        std::vector<Array> out = jit([&](const Array& x) { return shifted(x, by, f); })(x);
        EXPECT_EQ(reals(out[0]), reals(out[2])) << size << " by " << by;
        EXPECT_EQ(reals(out[1]), reals(out[2])) << size << " by " << by;
        std::vector<Array> eager = shifted(x, by, f);
        EXPECT_EQ(reals(eager[0]), reals(out[2]));
      }
    }
  }
}

TEST_P(Pitfalls, RollsOfEveryRankInsideJit) {
  for (Shape shape : {Shape{6}, Shape{3, 4}, Shape{2, 3, 2}, Shape{2, 2, 2, 3}}) {
    Array x = reshape(arange(element_count(shape)), shape);
    for (int64_t axis = 0; axis < x.ndim(); ++axis) {
      int64_t size = x.dim(static_cast<int>(axis));
      Array moved = jit([&](const Array& x) { return reshape(roll(x, 1, axis), {-1}); })(x);
      Array back = jit([&](const Array& y) {
        return reshape(roll(reshape(y, shape), size - 1, axis), {-1});
      })(moved);
      EXPECT_EQ(reals(back), reals(x));
      EXPECT_NE(reals(moved), reals(x));
    }
  }
}

// The inner clamp of nested dynamic slices is lost: 0 1 2 3 in place of 3 0 1 2
// (openxla/xla#49121).
TEST_P(Pitfalls, NestedDynamicSlicesKeepTheirClamps) {
  Array x = arange(16);
  auto f = [](const Array& x, const Array& i, const Array& j) {
    return dynamic_slice(dynamic_slice(x, {i}, {8}), {j}, {4});
  };
  auto compiled = jit(f);
  for (int32_t i : {-3, 0, 5, 8, 100}) {
    for (int32_t j : {-100, -1, 0, 3, 4, 9, 100}) {
      int64_t a = std::clamp(i, 0, 8), b = std::clamp(j, 0, 4);
      std::vector<double> want;
      for (int64_t k = 0; k < 4; ++k) want.push_back(static_cast<double>(a + b + k));
      Array first = scalar(i, DType::kS32), second = scalar(j, DType::kS32);
      eval(std::vector<Array>{x, first, second});
      EXPECT_EQ(reals(compiled(x, first, second)), want) << i << " " << j;
      EXPECT_EQ(reals(f(x, scalar(i, DType::kS32), scalar(j, DType::kS32))), want);  // constants
    }
  }
}

// XLA's CPU compiler drops NaN in min and max unless told otherwise.
TEST_P(Pitfalls, NaNSurvivesMinAndMax) {
  double nan = std::numeric_limits<double>::quiet_NaN();
  for (DType dtype : {DType::kF32, DType::kF64, DType::kBF16, DType::kF16}) {
    Array x = floats({nan, 1, nan, 2}, {4}, dtype), y = floats({1, nan, nan, 0}, {4}, dtype);
    EXPECT_EQ(reals(isnan(maximum(x, y))), (std::vector<double>{1, 1, 1, 0}));
    EXPECT_EQ(reals(isnan(minimum(x, y))), (std::vector<double>{1, 1, 1, 0}));
    EXPECT_EQ(reals(isnan(max(x))), std::vector<double>{1});
    EXPECT_EQ(reals(isnan(jit([](const Array& x) { return min(x); })(x))), std::vector<double>{1});
    EXPECT_EQ(reals(isnan(clip(x, 0, 1.5))), (std::vector<double>{1, 0, 1, 0}));
  }
}

// NaN of either sign counts as the largest in sorting (openxla/xla#48119).
TEST_P(Pitfalls, TheSignOfNaNDoesNotMatter) {
  Array x = bitcast(array<uint32_t>({0x3f800000, 0xffc00000, 0x7f800000, 0x7fc00000, 0xff800000}),
                    DType::kF32);  // 1 -NaN inf NaN -inf
  TopK top = top_k(x, 3);
  EXPECT_EQ(reals(top.indices), (std::vector<double>{1, 3, 2}));
  EXPECT_EQ(reals(argsort(x)), (std::vector<double>{4, 0, 2, 1, 3}));
  EXPECT_EQ(reals(argsort(x, -1, true)), (std::vector<double>{1, 3, 2, 0, 4}));
  EXPECT_EQ(argmax(x).item<int32_t>(), 1);
  EXPECT_EQ(argmin(x).item<int32_t>(), 1);
}

// Rounding to bf16 between fused operations may vanish; reduce_precision keeps it
// (jax-ml/jax#23007, #6283).
TEST_P(Pitfalls, ReducePrecisionIsNotOptimisedAway) {
  Array x = random::normal(random::key(9), {64});
  auto f = [](const Array& x) {
    Array rounded = reduce_precision(x * 1.001, DType::kBF16);
    return (x * 1.001 - rounded) * 1024;  // what the rounding took away
  };
  eval(x);
  Array step = x * 1.001;
  eval(step);
  Array rounded = astype(step, DType::kBF16);
  eval(rounded);
  std::vector<double> want = reals((step - astype(rounded, DType::kF32)) * 1024);
  EXPECT_EQ(reals(jit(f)(x)), want);
  EXPECT_GT(*std::max_element(want.begin(), want.end()), 0.1);
}

// array() may not alias the caller's vector (jax-ml/jax#37830).
TEST_P(Pitfalls, ChangingTheVectorBehindAnArrayChangesNothing) {
  std::vector<float> values(4096, 1);
  Array before = array<float>(values), used = array<float>(values);
  Array lazy = used * 2;
  eval(used);
  values.assign(4096, 9);
  EXPECT_EQ(reals(before)[5], 1);
  EXPECT_EQ(reals(lazy)[5], 2);
}

// A decode step must not copy its cache (openxla/xla#45912). jaxlib 0.81's plugin still makes one
// copy of what it reads after the update; the result takes the cache's memory all the same.
TEST_P(Pitfalls, ADonatedCacheIsUpdatedInPlace) {
  auto step = jit(
      [](const Array& cache, const Array& row, const Array& at) {
        Array zero = scalar(0, DType::kS32);
        Array next = dynamic_update_slice(cache, row, {at, zero});
        return std::make_pair(next, sum(next * row));
      },
      {.donate = {0}});
  Array cache = zeros({1024, 256}) * 1, row = ones({1, 256}), at = scalar(3, DType::kS32);
  eval(std::vector<Array>{cache, row, at});
  auto stats = step.lower(cache, row, at)->executable()->memory_stats();
  EXPECT_GE(stats.aliased, 1024 * 256 * 4);
  bool copies = GetParam().find("0.81") != std::string::npos;
  EXPECT_LT(stats.temporaries, 64 * 1024 + (copies ? 1024 * 256 * 4 : 0));
  const void* memory = buffer_of(cache)->unsafe_pointer();
  auto [next, total] = step(cache, row, at);
  EXPECT_EQ(buffer_of(next)->unsafe_pointer(), memory);
  EXPECT_EQ(total.item<float>(), 256);
}

// One bit, 4 bits and 8-bit floats keep their values on the way in and out.
TEST_P(Pitfalls, SmallDtypesMakeTheRoundTrip) {
  for (DType dtype : {DType::kBool, DType::kS4, DType::kU4, DType::kF8E4M3FN, DType::kF8E5M2}) {
    for (int64_t n : {1, 2, 7, 33}) {
      std::vector<char> bytes(static_cast<size_t>(n));
      int64_t low = dtype == DType::kS4 ? -8 : 0, count = dtype == DType::kBool ? 2 : 16;
      for (int64_t i = 0; i < n; ++i) {
        if (is_floating(dtype)) {
          set_host_float(bytes.data(), dtype, i, static_cast<double>(i % 8));
        } else {
          set_host_integer(bytes.data(), dtype, i, low + i % count);
        }
      }
      Array x = from_host(bytes.data(), {n}, dtype);
      std::vector<double> want;
      for (int64_t i = 0; i < n; ++i) {
        want.push_back(static_cast<double>(is_floating(dtype) ? i % 8 : low + i % count));
      }
      EXPECT_EQ(reals(x), want) << dtype_name(dtype) << n;
      EXPECT_EQ(reals(reshape(x, {1, n})), want);  // through a program
      EXPECT_EQ(reals(astype(x, DType::kF32)), want);
      EXPECT_EQ(reals(astype(astype(x, DType::kF32) * 1, dtype)), want);
    }
  }
}

// ---- graphs of great depth ----------------------------------------------------------------------

// Runs f on a thread with a stack of 256 KiB, where recursion over the graph would end.
void on_small_stack(const std::function<void()>& f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  auto run = [](void* data) -> void* {
    (*static_cast<const std::function<void()>*>(data))();
    return nullptr;
  };
  void* data = const_cast<std::function<void()>*>(&f);  // NOLINT: the C interface
  ASSERT_EQ(pthread_create(&thread, &attributes, run, data), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

// ml-explore/mlx!982, !1462: also through the other outputs of a node.
TEST(DeepGraphs, AreDestroyedWithoutRecursion) {
  on_small_stack([] {
    Array x = zeros({4});
    for (int i = 0; i < 300'000; ++i) x = negative(x);
    x = Array();
    Array y = zeros({4});
    for (int i = 0; i < 100'000; ++i) y = concatenate(split(y, 2));
    y = Array();
    Array z = zeros({1, 4});
    for (int i = 0; i < 100'000; ++i) z = sort_together({z, z})[1];
  });
}

TEST(DeepGraphs, AreWalkedWithoutRecursion) {
  size_t nodes = 0;
  on_small_stack([&] {
    Array x = placeholder({{4}, DType::kF32, {}}, 0, 1);
    Array y = x;
    for (int i = 0; i < 100'000; ++i) y = negative(y);
    nodes = topological_order({y}).size();
    EXPECT_GT(lower_program({y}, {x}, {}, {}).text.size(), 4'000'000u);
  });
  EXPECT_EQ(nodes, 100'001u);
}

XYLEM_FOR_EACH_PLUGIN(Pitfalls);

}  // namespace
}  // namespace xylem
