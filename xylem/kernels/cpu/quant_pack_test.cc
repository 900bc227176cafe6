#include "xylem/kernels/cpu/quant_pack.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/dequantize.h"
#include "xylem/kernels/cpu/quant_test_util.h"

namespace xylem::kernels {
namespace {

// Fused multiply-adds differ from ggml's two roundings by this much of the largest term.
constexpr float kFused = 3e-7f;

std::vector<BlockType> all_types() {
  std::vector<BlockType> types(std::begin(kQuantisedTypes), std::end(kQuantisedTypes));
  types.insert(types.end(), std::begin(kPlainTypes), std::end(kPlainTypes));
  return types;
}

std::vector<float> dequantized(BlockType type, int64_t n, int64_t k,
                               const std::vector<uint8_t>& blocks) {
  std::vector<float> values(n * k);
  dequantize(type, blocks.data(), values.data(), n * k);
  return values;
}

float largest(const std::vector<float>& values) {
  float top = 0;
  for (float value : values) top = std::max(top, std::abs(value));
  return top;
}

TEST(Pack, KeepsEveryValue) {
  at_each_level([] {
    for (BlockType type : all_types()) {
      SCOPED_TRACE(block_info(type).name);
      const int64_t n = 21, k = 512;
      const auto blocks = random_matrix(type, n, k, 1);
      PackedMemory packed = packed_matrix(type, n, k, blocks);
      std::vector<int32_t> ids(n);
      std::iota(ids.begin(), ids.end(), 0);
      std::vector<float> rows(n * k);
      embed_rows(type, n, k, packed.data(), ids.data(), n, rows.data());
      const auto expected = dequantized(type, n, k, blocks);
      const float tolerance = kFused * largest(expected);
      for (int64_t i = 0; i < n * k; ++i) ASSERT_NEAR(rows[i], expected[i], tolerance) << i;
    }
  });
}

TEST(Pack, KeepsTheBitWidth) {
  for (BlockType type : kQuantisedTypes) {
    const BlockInfo& info = block_info(type);
    const size_t source = 64 * (2048 / info.elements) * info.bytes;
    // Unpacked 4- and 6-bit scales cost most in Q2_K; Q8_K's scale is repeated.
    EXPECT_LE(packed_bytes(type, 64, 2048), source * 5 / 4) << info.name;
  }
  EXPECT_EQ(packed_bytes(BlockType::kQ4_1, 16, 576), 16u * 18 * 20);
}

TEST(Pack, PermutesConcatenatesAndInterleavesRows) {
  const BlockType type = BlockType::kQ4_1;
  const int64_t n = 32, k = 64;
  const auto first = random_matrix(type, n, k, 1), second = random_matrix(type, n, k, 2);
  const auto a = dequantized(type, n, k, first), b = dequantized(type, n, k, second);
  std::vector<int32_t> reversed(n);
  for (int64_t i = 0; i < n; ++i) reversed[i] = static_cast<int32_t>(n - 1 - i);
  PackedMemory packed(packed_bytes(type, 2 * n, k));
  const auto row = [&](int32_t id) {
    std::vector<float> values(k);
    embed_rows(type, 2 * n, k, packed.data(), &id, 1, values.data());
    return values;
  };
  const auto expect_row = [&](int32_t id, const std::vector<float>& source, int64_t from) {
    const auto values = row(id);
    for (int64_t i = 0; i < k; ++i) EXPECT_NEAR(values[i], source[from * k + i], 1e-6) << id;
  };
  pack(type, n, k, first.data(), packed.data(), {.rows = reversed.data()});
  pack(type, n, k, second.data(), packed.data(), {.first_group = n / kGroupRows});
  expect_row(3, a, n - 4);
  expect_row(n + 3, b, 3);
  pack(type, n, k, first.data(), packed.data(), {.first_group = 0, .group_step = 2});
  pack(type, n, k, second.data(), packed.data(), {.first_group = 1, .group_step = 2});
  expect_row(3, a, 3);
  expect_row(16 + 3, b, 3);
  expect_row(32 + 3, a, 16 + 3);
}

TEST(Pack, RefusesWhatDoesNotFit) {
  EXPECT_THROW(packed_bytes(BlockType::kQ4_1, 16, 48), Error);
  EXPECT_THROW(packed_bytes(BlockType::kQ4K, 16, 576), Error);
  EXPECT_THROW(packed_bytes(BlockType::kQ4_1, -1, 32), Error);
  EXPECT_THROW(packed_bytes(BlockType::kQ4_1, 16, 0), Error);
  EXPECT_THROW(packed_bytes(BlockType::kF32, 16, int64_t{1} << 62), Error);
  EXPECT_THROW(packed_bytes(BlockType::kI8, 16, 32), Error);
  const int32_t id = 16;
  PackedMemory packed(packed_bytes(BlockType::kQ4_1, 16, 32));
  float row[32];
  EXPECT_THROW(embed_rows(BlockType::kQ4_1, 16, 32, packed.data(), &id, 1, row), Error);
  const std::vector<int32_t> rows(16, 16);
  const auto blocks = random_matrix(BlockType::kQ4_1, 16, 32, 1);
  EXPECT_THROW(pack(BlockType::kQ4_1, 16, 32, blocks.data(), packed.data(), {.rows = rows.data()}),
               Error);
}

// The value of row `row` at k0 + i in a panel of either kind.
void check_panels(BlockType type, int64_t k, int64_t k0, int64_t kc) {
  const int64_t n = 37, group = 2;
  const auto blocks = random_matrix(type, n, k, 3);
  const auto expected = dequantized(type, n, k, blocks);
  const float tolerance = kFused * largest(expected);
  PackedMemory packed = packed_matrix(type, n, k, blocks);
  std::vector<float> panel(kc * 16);
  std::vector<uint16_t> narrow((kc + 1) / 2 * 32);
  unpack_panel_f32(type, n, k, packed.data(), group, k0, kc, panel.data());
  unpack_panel_bf16(type, n, k, packed.data(), group, k0, kc, narrow.data());
  for (int64_t i = 0; i < kc; ++i) {
    for (int64_t row = 0; row < 16; ++row) {
      const int64_t at = 16 * group + row;
      const float value = at < n ? expected[at * k + k0 + i] : 0;
      ASSERT_NEAR(panel[16 * i + row], value, tolerance) << i << " " << row;
      ASSERT_EQ(narrow[(i / 2 * 16 + row) * 2 + i % 2], float_to_bf16(panel[16 * i + row]));
    }
  }
  if (kc % 2 != 0) {
    ASSERT_EQ(narrow[narrow.size() - 1], 0);
  }
}

TEST(UnpackPanel, EqualsDequantize) {
  at_each_level([] {
    for (BlockType type : all_types()) {
      SCOPED_TRACE(block_info(type).name);
      check_panels(type, 512, 0, 512);
      check_panels(type, 512, 288, 64);
    }
    for (BlockType type : kPlainTypes) check_panels(type, 77, 32, 45);
  });
}

}  // namespace
}  // namespace xylem::kernels
