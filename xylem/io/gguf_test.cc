// GGUF files that the official gguf package wrote (scripts/make_io_reference.py).
#include "xylem/io/gguf.h"

#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "xylem/base/file.h"
#include "xylem/io/json.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

using nlohmann::json;

void expect_value(const GgufFile& file, const std::string& key, const json& expected) {
  SCOPED_TRACE(key);
  if (expected.is_string()) {
    EXPECT_EQ(file.get_string(key), expected.get<std::string>());
  } else if (expected.is_boolean()) {
    EXPECT_EQ(file.get_bool(key), expected.get<bool>());
  } else if (expected.is_number_float()) {
    EXPECT_EQ(file.get_f32(key), expected.get<float>());
  } else if (expected.is_number_unsigned()) {
    EXPECT_EQ(file.find(key)->as_uint(), expected.get<uint64_t>());
  } else if (expected.is_number()) {
    EXPECT_EQ(file.get_i64(key), expected.get<int64_t>());
  } else if (expected[0].is_string()) {
    auto strings = file.get_strings(key);
    EXPECT_EQ(std::vector<std::string>(strings.begin(), strings.end()),
              expected.get<std::vector<std::string>>());
  } else if (expected[0].is_boolean()) {
    EXPECT_EQ(file.get_bools(key), expected.get<std::vector<bool>>());
  } else if (expected[0].is_number_float()) {
    EXPECT_EQ(file.get_floats(key), expected.get<std::vector<float>>());
  } else {
    EXPECT_EQ(file.get_ints(key), expected.get<std::vector<int64_t>>());
  }
}

void expect_sample(const GgufFile& file) {
  json expected = read_json_file(data_path("sample.gguf.json"));
  for (const auto& [key, value] : expected["metadata"].items()) expect_value(file, key, value);
  ASSERT_EQ(file.tensors().size(), expected["tensors"].size());
  for (size_t i = 0; i < file.tensors().size(); ++i) {
    const GgufTensor& tensor = file.tensors()[i];
    const json& reference = expected["tensors"][i];
    EXPECT_EQ(tensor.name, reference["name"].get<std::string>());
    EXPECT_EQ(tensor.type_name(), reference["type"].get<std::string>());
    EXPECT_EQ(tensor.shape, reference["shape"].get<std::vector<int64_t>>());
    EXPECT_EQ(hex(tensor.data), reference["hex"].get<std::string>()) << tensor.name;
  }
}

TEST(Gguf, ReadsWhatTheOfficialPackageWrote) {
  auto file = GgufFile::open(data_path("sample.gguf"));
  EXPECT_EQ(file->version(), 3u);
  EXPECT_EQ(file->alignment(), 32u);
  EXPECT_EQ(file->parts(), 1u);
  expect_sample(*file);
}

TEST(Gguf, ReadsVersionTwo) {
  std::string bytes = read_file(data_path("sample.gguf"));
  bytes[4] = 2;
  auto file = GgufFile::parse(std::as_bytes(std::span(bytes)), "v2");
  EXPECT_EQ(file->version(), 2u);
  expect_sample(*file);
}

TEST(Gguf, TensorsAreViewsThatOutliveTheFile) {
  TensorView tensor;
  {
    auto file = GgufFile::open(data_path("sample.gguf"));
    tensor = file->tensor("plain.f32", {3, 4});
    file->release(tensor);
    EXPECT_FALSE(file->has_tensor("absent"));
  }
  EXPECT_EQ(tensor.type, DType::kF32);
  EXPECT_EQ(tensor.elements(), 12);
  float last;
  std::memcpy(&last, tensor.data.data() + 11 * sizeof last, sizeof last);
  EXPECT_EQ(last, 11.0f);
}

TEST(Gguf, GettersSayWhatIsThereAndWhatWasExpected) {
  auto file = GgufFile::open(data_path("sample.gguf"));
  expect_error([&] { file->get_u32("absent"); }, ErrorCode::kNotFound,
               "sample.gguf has no metadata key 'absent'");
  expect_error([&] { file->get_u32("test.i8"); }, ErrorCode::kInvalidArgument,
               "key 'test.i8' is -128 of type i8, expected an integer from 0 to 4294967295");
  expect_error([&] { file->get_i64("test.u64"); }, ErrorCode::kInvalidArgument, "below 2^63");
  expect_error([&] { file->get_u32("test.string"); }, ErrorCode::kInvalidArgument, "is string");
  expect_error([&] { file->get_string("test.u8"); }, ErrorCode::kInvalidArgument, "a string");
  expect_error([&] { file->get_bool("test.u8"); }, ErrorCode::kInvalidArgument, "a bool");
  expect_error([&] { file->get_f32("test.bool"); }, ErrorCode::kInvalidArgument, "a number");
  expect_error([&] { file->get_strings("test.string"); }, ErrorCode::kInvalidArgument, "an array");
  expect_error([&] { file->get_strings("test.ints"); }, ErrorCode::kInvalidArgument,
               "is array of i32, expected an array of strings");
  expect_error([&] { file->get_ints("test.strings"); }, ErrorCode::kInvalidArgument, "integers");
  expect_error([&] { file->get_floats("test.bools"); }, ErrorCode::kInvalidArgument, "numbers");
  expect_error([&] { file->get_bools("test.ints"); }, ErrorCode::kInvalidArgument, "bools");
  EXPECT_EQ(file->get_u32("absent", 7), 7u);
  EXPECT_EQ(file->get_string("absent", "x"), "x");
  EXPECT_EQ(file->get_u32("test.u8"), 255u);
  EXPECT_EQ(file->get_i64("test.i64"), INT64_MIN);
  EXPECT_EQ(file->get_f32("test.u8"), 255.0f);
  expect_error([&] { file->get_u32("test.string", 7); }, ErrorCode::kInvalidArgument, "integer");
}

TEST(Gguf, TensorErrorsNameTheFileAndTheTensor) {
  auto file = GgufFile::open(data_path("sample.gguf"));
  expect_error([&] { file->tensor("no.such"); }, ErrorCode::kNotFound,
               "sample.gguf has no tensor 'no.such'");
  expect_error(
      [&] {
        file->tensor("plain.f32", {4, 3});
      },
      ErrorCode::kInvalidArgument, "'plain.f32' has shape [3, 4], expected [4, 3]");
  expect_error([&] { file->tensor("block.IQ2_XXS"); }, ErrorCode::kUnimplemented,
               "'block.IQ2_XXS' is of type IQ2_XXS, which this build cannot read");
}

TEST(Gguf, ReadsSplitModelsByTheirFirstPart) {
  auto file = GgufFile::open(data_path("split-00001-of-00003.gguf"));
  EXPECT_EQ(file->parts(), 3u);
  ASSERT_EQ(file->tensors().size(), 5u);
  for (int i = 0; i < 5; ++i) {
    TensorView tensor = file->tensor("t" + std::to_string(i), {i + 1, 2});
    float value;
    std::memcpy(&value, tensor.data.data() + tensor.data.size() - sizeof value, sizeof value);
    EXPECT_EQ(value, static_cast<float>(i));
    file->release(tensor);
  }
}

TEST(Gguf, RefusesSplitModelsThatAreNotWhole) {
  TempFolder folder;
  auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy(data_path(from), folder.file(to));
  };
  copy("split-00001-of-00003.gguf", "m-00001-of-00003.gguf");
  copy("split-00003-of-00003.gguf", "m-00003-of-00003.gguf");
  expect_error([&] { GgufFile::open(folder.file("m-00001-of-00003.gguf")); }, ErrorCode::kNotFound,
               "m-00002-of-00003.gguf");
  copy("split-00003-of-00003.gguf", "m-00002-of-00003.gguf");
  expect_error([&] { GgufFile::open(folder.file("m-00001-of-00003.gguf")); },
               ErrorCode::kInvalidArgument, "m-00002-of-00003.gguf is not part 2 of 3");
  expect_error([&] { GgufFile::open(folder.file("m-00003-of-00003.gguf")); },
               ErrorCode::kInvalidArgument, "open the first");
  copy("split-00001-of-00003.gguf", "renamed.gguf");
  expect_error([&] { GgufFile::open(folder.file("renamed.gguf")); }, ErrorCode::kInvalidArgument,
               "expected a name that ends with -00001-of-00003.gguf");
  std::string part = read_file(data_path("split-00001-of-00003.gguf"));
  expect_error([&] { GgufFile::parse(std::as_bytes(std::span(part)), "memory"); },
               ErrorCode::kUnimplemented, "one part of a split model");
}

TEST(Gguf, ReadsArraysOfArrays) {
  Bytes bytes;
  bytes.raw("GGUF").put<uint32_t>(3).put<uint64_t>(0).put<uint64_t>(1).string("nested");
  bytes.put<uint32_t>(9).put<uint32_t>(9).put<uint64_t>(2);  // an array of two arrays
  bytes.put<uint32_t>(0).put<uint64_t>(2).put<uint8_t>(5).put<uint8_t>(6);
  bytes.put<uint32_t>(8).put<uint64_t>(1).string("x");
  auto file = GgufFile::parse(bytes.span(), "nested");
  auto inner = file->find("nested")->as_array()->first(10);
  ASSERT_EQ(inner.size(), 2u);
  EXPECT_EQ(*inner[0].as_array()->ints(), (std::vector<int64_t>{5, 6}));
  EXPECT_EQ(inner[1].as_array()->strings()->at(0), "x");
  expect_error([&] { file->get_ints("nested"); }, ErrorCode::kInvalidArgument, "array of array");
}

// The real model, where scripts/setup.sh has fetched it.
TEST(Gguf, ReadsARealModel) {
  std::string path = XYLEM_SOURCE_DIR "/.deps/models/smollm2.gguf";
  if (!std::filesystem::exists(path)) path = data_path("sample.gguf");
  auto file = GgufFile::open(path);
  EXPECT_EQ(file->get_string("general.architecture"), "llama");
  for (const GgufTensor& tensor : file->tensors()) {
    if (!tensor.known) continue;
    TensorView view = file->tensor(tensor.name);
    EXPECT_EQ(view.type.bytes(static_cast<uint64_t>(view.elements())), view.data.size());
  }
  if (!file->has("tokenizer.ggml.tokens")) return;
  auto tokens = file->get_strings("tokenizer.ggml.tokens");
  ASSERT_EQ(tokens.size(), 49152u);
  EXPECT_EQ(tokens[1], "<|im_start|>");
  EXPECT_EQ(file->tensor("token_embd.weight").shape, (std::vector<int64_t>{49152, 576}));
}

}  // namespace
}  // namespace xylem::io
