#include "xylem/runtime/buffer.h"

#include <chrono>
#include <cstring>
#include <limits>
#include <thread>

#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

using BufferTest = PluginTest;

constexpr DType kAllTypes[] = {
    DType::kBool,   DType::kS4,   DType::kS8,  DType::kS16, DType::kS32, DType::kS64,
    DType::kU4,     DType::kU8,   DType::kU16, DType::kU32, DType::kU64, DType::kF8E4M3FN,
    DType::kF8E5M2, DType::kBF16, DType::kF16, DType::kF32, DType::kF64};

// Every byte value that the type allows, over and over.
std::vector<uint8_t> pattern(DType dtype, size_t bytes) {
  std::vector<uint8_t> values(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    auto value = static_cast<uint8_t>(i * 37 + 11);
    if (dtype == DType::kBool) value &= 1;
    if (dtype == DType::kU4) value &= 15;
    if (dtype == DType::kS4) value = static_cast<uint8_t>((value & 15) - 8);
    values[i] = value;
  }
  return values;
}

std::shared_ptr<char> aligned_memory(size_t bytes) {
  return {static_cast<char*>(std::aligned_alloc(64, (bytes + 63) / 64 * 64)), std::free};
}

TEST_P(BufferTest, EveryTypeComesBackAsItWas) {
  std::vector<int64_t> dims = {3, 5, 7};
  for (DType dtype : kAllTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    std::vector<uint8_t> in = pattern(dtype, static_cast<size_t>(host_bytes(dtype, 105)));
    auto buffer = client()->from_host(in.data(), dtype, dims);
    EXPECT_EQ(buffer->dtype(), dtype);
    EXPECT_EQ(buffer->dims(), dims);
    EXPECT_EQ(buffer->size(), 105);
    EXPECT_EQ(buffer->host_size(), static_cast<int64_t>(in.size()));
    EXPECT_EQ(buffer->device_size(), (105 * bit_width(dtype) + 7) / 8);
    std::vector<uint8_t> out(in.size());
    buffer->copy_to_host(out.data());
    EXPECT_EQ(out, in);
  }
}

TEST_P(BufferTest, EveryTypePassesThroughAProgram) {
  for (DType dtype : kAllTypes) {
    SCOPED_TRACE(dtype_name(dtype));
    std::string type = "tensor<2x8x" + std::string(dtype_mlir(dtype)) + ">";
    auto program = client()->compile(
        main_program("%a: " + type, "tensor<8x2x" + std::string(dtype_mlir(dtype)) + ">",
                     "    %0 = stablehlo.transpose %a, dims = [1, 0] : (" + type +
                         ") -> tensor<8x2x" + std::string(dtype_mlir(dtype)) +
                         ">\n    return %0 : tensor<8x2x" + std::string(dtype_mlir(dtype)) + ">\n"),
        {}, false);
    size_t item = static_cast<size_t>(host_bytes(dtype, 1));
    std::vector<uint8_t> in = pattern(dtype, 16 * item), out(16 * item);
    std::vector<int64_t> dims = {2, 8};
    Buffers results = program->execute(std::vector{client()->from_host(in.data(), dtype, dims)});
    EXPECT_EQ(results[0]->dtype(), dtype);
    EXPECT_EQ(results[0]->dims(), (std::vector<int64_t>{8, 2}));
    results[0]->copy_to_host(out.data());
    for (size_t row = 0; row < 2; ++row) {
      for (size_t column = 0; column < 8; ++column) {
        EXPECT_EQ(
            std::memcmp(&out[(column * 2 + row) * item], &in[(row * 8 + column) * item], item), 0);
      }
    }
  }
}

TEST_P(BufferTest, ScalarsAndEmptyArrays) {
  float value = 2.5f, out = 0;
  auto scalar = client()->from_host(&value, DType::kF32, {});
  scalar->copy_to_host(&out);
  EXPECT_EQ(out, value);
  EXPECT_EQ(scalar->size(), 1);
  auto empty = client()->from_host(&value, DType::kF32, std::vector<int64_t>{4, 0, 3});
  EXPECT_EQ(empty->size(), 0);
  EXPECT_EQ(empty->host_size(), 0);
  empty->copy_to_host(&out);
}

TEST_P(BufferTest, HostMemoryMayChangeAfterACopyingUpload) {
  std::vector<float> values(1 << 16, 1.0f);
  auto buffer = upload(client(), values);
  std::fill(values.begin(), values.end(), 2.0f);
  EXPECT_EQ(download(*buffer), std::vector<float>(1 << 16, 1.0f));
}

TEST_P(BufferTest, WrongUploads) {
  float value = 0;
  auto shape = [&](std::vector<int64_t> dims) {
    return std::string(error_of([&] { client()->from_host(&value, DType::kF32, dims); }).what());
  };
  EXPECT_TRUE(contains(shape({2, -1}), "dimension 1 is -1"));
  int64_t huge = std::numeric_limits<int64_t>::max() / 2;
  EXPECT_TRUE(contains(shape({huge, huge}), "negative or too large"));
  EXPECT_TRUE(contains(error_of([&] { client()->from_host(&value, DType::kF32, {}, 8); }).what(),
                       "device 8: this client has 8 devices"));
  EXPECT_TRUE(contains(
      error_of([&] { client()->from_host(&value, DType::kF32, {}, 0, HostUse::kZeroCopy); }).what(),
      "no owner"));
}

TEST_P(BufferTest, DevicesAreDistinct) {
  for (int device = 0; device < kTestDevices; ++device) {
    auto buffer = upload(client(), {static_cast<float>(device)}, device);
    EXPECT_EQ(download(*buffer)[0], static_cast<float>(device));
    EXPECT_EQ(buffer->memory_kind(), "device");
  }
}

TEST_P(BufferTest, AlignedMemoryIsAliasedAndKeptUntilTheEnd) {
  std::shared_ptr<char> memory = aligned_memory(4096);
  std::memset(memory.get(), 7, 4096);
  const char* address = memory.get();
  std::weak_ptr<char> alive = memory;
  std::vector<int64_t> dims = {4096};
  auto buffer = client()->from_host(address, DType::kU8, dims, 0, HostUse::kZeroCopy,
                                    std::exchange(memory, nullptr));
  buffer->ready().wait();
  EXPECT_EQ(buffer->unsafe_pointer(), address);
  EXPECT_FALSE(alive.expired());
  buffer.reset();
  EXPECT_TRUE(alive.expired());
}

TEST_P(BufferTest, MisalignedMemoryIsCopiedAndLetGo) {
  std::shared_ptr<char> memory = aligned_memory(4096);
  std::memset(memory.get(), 9, 4096);
  const char* address = memory.get() + 4;
  std::weak_ptr<char> alive = memory;
  std::vector<int64_t> dims = {1023};
  auto buffer = client()->from_host(address, DType::kF32, dims, 0, HostUse::kZeroCopy,
                                    std::exchange(memory, nullptr));
  buffer->ready().wait();
  EXPECT_NE(buffer->unsafe_pointer(), address);
  EXPECT_TRUE(alive.expired());
}

TEST_P(BufferTest, AliasedMemorySurvivesDonation) {
  std::shared_ptr<char> memory = aligned_memory(4096);
  auto* values = reinterpret_cast<float*>(memory.get());
  for (int i = 0; i < 1024; ++i) values[i] = static_cast<float>(i);
  std::vector<int64_t> dims = {1024};
  auto program = client()->compile(double_program(1024, kAliasFirst), {}, false);
  auto buffer = client()->from_host(values, DType::kF32, dims, 0, HostUse::kZeroCopy, memory);
  Buffers results = program->execute(std::vector{buffer});
  EXPECT_EQ(download(*results[0])[1023], 2046.0f);
  for (int i = 0; i < 1024; ++i) ASSERT_EQ(values[i], static_cast<float>(i));
}

TEST_P(BufferTest, AliasedMemoryOutlivesTheWorkThatReadsIt) {
  constexpr int64_t kCount = 1 << 18;
  std::string type = "tensor<" + std::to_string(kCount) + "xf32>";
  std::string body = "    %0 = stablehlo.sine %a : " + type + "\n";
  for (int i = 1; i < 6; ++i) {
    body += "    %" + std::to_string(i) + " = stablehlo.sine %" + std::to_string(i - 1) + " : " +
            type + "\n";
  }
  auto program = client()->compile(
      main_program("%a: " + type, type, body + "    return %5 : " + type + "\n"), {}, false);
  std::vector<float> first;
  for (int round = 0; round < 8; ++round) {
    std::shared_ptr<char> memory(
        static_cast<char*>(std::aligned_alloc(64, kCount * 4)), [](char* freed) {
          std::memset(freed, 0xff, kCount * 4);  // NaN, should anyone still read it
          std::free(freed);
        });
    auto* values = reinterpret_cast<float*>(memory.get());
    for (int64_t i = 0; i < kCount; ++i) values[i] = static_cast<float>(i % 100);
    std::vector<int64_t> dims = {kCount};
    Buffers results = program->execute(std::vector{client()->from_host(
        values, DType::kF32, dims, 0, HostUse::kZeroCopy, std::exchange(memory, nullptr))});
    std::vector<float> values_out = download(*results[0]);
    if (round == 0) first = values_out;
    ASSERT_EQ(values_out, first);
  }
}

TEST_P(BufferTest, AsynchronousCopy) {
  std::vector<float> values(1000, 3.0f), out(1000);
  auto buffer = upload(client(), values);
  Future done = buffer->copy_to_host_async(out.data());
  Future copy = done;
  done.wait();
  copy.wait();
  EXPECT_TRUE(done.is_ready());
  EXPECT_EQ(out, values);
  EXPECT_TRUE(Future().is_ready());
  Future().wait();
}

XYLEM_FOR_EACH_PLUGIN(BufferTest);

}  // namespace
}  // namespace xylem::runtime
