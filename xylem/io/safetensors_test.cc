// Safetensors files that the official package wrote (scripts/make_io_reference.py), read back and
// written again byte for byte.
#include "xylem/io/safetensors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "xylem/base/file.h"
#include "xylem/io/json.h"
#include "xylem/io/safetensors_writer.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

using nlohmann::json;

std::vector<TensorView> all_tensors(const WeightSource& source) {
  std::vector<TensorView> out;
  for (std::string_view name : source.tensor_names()) out.push_back(source.tensor(name));
  return out;
}

TEST(Safetensors, ReadsWhatTheOfficialPackageWrote) {
  auto file = SafetensorsFile::open(data_path("sample.safetensors"));
  json expected = read_json_file(data_path("sample.safetensors.json"));
  ASSERT_EQ(file->metadata().size(), 1u);
  EXPECT_EQ(file->metadata()[0], (std::pair<std::string, std::string>("format", "pt")));
  EXPECT_EQ(file->tensors().size(), expected["tensors"].size());
  for (const json& reference : expected["tensors"]) {
    std::string name = reference["name"];
    auto position = file->position(name);
    ASSERT_TRUE(position) << name;
    EXPECT_EQ(file->tensors()[*position].dtype, reference["type"].get<std::string>());
    TensorView tensor = file->tensor(name, reference["shape"].get<std::vector<int64_t>>());
    EXPECT_EQ(hex(tensor.data), reference["hex"].get<std::string>()) << name;
    file->release(tensor);
  }
  EXPECT_EQ(file->tensor("norm.weight").type, kernels::BlockType::kBF16);
  EXPECT_FALSE(file->tensor("fp8.e4m3").type.block());
}

TEST(Safetensors, WriterMakesTheOfficialBytes) {
  auto file = SafetensorsFile::open(data_path("sample.safetensors"));
  TempFolder folder;
  write_safetensors(folder.file("copy"), all_tensors(*file), {{"format", "pt"}});
  EXPECT_EQ(read_file(folder.file("copy")), read_file(data_path("sample.safetensors")));
  EXPECT_EQ(folder.count(), 1u);
}

// tests/python/test_safetensors.py sets the folder and reads the file with other readers.
TEST(Safetensors, WriterServesOtherReaders) {
  TempFolder own;
  const char* given = std::getenv("XYLEM_TEST_OUTPUT");
  std::string folder = given ? given : own.path();
  std::vector<float> values = {0.5f, -1.0f, 2.0f, 3.0f, -4.5f, 1e30f};
  std::vector<int64_t> ids = {1, -2};
  std::vector<uint16_t> halves = {0x3f80, 0xc000};
  write_safetensors(folder + "/ours.safetensors",
                    {{"logits", DType::kF32, {2, 3}, std::as_bytes(std::span(values))},
                     {"ids \"q\" 名", DType::kS64, {2}, std::as_bytes(std::span(ids))},
                     {"bf16", DType::kBF16, {2, 1}, std::as_bytes(std::span(halves))},
                     {"none", DType::kF16, {0}, {}}},
                    {{"format", "pt"}, {"made \n by", "xylem"}});
  auto file = SafetensorsFile::open(folder + "/ours.safetensors");
  EXPECT_EQ(file->tensors().size(), 4u);
  EXPECT_EQ(file->metadata().size(), 2u);
}

TEST(Safetensors, WriterStreamsInItsOrder) {
  TempFolder folder;
  std::vector<TensorView> descriptions = {{"b", DType::kU8, {3}}, {"a", DType::kF32, {1}}};
  SafetensorsWriter writer(folder.file("s"), descriptions);
  EXPECT_EQ(writer.order(), (std::vector<size_t>{1, 0}));
  for (const char* chunk : {"12", "34", "xy", "z"}) {
    writer.write(std::as_bytes(std::span(std::string_view(chunk))));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("s")));
  writer.commit();
  auto file = SafetensorsFile::open(folder.file("s"));
  EXPECT_EQ(hex(file->tensor("a").data), "31323334");
  EXPECT_EQ(hex(file->tensor("b").data), "78797a");
}

TEST(Safetensors, WriterRefusesWhatTheFormatLacks) {
  TempFolder folder;
  std::string path = folder.file("w");
  auto write = [&](std::vector<TensorView> tensors) { write_safetensors(path, tensors); };
  std::byte byte{};
  std::span<const std::byte> one(&byte, 1);
  expect_error(
      [&] {
        write({{"q", kernels::BlockType::kQ4_0, {32}}});
      },
      ErrorCode::kInvalidArgument, "no tensor 'q' of type Q4_0");
  expect_error([&] { write({{"i", DType::kS4, {1}, one}}); }, ErrorCode::kInvalidArgument, "int4");
  expect_error(
      [&] {
        write({{"a", DType::kU8, {1}, one}, {"a", DType::kU8, {1}, one}});
      },
      ErrorCode::kDataLoss, "'a' twice");
  expect_error(
      [&] {
        write({{"__metadata__", DType::kU8, {1}, one}});
      },
      ErrorCode::kInvalidArgument, "'__metadata__'");
  expect_error(
      [&] {
        write({{"\xff", DType::kU8, {1}, one}});
      },
      ErrorCode::kInvalidArgument, "not valid UTF-8");
  expect_error(
      [&] {
        write({{"n", DType::kU8, {-1}, one}});
      },
      ErrorCode::kInvalidArgument, "'n' cannot have shape [-1]");
  expect_error(
      [&] {
        write({{"n", DType::kU8, {2}, one}});
      },
      ErrorCode::kInvalidArgument, "'n' has 1 bytes for shape [2]");
  expect_error(
      [&] {
        SafetensorsWriter(path, std::vector<TensorView>{{"n", DType::kU8, {2}}}).commit();
      },
      ErrorCode::kInvalidArgument, "0 bytes of data were given, expected 2");
  EXPECT_EQ(folder.count(), 0u);
}

// A limit on the size of files stands for the full disk: the write fails the same way.
TEST(Safetensors, FailedWritesLeaveTheOldFile) {
  TempFolder folder;
  write_file_atomic(folder.file("model"), "old");
  std::vector<std::byte> big(1 << 20);
  std::vector<TensorView> tensors = {{"w", DType::kU8, {1 << 20}, big}};
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  rlimit tight{1 << 16, before.rlim_max};
  auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &tight);
  expect_error([&] { write_safetensors(folder.file("model"), tensors); },
               ErrorCode::kInvalidArgument, "/model: File too large");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(read_file(folder.file("model")), "old");
  EXPECT_EQ(folder.count(), 1u);
  EXPECT_THROW(write_safetensors("/sys/kernel/model", tensors), Error);
  expect_error([&] { write_safetensors(folder.file("no/folder"), tensors); }, ErrorCode::kNotFound,
               "no/folder");
}

TEST(Safetensors, ReadsTheReferenceModelsBesideTheCheckout) {
  std::string root = XYLEM_SOURCE_DIR "/../shared/reference/tiny";
  std::vector<std::string> files = {data_path("sample.safetensors")};
  if (std::filesystem::exists(root)) {
    for (const auto& folder : std::filesystem::directory_iterator(root)) {
      files.push_back(folder.path() / "model.safetensors");
    }
  }
  for (const std::string& path : files) {
    if (!std::filesystem::exists(path)) continue;
    auto weights = open_weights(path);
    for (const TensorView& tensor : all_tensors(*weights)) {
      EXPECT_EQ(tensor.type.bytes(static_cast<uint64_t>(tensor.elements())), tensor.data.size());
    }
  }
}

}  // namespace
}  // namespace xylem::io
