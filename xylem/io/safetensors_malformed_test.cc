// Safetensors files that are wrong in one way each, made by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "xylem/base/file.h"
#include "xylem/io/safetensors.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

Bytes file_of(std::string_view header, size_t data_bytes) {
  Bytes bytes;
  bytes.string(header);
  return bytes.raw(std::string(data_bytes, 'x'));
}

void expect_corrupt(const Bytes& bytes, std::string_view text) {
  expect_error([&] { SafetensorsFile::parse(bytes.span(), "bad.safetensors"); },
               ErrorCode::kDataLoss, text);
}

// One tensor 'w' of this dtype, shape and range over data of 8 bytes.
void expect_tensor_corrupt(std::string_view dtype, std::string_view shape, std::string_view offsets,
                           std::string_view text) {
  expect_corrupt(file_of(fmt::format(R"({{"w":{{"dtype":{},"shape":{},"data_offsets":{}}}}})",
                                     dtype, shape, offsets),
                         8),
                 text);
}

TEST(SafetensorsMalformed, HeaderBounds) {
  expect_corrupt(Bytes(), "the header's length at byte 0 needs 8 bytes, 0 left");
  expect_corrupt(Bytes().raw("1234567"), "truncated");
  expect_corrupt(Bytes().put<uint64_t>(3).raw("{}"), "the header at byte 8 needs 3 bytes, 2 left");
  expect_corrupt(Bytes().put<uint64_t>(UINT64_MAX).raw("{}"), "claims 18446744073709551615 bytes");
  expect_corrupt(Bytes().put<uint64_t>(100'000'001).raw("{}"), "expected at most 100000000");
  expect_corrupt(file_of("", 0), "does not begin with '{'");
  expect_corrupt(file_of(" {}", 0), "does not begin with '{'");
  expect_corrupt(file_of("[]", 0), "does not begin with '{'");
  expect_corrupt(file_of("{}", 1), "has 1 bytes of data, expected 0");
}

TEST(SafetensorsMalformed, HeaderText) {
  for (const char* text : {"{", "{}}", "{\"a\"}", "{\"a\":}", "{\"\xff\":{}}", "{} x"}) {
    expect_corrupt(file_of(text, 0), "not valid JSON at its byte");
  }
  expect_corrupt(file_of(R"({"a":1})", 0), "has a number under 'a'");
  expect_corrupt(file_of(R"({"a":"b"})", 0), "has a string under 'a'");
  expect_corrupt(file_of(R"({"a":null})", 0), "has null under 'a'");
  expect_corrupt(file_of(R"({"a":true})", 0), "has a bool under 'a'");
  expect_corrupt(file_of(R"({"a":[]})", 0), "has an array under 'a'");
  expect_corrupt(file_of(R"({"a":-1})", 0), "has a negative number under 'a'");
  expect_corrupt(file_of(R"({"a":1.5})", 0), "has a fraction under 'a'");
  expect_corrupt(file_of(R"({"__metadata__":{"k":1}})", 0), "has a number under 'k'");
  expect_corrupt(file_of(R"({"__metadata__":{"k":{}}})", 0), "has an object under 'k'");
  expect_corrupt(file_of(R"({"__metadata__":{},"__metadata__":{}})", 0), "a second value");
  expect_corrupt(file_of(R"({"w":)" + std::string(100000, '['), 0), "has an array under 'w'");
}

TEST(SafetensorsMalformed, TensorFields) {
  expect_corrupt(file_of(R"({"w":{}})", 0), "'w' lacks dtype, shape or data_offsets");
  expect_corrupt(file_of(R"({"w":{"dtype":"U8","shape":[8]}})", 8), "lacks");
  expect_corrupt(file_of(R"({"w":{"extra":1}})", 0), "'w' has a number under 'extra'");
  expect_corrupt(file_of(R"({"w":{"dtype":"U8","dtype":"U8"}})", 0), "a second value");
  expect_corrupt(file_of(R"({"w":{"shape":[],"shape":[]}})", 0), "a second value");
  expect_tensor_corrupt("1", "[8]", "[0,8]", "'w' has a number under 'dtype'");
  expect_tensor_corrupt("\"U9\"", "[8]", "[0,8]", "unknown dtype 'U9'");
  expect_tensor_corrupt("\"U8\"", "8", "[0,8]", "has a number under 'shape'");
  expect_tensor_corrupt("\"U8\"", "[[8]]", "[0,8]", "has an array under 'shape'");
  expect_tensor_corrupt("\"U8\"", "[-8]", "[0,8]", "has a negative number under 'shape'");
  expect_tensor_corrupt("\"U8\"", "[8.0]", "[0,8]", "has a fraction under 'shape'");
  expect_tensor_corrupt("\"U8\"", "[\"8\"]", "[0,8]", "has a string under 'shape'");
  expect_tensor_corrupt("\"U8\"", "[18446744073709551615]", "[0,8]", "past 2^63");
  expect_tensor_corrupt("\"U8\"", "[99999999999999999999]", "[0,8]", "a fraction");
  expect_tensor_corrupt("\"U8\"", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,8]", "[0,8]", "16 dimensions");
  expect_tensor_corrupt("\"U8\"", "[8]", "[0]", "data_offsets that are not two");
  expect_tensor_corrupt("\"U8\"", "[8]", "[0,8,9]", "has a number under 'data_offsets'");
}

TEST(SafetensorsMalformed, Ranges) {
  expect_tensor_corrupt("\"U8\"", "[8]", "[8,0]", "data_offsets [8, 0] outside 8 data bytes");
  expect_tensor_corrupt("\"U8\"", "[9]", "[0,9]", "data_offsets [0, 9] outside 8 data bytes");
  expect_tensor_corrupt("\"U8\"", "[7]", "[1,8]", "begins at data byte 1, expected 0 (a hole)");
  expect_tensor_corrupt("\"U8\"", "[7]", "[0,7]", "has 8 bytes of data, expected 7");
  expect_tensor_corrupt("\"F32\"", "[8]", "[0,8]", "has 8 bytes, expected 32 for F32 of shape [8]");
  expect_tensor_corrupt("\"F4\"", "[3]", "[0,8]", "'w' of dtype F4 cannot have shape [3]");
  expect_tensor_corrupt("\"F32\"", "[4294967296,4294967296]", "[0,8]", "cannot have shape");
  expect_tensor_corrupt("\"U8\"", "[9223372036854775807]", "[0,8]", "cannot have shape");
  std::string two = R"({{"a":{{"dtype":"U8","shape":[{}],"data_offsets":[0,{}]}},)"
                    R"("b":{{"dtype":"U8","shape":[{}],"data_offsets":[{},8]}}}})";
  auto both = [&](int a, int b) { return fmt::format(fmt::runtime(two), a, a, 8 - b, b); };
  EXPECT_EQ(SafetensorsFile::parse(file_of(both(4, 4), 8).span(), "good")->tensors().size(), 2u);
  expect_corrupt(file_of(both(5, 4), 8), "'b' begins at data byte 4, expected 5 (an overlap)");
  expect_corrupt(file_of(both(3, 4), 8), "'b' begins at data byte 4, expected 3 (a hole)");
}

TEST(SafetensorsMalformed, RepeatedNames) {
  expect_corrupt(file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                         R"("a":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                         8),
                 "has tensor 'a' twice");
}

TEST(SafetensorsMalformed, TypesWithoutCodeCanBeListedButNotLoaded) {
  Bytes bytes = file_of(R"({"s":{"dtype":"F8_E8M0","shape":[8],"data_offsets":[0,8]}})", 8);
  auto file = SafetensorsFile::parse(bytes.span(), "new.safetensors");
  EXPECT_EQ(file->tensors()[0].dtype, "F8_E8M0");
  expect_error([&] { file->tensor("s"); }, ErrorCode::kUnimplemented,
               "new.safetensors: tensor 's' is of type F8_E8M0");
}

TEST(SafetensorsMalformed, EveryTruncationIsRefused) {
  std::string whole = read_file(data_path("sample.safetensors"));
  for (size_t size = 0; size < whole.size(); ++size) {
    std::string part = whole.substr(0, size);
    EXPECT_THROW(SafetensorsFile::parse(std::as_bytes(std::span(part)), "part"), Error) << size;
  }
}

TEST(SafetensorsMalformed, OpeningWhatIsNoFile) {
  expect_error([] { SafetensorsFile::open("/no/such.safetensors"); }, ErrorCode::kNotFound,
               "/no/such.safetensors");
  expect_error([] { open_weights(data_path("sample.gguf.json")); }, ErrorCode::kDataLoss,
               "no safetensors file");
}

}  // namespace
}  // namespace xylem::io
