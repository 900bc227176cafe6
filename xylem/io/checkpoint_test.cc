#include "xylem/io/checkpoint.h"

#include <gtest/gtest.h>

#include "xylem/base/file.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

constexpr const char* kIndex = "model.safetensors.index.json";

// A copy of the sharded reference folder with another index.
void copy_with_index(const TempFolder& folder, std::string_view index) {
  for (const auto& file : std::filesystem::directory_iterator(data_path("sharded"))) {
    std::filesystem::copy(file, folder.path(), std::filesystem::copy_options::overwrite_existing);
  }
  write_file_atomic(folder.file(kIndex), index);
}

void expect_index_refused(std::string_view index, ErrorCode code, std::string_view text) {
  TempFolder folder;
  copy_with_index(folder, index);
  expect_error([&] { Checkpoint::open(folder.path()); }, code, text);
}

TEST(Checkpoint, ReadsShards) {
  auto weights = open_weights(data_path("sharded"));
  EXPECT_EQ(weights->tensor_names(),
            (std::vector<std::string_view>{"a.weight", "b.weight", "c.weight"}));
  TensorView a = weights->tensor("a.weight", {2, 3});
  EXPECT_EQ(hex(a.data.subspan(4, 4)), "0000803f");
  EXPECT_EQ(weights->tensor("c.weight").type, DType::kBF16);
  weights->release(a);
  EXPECT_EQ(hex(a.data.subspan(4, 4)), "0000803f");
  expect_error([&] { weights->tensor("d.weight"); }, ErrorCode::kNotFound, "sharded has no tensor");
}

TEST(Checkpoint, ReadsASingleFile) {
  TempFolder folder;
  std::filesystem::copy(data_path("sample.safetensors"), folder.file("model.safetensors"));
  auto weights = Checkpoint::open(folder.path());
  EXPECT_EQ(weights->size(), 14u);
  EXPECT_EQ(weights->tensor("linear.weight").shape, (std::vector<int64_t>{3, 4}));
}

TEST(Checkpoint, ErrorsNameTheFileAndTheTensor) {
  TempFolder empty;
  expect_error([&] { Checkpoint::open(empty.path()); }, ErrorCode::kNotFound,
               "expected model.safetensors or model.safetensors.index.json there");
  expect_index_refused(R"({"weight_map": {"a.weight": "model-00003-of-00003.safetensors"}})",
                       ErrorCode::kNotFound, "model-00003-of-00003.safetensors");
  expect_index_refused(R"({"weight_map": {"b.weight": "model-00001-of-00002.safetensors"}})",
                       ErrorCode::kDataLoss,
                       "model-00001-of-00002.safetensors has no tensor 'b.weight'");
}

TEST(Checkpoint, RefusesBadIndexFiles) {
  for (const char* index : {"[]", "{}", "7", R"({"weight_map": []})"}) {
    expect_index_refused(index, ErrorCode::kDataLoss, "has no object 'weight_map'");
  }
  expect_index_refused("{", ErrorCode::kInvalidArgument, "index.json is not valid JSON at line 1");
  for (const char* file : {"\"../sharded/x.safetensors\"", "\"/etc/passwd\"", "\"..\"", "\"\"",
                           "\"a\\\\b\"", "\"a\\u0000b\"", "7", "null"}) {
    expect_index_refused(std::string(R"({"weight_map": {"a.weight": )") + file + "}}",
                         ErrorCode::kDataLoss, "'a.weight' is in");
  }
}

}  // namespace
}  // namespace xylem::io
