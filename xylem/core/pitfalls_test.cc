// Bugs that others shipped or that the CPU plugins have, each kept away by a test.
#include <gtest/gtest.h>

#include "xylem/core/eval.h"
#include "xylem/core/jit.h"
#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

class Pitfalls : public CoreTest {};

// The compiler would like this gather's result column-major. A second program reads its arguments
// row-major without looking.
TEST_P(Pitfalls, ResultsAreRowMajorForTheNextProgram) {
  for (DType dtype : {DType::kF32, DType::kBF16, DType::kS4}) {
    Array x = astype(reshape(arange(12), {4, 3}) - 6, dtype);
    eval(x);
    Array y = index(x, {Slice({}, {}, -1), array<int32_t>({0, 2, 2})});
    Array other = x + x;
    std::vector<Array> both = {y, other};
    eval(both);
    EXPECT_EQ(reals(astype(y, DType::kF32)),
              (std::vector<double>{3, 5, 5, 0, 2, 2, -3, -1, -1, -6, -4, -4}));
    EXPECT_EQ(reals(y), reals(astype(y, DType::kF32)));
  }
}

XYLEM_FOR_EACH_PLUGIN(Pitfalls);

}  // namespace
}  // namespace xylem
