#include "xylem/runtime/compile_options.h"

#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return text;
}

// Field by field: 3 build options {4 replicas, 5 partitions, 6 SPMD, 9 device assignment {1, 2,
// 3 {1 ids} a partition}, 19 Shardy}, 7 flags {1 name, 2 value}. jaxlib's
// CompileOptions.ParseFromString reads the same values out of these bytes.
TEST(CompileOptions, BytesAreXlas) {
  EXPECT_EQ(hex(CompileOptions().serialize()),
            "1a14"
            "2001"
            "2801"
            "3000"
            "4a09080110011a030a0100"
            "980101");
  CompileOptions options;
  options.num_partitions = 2;
  options.device_ids = {4, 300};
  options.flags["b"] = true;
  options.flags["a"] = std::string("x");
  options.flags["c"] = int64_t{-1};
  EXPECT_EQ(hex(options.serialize()),
            "1a1a"
            "2001"
            "2802"
            "3001"
            "4a0f080110021a030a01041a040a02ac02"
            "980101"
            "3a080a016112030a0178"
            "3a070a016212021001"
            "3a100a0163120b18ffffffffffffffffff01");
}

TEST(CompileOptions, WrongCountsAreRefused) {
  CompileOptions options;
  options.num_partitions = 0;
  EXPECT_TRUE(contains(error_of([&] { options.serialize(); }).what(), "0 partitions"));
  options.num_partitions = 2;
  options.device_ids = {0};
  EXPECT_TRUE(
      contains(error_of([&] { options.serialize(); }).what(), "name 1 devices, expected 2"));
}

}  // namespace
}  // namespace xylem::runtime
