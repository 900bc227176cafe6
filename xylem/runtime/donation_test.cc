#include "xylem/runtime/donation.h"

#include <gtest/gtest.h>

namespace xylem::runtime {
namespace {

using Indices = std::vector<int64_t>;

TEST(Donation, ReadsTheAttributesOfMain) {
  EXPECT_EQ(donated_arguments("module {}"), Indices());
  EXPECT_EQ(donated_arguments("func.func public @main() -> () {"), Indices());
  EXPECT_EQ(donated_arguments("func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {"),
            Indices());
  EXPECT_EQ(donated_arguments(
                "func.func public @main(%a: tensor<2x3xf32> {sdy.sharding = #sdy.sharding<@m, "
                "[{\"x, )\"}, {}]>, tf.aliasing_output = 1 : i32}, %b: tensor<f32> loc(\"x\"), "
                "%c: tensor<f32> {jax.buffer_donor = true}, %d: tensor<f32> {jax.buffer_donor = "
                "false}) -> (tensor<f32> {x.y = \"tf.aliasing_output\"})"),
            (Indices{0, 2}));
}

TEST(Donation, IgnoresOtherFunctionsAndBrokenText) {
  EXPECT_EQ(donated_arguments("func.func private @f(%a: tensor<f32> {tf.aliasing_output = 0 : "
                              "i32})\nfunc.func public @main(%a: tensor<f32>)"),
            Indices());
  EXPECT_EQ(donated_arguments("@main("), Indices());
  EXPECT_EQ(donated_arguments("@main(%a: tensor<f32> {x = \"unterminated"), Indices());
  EXPECT_EQ(donated_arguments("@main(%a: tensor<f32> {x = \"\\"), Indices());
}

}  // namespace
}  // namespace xylem::runtime
