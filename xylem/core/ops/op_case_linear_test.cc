// Runners of the text cases: matrix products, convolution, pooling, random numbers.
#include "xylem/core/ops/einsum.h"
#include "xylem/core/ops/op_case.h"
#include "xylem/core/ops/random.h"
#include "xylem/core/ops/window.h"

namespace xylem {
namespace {

std::vector<Array> run_dot_general(const OpCase& c) {
  DotDims dims = {c.list("a_contract"), c.list("b_contract"), c.list("a_batch"), c.list("b_batch")};
  return {dot_general(c.array(0), c.array(1), dims, c.dtype("dtype"), Precision::kHighest)};
}

std::vector<std::pair<int64_t, int64_t>> padding_of(const OpCase& c) {
  std::vector<int64_t> flat = c.list("padding");
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i + 1 < flat.size(); i += 2) pairs.emplace_back(flat[i], flat[i + 1]);
  return pairs;
}

std::vector<Array> run_conv(const OpCase& c) {
  ConvOptions options = {c.list("strides"),      padding_of(c),
                         c.list("x_dilation"),   c.list("kernel_dilation"),
                         c.integer("groups", 1), c.integer("batch_groups", 1)};
  return {conv_general(c.array(0), c.array(1), options)};
}

std::vector<Array> run_reduce_window(const OpCase& c) {
  WindowOptions options = {c.list("strides"), padding_of(c), c.list("x_dilation"),
                           c.list("window_dilation")};
  return {reduce_window(c.array(0), combiner_of(c), c.list("window"), options)};
}

const AddOps kLinear = {
    {"dot_general", run_dot_general},
    {"matmul", [](const OpCase& c) { return std::vector<Array>{matmul(c.array(0), c.array(1))}; }},
    {"einsum",
     [](const OpCase& c) { return std::vector<Array>{einsum(c.text("spec"), c.arrays())}; }},
    {"conv_general", run_conv},
    {"reduce_window", run_reduce_window},
};

std::vector<Array> run_fold_in(const OpCase& c) {
  if (c.has("data")) return {random::fold_in(c.array(0), c.integer("data", 0))};
  return {random::fold_in(c.array(0), c.array(1))};
}

std::vector<Array> run_uniform(const OpCase& c) {
  return {random::uniform(c.array(0), c.list("shape"), c.dtype("dtype"), c.real("low", 0),
                          c.real("high", 1))};
}

std::vector<Array> run_randint(const OpCase& c) {
  return {random::randint(c.array(0), c.list("shape"), static_cast<int32_t>(c.integer("low", 0)),
                          static_cast<int32_t>(c.integer("high", 0)))};
}

const AddOps kRandom = {
    {"random_key",
     [](const OpCase& c) { return std::vector<Array>{random::key(c.integer("seed", 0))}; }},
    {"random_split",
     [](const OpCase& c) {
       return std::vector<Array>{random::split(c.array(0), c.integer("n", 2))};
     }},
    {"random_fold_in", run_fold_in},
    {"random_bits",
     [](const OpCase& c) {
       return std::vector<Array>{random::bits(c.array(0), c.list("shape"), c.dtype("dtype"))};
     }},
    {"random_uniform", run_uniform},
    {"random_normal",
     [](const OpCase& c) {
       return std::vector<Array>{random::normal(c.array(0), c.list("shape"), c.dtype("dtype"))};
     }},
    {"random_gumbel",
     [](const OpCase& c) {
       return std::vector<Array>{random::gumbel(c.array(0), c.list("shape"), c.dtype("dtype"))};
     }},
    {"random_bernoulli",
     [](const OpCase& c) {
       return std::vector<Array>{random::bernoulli(c.array(0), c.real("p", 0), c.list("shape"))};
     }},
    {"random_categorical",
     [](const OpCase& c) {
       return std::vector<Array>{random::categorical(c.array(0), c.array(1))};
     }},
    {"random_randint", run_randint},
};

}  // namespace
}  // namespace xylem
