#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <filesystem>
#include <limits>

#include "xylem/base/cpu.h"
#include "xylem/base/dtype.h"
#include "xylem/base/env.h"
#include "xylem/base/error.h"
#include "xylem/base/file.h"
#include "xylem/base/thread_pool.h"

namespace xylem {
namespace {

TEST(Dtype, HalfRoundTripsEveryBitPattern) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float value = f16_to_float(static_cast<uint16_t>(bits));
    if (std::isnan(value)) continue;
    EXPECT_EQ(float_to_f16(value), bits);
  }
}

TEST(Dtype, HalfRoundsToNearestEven) {
  EXPECT_EQ(float_to_f16(65519.0f), 0x7bff);
  EXPECT_EQ(float_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_f16(0x1p-25f), 0x0000);         // tie to even
  EXPECT_EQ(float_to_f16(0x1.000002p-25f), 0x0001);  // just above the tie
  EXPECT_EQ(float_to_f16(1.0f + 0x1p-11f), 0x3c00);
  EXPECT_EQ(float_to_f16(1.0f + 0x3p-11f), 0x3c02);
}

TEST(Dtype, BfloatRoundsToNearestEvenAndKeepsNan) {
  EXPECT_EQ(float_to_bf16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bf16(1.0f + 0x1p-8f), 0x3f80);
  EXPECT_EQ(float_to_bf16(1.0f + 0x3p-8f), 0x3f82);
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
}

TEST(Dtype, NamesRoundTrip) {
  for (int i = 0; i <= static_cast<int>(DType::kF64); ++i) {
    DType dtype = static_cast<DType>(i);
    EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
  }
  EXPECT_FALSE(dtype_from_name("float7"));
}

TEST(ThreadPool, RunsEveryWorkerOnceAndCoversTheRange) {
  ThreadPool pool(4);
  for (int round = 0; round < 1000; ++round) {
    std::atomic<int> mask{0};
    pool.run([&](int worker) { mask.fetch_add(1 << (4 * worker)); });
    ASSERT_EQ(mask.load(), 0x1111);
  }
  std::vector<std::atomic<int>> hits(1001);
  pool.parallel_for(1001, 7, [&](int64_t begin, int64_t end, int) {
    for (int64_t i = begin; i < end; ++i) hits[i].fetch_add(1);
  });
  for (auto& hit : hits) EXPECT_EQ(hit.load(), 1);
}

TEST(ThreadPool, SecondCallerRunsAlone) {
  ThreadPool pool(2);
  std::atomic<int> inner{0};
  pool.run([&](int) { pool.run([&](int) { inner.fetch_add(1); }); });
  EXPECT_EQ(inner.load(), 4);
}

TEST(File, MapsReadsAndReportsTheReason) {
  std::string path = testing::TempDir() + "/xylem_file_test";
  write_file_atomic(path, "sap");
  EXPECT_EQ(read_file(path), "sap");
  EXPECT_EQ(MappedFile::open(path)->bytes().size(), 3u);
  EXPECT_THROW(read_file(path, 2), Error);
  try {
    MappedFile::open(path + ".missing");
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kNotFound);
    EXPECT_NE(std::string(e.what()).find(path + ".missing"), std::string::npos);
  }
  EXPECT_THROW(MappedFile::open(testing::TempDir()), Error);
  EXPECT_THROW(write_file_atomic("/proc/no/such/place", "x"), Error);
}

TEST(Env, RefusesWhatIsNoInteger) {
  ::setenv("XYLEM_TEST_INT", "12x", 1);
  EXPECT_THROW(env_int("XYLEM_TEST_INT", 0, 100), Error);
  ::setenv("XYLEM_TEST_INT", "12", 1);
  EXPECT_EQ(env_int("XYLEM_TEST_INT", 0, 100), 12);
  EXPECT_THROW(env_int("XYLEM_TEST_INT", 0, 11), Error);
  ::setenv("XYLEM_TEST_INT", "", 1);
  EXPECT_FALSE(env_int("XYLEM_TEST_INT", 0, 100));
}

TEST(Cpu, LevelsAscend) {
  EXPECT_FALSE(cpu_levels().empty());
  EXPECT_TRUE(std::is_sorted(cpu_levels().begin(), cpu_levels().end()));
}

}  // namespace
}  // namespace xylem
