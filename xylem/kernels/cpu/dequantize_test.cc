#include "xylem/kernels/cpu/dequantize.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "xylem/base/error.h"
#include "xylem/kernels/cpu/quant_test_util.h"

namespace xylem::kernels {
namespace {

// tests/data/blocks.safetensors, made by scripts/make_block_reference.py with the gguf package.
class Reference {
 public:
  Reference() {
    std::ifstream file(XYLEM_SOURCE_DIR "/tests/data/blocks.safetensors", std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    uint64_t header = 0;
    std::memcpy(&header, bytes_.data(), sizeof header);
    json_ = nlohmann::json::parse(bytes_.substr(8, header));
    data_ = bytes_.data() + 8 + header;
  }

  template <typename T>
  std::vector<T> tensor(const std::string& name) const {
    const auto& range = json_.at(name).at("data_offsets");
    const int64_t begin = range[0], end = range[1];
    std::vector<T> values((end - begin) / sizeof(T));
    std::memcpy(values.data(), data_ + begin, end - begin);
    return values;
  }

 private:
  std::string bytes_;
  nlohmann::json json_;
  const char* data_ = nullptr;
};

TEST(Dequantize, EqualsTheGgufPackage) {
  const Reference reference;
  for (BlockType type : kQuantisedTypes) {
    const std::string name(block_info(type).name);
    SCOPED_TRACE(name);
    const auto blocks = reference.tensor<uint8_t>(name + ".blocks");
    const auto expected = reference.tensor<float>(name + ".values");
    std::vector<float> values(expected.size());
    dequantize(type, blocks.data(), values.data(), static_cast<int64_t>(values.size()));
    EXPECT_EQ(values, expected);
  }
}

TEST(Dequantize, PlainTypes) {
  const std::vector<float> expected = {0.0f, -1.5f, 0.25f, 1024.0f};
  for (BlockType type : kPlainTypes) {
    std::vector<uint8_t> bytes;
    for (float value : expected) {
      const uint16_t bits = type == BlockType::kF16 ? float_to_f16(value) : float_to_bf16(value);
      const auto* source = type == BlockType::kF32 ? reinterpret_cast<const uint8_t*>(&value)
                                                   : reinterpret_cast<const uint8_t*>(&bits);
      bytes.insert(bytes.end(), source, source + block_info(type).bytes);
    }
    std::vector<float> values(4);
    dequantize(type, bytes.data(), values.data(), 4);
    EXPECT_EQ(values, expected) << block_info(type).name;
  }
}

TEST(Dequantize, RefusesWhatItCannotRead) {
  uint8_t block[512] = {};
  float out[256];
  EXPECT_THROW(dequantize(BlockType::kQ4_0, block, out, 31), Error);
  EXPECT_THROW(dequantize(BlockType::kQ4K, block, out, 32), Error);
  EXPECT_THROW(dequantize(BlockType::kQ4_0, block, out, -32), Error);
  EXPECT_THROW(dequantize(BlockType::kI32, block, out, 32), Error);
}

}  // namespace
}  // namespace xylem::kernels
