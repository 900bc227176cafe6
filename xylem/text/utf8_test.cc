#include "xylem/text/utf8.h"

#include <gtest/gtest.h>

#include <vector>

namespace xylem::text {
namespace {

std::string repair(std::string_view text) {
  std::string storage;
  return std::string(repair_utf8(text, storage));
}

// The replacements that Python's bytes.decode("utf-8", "replace") and Rust's from_utf8_lossy make
// (Unicode 15, section 3.9, table 3-8 among them).
TEST(Utf8, RepairsAsOthersDo) {
  EXPECT_EQ(repair("plain é 你 😀"), "plain é 你 😀");
  EXPECT_EQ(repair("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(repair("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(repair("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"),
            "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\x41\uFFFD\uFFFD\x42");
  EXPECT_EQ(repair("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), "\uFFFD\uFFFD\uFFFD\uFFFD\x41");
  EXPECT_EQ(repair("a\xF0\x9F\x98"), "a\uFFFD");
}

TEST(Utf8, AssemblesTheSameTextHoweverItIsCut) {
  const std::string bytes = "a\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41é你😀\xED\xA0\x80\xF0\x9F\x98";
  for (size_t step = 1; step <= bytes.size(); ++step) {
    Utf8Assembler assembler;
    std::string text;
    for (size_t at = 0; at < bytes.size(); at += step) {
      assembler.push(std::string_view(bytes).substr(at, step), text);
      EXPECT_EQ(valid_utf8_prefix(text), text.size());
    }
    assembler.finish(text);
    EXPECT_EQ(text, repair(bytes)) << "in steps of " << step;
  }
}

TEST(Utf8, ReadsCodePointsFromBothEnds) {
  const std::vector<uint32_t> points = {0x41, 0xE9, 0x4F60, 0x1F600, 0x10FFFF};
  for (const uint32_t point : points) {
    std::string text;
    append_utf8(point, text);
    EXPECT_EQ(first_code_point(text + "x").value, point);
    EXPECT_EQ(last_code_point("é" + text).value, point);
    EXPECT_EQ(last_code_point("é" + text).size, text.size());
  }
}

}  // namespace
}  // namespace xylem::text
