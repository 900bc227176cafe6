#include "xylem/io/inspect.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "xylem/base/file.h"
#include "xylem/io/json.h"
#include "xylem/io/printable.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

using nlohmann::json;

json inspect_json(const std::string& path) {
  return parse_json(inspect(path, InspectStyle::kJson), "inspect");
}

TEST(Inspect, GgufAsJson) {
  json summary = inspect_json(data_path("sample.gguf"));
  json expected = read_json_file(data_path("sample.gguf.json"));
  EXPECT_EQ(summary["format"], "gguf");
  EXPECT_EQ(summary["version"], 3);
  for (const auto& [key, value] : expected["metadata"].items()) {
    if (value.is_array() && value.size() > 8) {
      EXPECT_EQ(summary["metadata"][key]["count"], value.size());
      EXPECT_EQ(summary["metadata"][key]["array_of"], "string");
      EXPECT_EQ(summary["metadata"][key]["first"].size(), 8u);
    } else {
      EXPECT_EQ(summary["metadata"][key], value) << key;
    }
  }
  uint64_t bytes = 0;
  for (size_t i = 0; i < expected["tensors"].size(); ++i) {
    const json& tensor = expected["tensors"][i];
    uint64_t size = tensor["hex"].get<std::string>().size() / 2;
    EXPECT_EQ(summary["tensors"][i], (json{{"name", tensor["name"]},
                                           {"type", tensor["type"]},
                                           {"shape", tensor["shape"]},
                                           {"bytes", size}}));
    bytes += size;
  }
  EXPECT_EQ(summary["bytes"], bytes);
  EXPECT_EQ(summary["parameters"], 12 + 4 + 6 + 1 + 15 * 512);
}

TEST(Inspect, FolderAndSafetensorsAsJson) {
  json folder = inspect_json(data_path("sharded"));
  EXPECT_EQ(folder["format"], "folder");
  EXPECT_EQ(folder["files"], 2);
  EXPECT_EQ(folder["metadata"]["hidden_size"], 3);
  EXPECT_EQ(folder["metadata"]["layer_types"]["count"], 12);
  EXPECT_EQ(folder["parameters"], 11);
  EXPECT_EQ(folder["bytes"], 42);
  json file = inspect_json(data_path("sample.safetensors"));
  EXPECT_EQ(file["metadata"], (json{{"format", "pt"}}));
  EXPECT_EQ(file["tensors"].size(), 14u);
}

TEST(Inspect, TextShowsEverythingAndNoControlCharacters) {
  std::string gguf = inspect(data_path("sample.gguf"), InspectStyle::kText);
  EXPECT_NE(gguf.find("gguf version 3, 19 tensors, 7703 parameters"), std::string::npos) << gguf;
  EXPECT_NE(gguf.find("10 x string: [\"a\",\"\",\"名前\""), std::string::npos) << gguf;
  EXPECT_NE(gguf.find("block.IQ2_XXS"), std::string::npos);
  EXPECT_NE(inspect(data_path("sharded"), InspectStyle::kText).find("folder in 2 files"),
            std::string::npos);
  std::string text = inspect(data_path("sample.safetensors"), InspectStyle::kText);
  EXPECT_NE(text.find("naïve \"名前\"\\x0a"), std::string::npos) << text;
}

TEST(Inspect, ErrorsComeThrough) {
  expect_error([] { inspect("/no/such", InspectStyle::kText); }, ErrorCode::kNotFound, "/no/such");
  expect_error([] { inspect(data_path("sharded/config.json"), InspectStyle::kText); },
               ErrorCode::kDataLoss, "no safetensors file");
}

TEST(Printable, EscapesAndShortens) {
  EXPECT_EQ(printable("plain 名前 é"), "plain 名前 é");
  EXPECT_EQ(printable("a\nb\x7f\x1b[0m"), "a\\x0ab\\x7f\\x1b[0m");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1: a terminal's CSI
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(printable("\xc0\x80"), "\\xc0\\x80");           // overlong
  EXPECT_EQ(printable("abcdef", 3), "abc...");
}

}  // namespace
}  // namespace xylem::io
