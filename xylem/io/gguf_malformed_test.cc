// GGUF files that are wrong in one way each, made by hand: every one is an error of one sentence.
#include <gtest/gtest.h>

#include "xylem/base/file.h"
#include "xylem/io/gguf.h"
#include "xylem/io/test_util.h"

namespace xylem::io {
namespace {

constexpr uint64_t kHuge = UINT64_MAX;

Bytes head(uint64_t tensors, uint64_t keys, uint32_t version = 3) {
  Bytes bytes;
  bytes.raw("GGUF").put(version).put(tensors).put(keys);
  return bytes;
}

Bytes& add_key(Bytes& bytes, std::string_view key, GgufType type) {
  return bytes.string(key).put(static_cast<uint32_t>(type));
}

void add_tensor(Bytes& bytes, std::string_view name, std::vector<uint64_t> dims, uint32_t type,
                uint64_t offset) {
  bytes.string(name).put(static_cast<uint32_t>(dims.size()));
  for (uint64_t dim : dims) bytes.put(dim);
  bytes.put(type).put(offset);
}

void expect_refused(const Bytes& bytes, ErrorCode code, std::string_view text) {
  expect_error([&] { GgufFile::parse(bytes.span(), "bad.gguf"); }, code, text);
}

void expect_corrupt(const Bytes& bytes, std::string_view text) {
  expect_refused(bytes, ErrorCode::kDataLoss, text);
}

TEST(GgufMalformed, MagicAndVersion) {
  expect_refused(Bytes(), ErrorCode::kInvalidArgument, "bad.gguf is no GGUF file");
  expect_refused(Bytes().raw("GGU"), ErrorCode::kInvalidArgument, "no GGUF file");
  expect_refused(Bytes().raw("GGML rest"), ErrorCode::kInvalidArgument, "no GGUF file");
  expect_corrupt(Bytes().raw("GGUF"), "truncated");
  expect_refused(head(0, 0, 1), ErrorCode::kUnimplemented, "version 1, expected 2 or 3");
  expect_refused(head(0, 0, 4), ErrorCode::kUnimplemented, "version 4, expected 2 or 3");
  expect_refused(head(0, 0, 0x03000000), ErrorCode::kUnimplemented, "big-endian");
}

TEST(GgufMalformed, EveryTruncationIsRefused) {
  std::string whole = read_file(data_path("sample.gguf"));
  for (size_t size = 0; size < whole.size() - 32; size += size < 2600 ? 1 : 37) {
    std::string part = whole.substr(0, size);
    EXPECT_THROW(GgufFile::parse(std::as_bytes(std::span(part)), "part"), Error) << size;
  }
}

TEST(GgufMalformed, CountsBeyondTheFile) {
  expect_corrupt(head(kHuge, 0), "claims 18446744073709551615 tensors");
  expect_corrupt(head(0, kHuge), "metadata keys");
  expect_corrupt(head(1000, 0), "it claims 1000 tensors with 0 bytes left");
  expect_corrupt(head(0, 1000), "it claims 1000 metadata keys with 0 bytes left");
}

TEST(GgufMalformed, LengthsBeyondTheFile) {
  for (uint64_t length : {uint64_t{100}, uint64_t{1} << 62, kHuge}) {
    Bytes key = head(0, 1);
    expect_corrupt(key.put(length).raw("12345678"), "a metadata key");
    Bytes text = head(0, 1);
    expect_corrupt(add_key(text, "k", GgufType::kString).put(length).raw("xyz"), "k at byte");
    for (auto element : {GgufType::kU8, GgufType::kF64, GgufType::kString, GgufType::kArray}) {
      Bytes array = head(0, 1);
      add_key(array, "k", GgufType::kArray).put(static_cast<uint32_t>(element)).put(length);
      expect_corrupt(array, "it claims");
    }
  }
}

TEST(GgufMalformed, ValueTypes) {
  Bytes unknown = head(0, 1);
  expect_corrupt(unknown.string("k").put<uint32_t>(13).put<uint64_t>(0),
                 "key 'k' has value type 13");
  Bytes element = head(0, 1);
  add_key(element, "k", GgufType::kArray).put<uint32_t>(99).put<uint64_t>(0);
  expect_corrupt(element, "value type 99");
  Bytes flag = head(0, 1);
  expect_corrupt(add_key(flag, "k", GgufType::kBool).put<uint8_t>(2), "bool of value 2");
  Bytes flags = head(0, 1);
  add_key(flags, "k", GgufType::kArray).put(static_cast<uint32_t>(GgufType::kBool));
  expect_corrupt(flags.put<uint64_t>(2).put<uint8_t>(1).put<uint8_t>(255), "bool of value 255");
}

TEST(GgufMalformed, NestingIsBounded) {
  Bytes bytes = head(0, 1);
  add_key(bytes, "deep", GgufType::kArray);
  for (int i = 0; i < 100000; ++i) bytes.put<uint32_t>(9).put<uint64_t>(1);
  expect_corrupt(bytes, "nests arrays more than 4 deep");
}

TEST(GgufMalformed, RepeatedNames) {
  Bytes keys = head(0, 2);
  add_key(keys, "k", GgufType::kU8).put<uint8_t>(1);
  expect_corrupt(add_key(keys, "k", GgufType::kU8).put<uint8_t>(1), "has key 'k' twice");
  Bytes tensors = head(2, 0);
  add_tensor(tensors, "t", {1}, 0, 0);
  add_tensor(tensors, "t", {1}, 0, 32);
  expect_corrupt(tensors.pad_to(32).raw(std::string(64, 'x')), "has tensor 't' twice");
}

TEST(GgufMalformed, Alignment) {
  for (uint32_t alignment : {0u, 3u, 1u << 31}) {
    Bytes bytes = head(0, 1);
    expect_corrupt(add_key(bytes, "general.alignment", GgufType::kU32).put(alignment),
                   "expected a power of two");
  }
  Bytes text = head(0, 1);
  expect_refused(add_key(text, "general.alignment", GgufType::kString).string("32"),
                 ErrorCode::kInvalidArgument, "general.alignment' is string");
}

void expect_tensor_refused(std::vector<uint64_t> dims, uint32_t type, uint64_t offset,
                           std::string_view text) {
  Bytes bytes = head(1, 0);
  add_tensor(bytes, "w", std::move(dims), type, offset);
  expect_corrupt(bytes.pad_to(32).raw(std::string(64, 'x')), text);
}

TEST(GgufMalformed, TensorShapes) {
  expect_tensor_refused({1, 1, 1, 1, 1}, 0, 0, "'w' has 5 dimensions, expected at most 4");
  expect_tensor_refused({kHuge}, 0, 0, "dimension of 18446744073709551615");
  expect_tensor_refused({uint64_t{1} << 62}, 0, 0, "cannot have shape");
  expect_tensor_refused({uint64_t{1} << 32, uint64_t{1} << 32}, 0, 0, "cannot have shape");
  expect_tensor_refused({uint64_t{1} << 62, 1, 2}, 999, 0, "'w' of type #999 cannot have shape");
  expect_tensor_refused({31}, 2, 0, "'w' of type Q4_0 cannot have shape [31]");
  expect_tensor_refused({16, 2}, 2, 0, "'w' of type Q4_0 cannot have shape [2, 16]");
  expect_tensor_refused({128, 2}, 16, 0, "'w' of type IQ2_XXS cannot have shape [2, 128]");
  expect_tensor_refused({}, 2, 0, "cannot have shape []");
}

TEST(GgufMalformed, TensorPlaces) {
  expect_tensor_refused({17}, 0, 0, "takes 68 bytes at offset 0 of 64 bytes of data");
  expect_tensor_refused({1}, 0, 64, "takes 4 bytes at offset 64");
  expect_tensor_refused({1}, 0, kHuge - 31, "truncated or corrupt");
  expect_tensor_refused({1}, 0, 4, "is at offset 4, expected a multiple of 32");
  expect_tensor_refused({1}, 999, 96, "at offset 96 of 64");
  Bytes overlap = head(2, 0);
  add_tensor(overlap, "a", {16}, 0, 0);
  add_tensor(overlap, "b", {1}, 0, 32);
  expect_corrupt(overlap.pad_to(32).raw(std::string(64, 'x')), "'b' at offset 32 overlaps");
}

TEST(GgufMalformed, UnknownTypesCanBeListedButNotLoaded) {
  Bytes bytes = head(1, 0);
  add_tensor(bytes, "new", {8, 2}, 4711, 0);
  bytes.pad_to(32).raw(std::string(64, 'x'));
  auto file = GgufFile::parse(bytes.span(), "future.gguf");
  EXPECT_EQ(file->tensors()[0].type_name(), "#4711");
  EXPECT_FALSE(file->tensors()[0].sized);
  expect_error([&] { file->tensor("new"); }, ErrorCode::kUnimplemented,
               "future.gguf: tensor 'new' is of type #4711");
}

TEST(GgufMalformed, SplitKeysOfTheWrongKind) {
  TempFolder folder;
  Bytes bytes = head(0, 2);
  add_key(bytes, "split.count", GgufType::kU32).put<uint32_t>(UINT32_MAX);
  add_key(bytes, "split.no", GgufType::kU32).put<uint32_t>(0);
  write_file_atomic(folder.file("m.gguf"), bytes.text());
  expect_error([&] { GgufFile::open(folder.file("m.gguf")); }, ErrorCode::kInvalidArgument,
               "part 1 of 4294967295");
}

TEST(GgufMalformed, MessagesShowHostileNamesSafely) {
  Bytes bytes = head(0, 1);
  std::string name = "\x1b[31m\xff" + std::string(1000, 'a');
  bytes.string(name).put<uint32_t>(77).put<uint64_t>(0);
  try {
    GgufFile::parse(bytes.span(), "bad.gguf");
    FAIL();
  } catch (const Error& e) {
    std::string message = e.what();
    EXPECT_LT(message.size(), 300u);
    EXPECT_NE(message.find("\\x1b[31m\\xff"), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace xylem::io
