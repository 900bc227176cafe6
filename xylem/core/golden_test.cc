// The StableHLO text of small graphs, kept in tests/data/golden/*.mlir, so that a change of the
// lowering is seen; each text also compiles on every plugin. XYLEM_UPDATE_GOLDEN=1 writes them
// anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "xylem/core/emitter.h"
#include "xylem/core/eval.h"
#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

struct Graph {
  std::vector<Array> outputs, parameters;
  std::vector<int64_t> donated = {};
};

struct Golden {
  const char* name;
  Graph (*make)();
};

Array parameter(int64_t index, const Shape& shape, DType dtype = DType::kF32,
                const Sharding& sharding = {}) {
  return placeholder({shape, dtype, sharding}, index, 1);
}

Graph mlp() {
  Array x = parameter(0, {2, 4}), w = parameter(1, {4, 8}), v = parameter(2, {8, 4});
  Array hidden = matmul(x, w);
  return {{matmul(hidden * logistic(hidden), v) + x}, {x, w, v}};
}

Graph attention() {
  Array q = parameter(0, {1, 2, 3, 4}, DType::kBF16), k = parameter(1, {1, 2, 3, 4}, DType::kBF16);
  Array scores = einsum("bqhd,bkhd->bhqk", {q, k});
  Array row = iota({2, 2}, 0), column = iota({2, 2}, 1);
  return {{softmax(where(column <= row, scores, -1e9))}, {q, k}};
}

Graph constants() {
  return {{full({2}, 0.1), full({2}, int64_t{1} << 60, DType::kS64),
           full({}, std::numeric_limits<double>::infinity(), DType::kBF16),
           full({1}, std::numeric_limits<double>::quiet_NaN(), DType::kF64),
           full({3}, true, DType::kBool), full({2}, -7, DType::kS4),
           full({2}, ~uint64_t{0}, DType::kU64), full({}, -0.0), full({}, 1e-7, DType::kF64),
           zeros({0, 2})},
          {}};
}

Graph indexing() {
  Array x = parameter(0, {4, 5}), i = parameter(1, {3}, DType::kS32);
  return {{take(x, i), index(x, {Slice(3, {}, -1), 2}), at(x, {i}).add(1.0),
           dynamic_slice(x, {index(i, {0}), index(i, {1})}, {2, 2})},
          {x, i}};
}

Graph sorting() {
  Array x = parameter(0, {2, 5});
  TopK top = top_k(x, 2);
  return {{sort(x, -1, true), argmax(x), top.values, top.indices}, {x}};
}

Graph donation() {
  Array cache = parameter(0, {4, 2}), row = parameter(1, {1, 2}),
        at = parameter(2, {}, DType::kS32);
  Array other = parameter(3, {7});
  return {{sum(other), dynamic_update_slice(cache, row, {at, scalar(0, DType::kS32)})},
          {cache, row, at, other},
          {0, 3}};
}

Graph windows() {
  Array x = parameter(0, {1, 2, 6}), w = parameter(1, {4, 1, 3});
  ConvOptions conv;
  conv.strides = {2};
  conv.padding = {{2, 0}};
  conv.groups = 2;
  WindowOptions pool;
  pool.strides = {1, 1, 2};
  pool.padding = {{0, 0}, {0, 0}, {1, 0}};
  pool.window_dilation = {1, 1, 2};
  return {{conv_general(x, w, conv), reduce_window(x, Combiner::kMax, {1, 1, 2}, pool)}, {x, w}};
}

Graph random_numbers() {
  Array key = parameter(0, {2}, DType::kU32);
  return {{random::uniform(key, {2, 3})}, {key}};
}

// Rows over "data", hidden columns over "model".
Graph sharding() {
  auto mesh = Mesh::create("mesh", {{"data", 2}, {"model", 2}});
  Array x = parameter(0, {4, 8}, DType::kF32, {mesh, {{"data"}, {}}});
  Array w = parameter(1, {8, 6}, DType::kF32, {mesh, {{}, {"model"}}});
  Array hidden = with_sharding(matmul(x, w), {mesh, {{"data"}, {"model"}}});
  Array bias = parameter(2, {6});  // whole on every device, and so is the last result
  return {{hidden, with_sharding(sum(hidden, {1}), {mesh, {{"data"}}}), sum(hidden + bias)},
          {x, w, bias}};
}

constexpr Golden kGoldens[] = {
    {"mlp", mlp},           {"attention", attention},   {"constants", constants},
    {"indexing", indexing}, {"sorting", sorting},       {"donation", donation},
    {"windows", windows},   {"random", random_numbers}, {"sharding", sharding},
};

std::string golden_path(const std::string& name) {
  return source_path("tests/data/golden/" + name + ".mlir");
}

std::string read_file(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

Program lower(const Golden& golden) {
  Graph graph = golden.make();
  return lower_program(graph.outputs, graph.parameters, graph.donated, LowerOptions{}, golden.name);
}

TEST(Golden, TextsAreAsTheyWere) {
  bool update = std::getenv("XYLEM_UPDATE_GOLDEN") != nullptr;
  for (const Golden& golden : kGoldens) {
    std::string text = lower(golden).text;
    if (update) std::ofstream(golden_path(golden.name)) << text;
    EXPECT_EQ(text, read_file(golden_path(golden.name))) << golden.name;
  }
}

// Text is written the same way each time: the compile cache depends on it.
TEST(Golden, TextsAreReproducible) {
  for (const Golden& golden : kGoldens) EXPECT_EQ(lower(golden).text, lower(golden).text);
}

class GoldenPrograms : public CoreTest {};

TEST_P(GoldenPrograms, Compile) {
  for (const Golden& golden : kGoldens) {
    Program program = lower(golden);
    auto executable = compile_program(program.text, program.signature.num_partitions);
    EXPECT_EQ(executable->num_outputs(), static_cast<int>(program.signature.results.size()))
        << golden.name;
  }
}

XYLEM_FOR_EACH_PLUGIN(GoldenPrograms);

}  // namespace
}  // namespace xylem
