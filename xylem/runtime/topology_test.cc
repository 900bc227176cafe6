#include "xylem/runtime/topology.h"

#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

using CpuTopology = PluginTest;

TEST_P(CpuTopology, APluginWithoutTopologiesSaysSo) {
  Error error = error_of([&] { Topology::create(Plugin::load(GetParam()), "v6e:2x4"); });
  EXPECT_TRUE(contains(error.what(), "cannot describe the topology \"v6e:2x4\"")) << error.what();
}

XYLEM_FOR_EACH_PLUGIN(CpuTopology);

// libtpu, where it was fetched: XYLEM_LIBTPU names the file, or a plugin folder holds it.
std::string libtpu() {
  if (const char* path = std::getenv("XYLEM_LIBTPU")) return path;
  for (const PluginFile& file : find_plugins()) {
    if (file.name == "tpu") return file.path;
  }
  return "";
}

std::string sharded_matmul() {
  return "module attributes {mhlo.num_partitions = 8 : i32} {\n"
         "  sdy.mesh @mesh = <[\"model\"=8]>\n"
         "  func.func public @main(\n"
         "      %x: tensor<128x1024xbf16>,\n"
         "      %w: tensor<1024x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, "
         "{\"model\"}]>})\n"
         "      -> (tensor<128x4096xbf16> {sdy.sharding = #sdy.sharding<@mesh, [{}, "
         "{\"model\"}]>}) "
         "{\n"
         "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : "
         "(tensor<128x1024xbf16>, tensor<1024x4096xbf16>) -> tensor<128x4096xbf16>\n"
         "    return %0 : tensor<128x4096xbf16>\n  }\n}\n";
}

// In a child process: libtpu starts threads and may abort.
void compile_for_tpu() {
  auto plugin = Plugin::load(libtpu());
  auto slice = Topology::create(plugin, "v6e:2x4");
  CompileOptions options;
  options.num_partitions = 8;
  AotResult result = slice->compile(sharded_matmul(), options);
  fmt::print(stderr, "{} {} devices, arguments {}, flops {}\n", slice->platform_name(),
             slice->device_ids().size(), result.memory.arguments, result.cost.flops);
  auto wrong = [](auto&& f) {
    try {
      f();
    } catch (const Error& error) {
      fmt::print(stderr, "{}\n", error.what());
    }
  };
  wrong([&] { Topology::create(plugin, "v99:1x1"); });
  wrong([&] { slice->compile("nonsense", {}); });
  options.num_partitions = 9;
  wrong([&] { slice->compile(sharded_matmul(), options); });
  std::_Exit(0);
}

TEST(TpuTopology, CompilesWithoutATpu) {
  if (libtpu().empty()) {
    std::puts("libtpu is not here (XYLEM_LIBTPU names it): only its absence was checked");
    ScopedEnv device("XYLEM_DEVICE", "tpu");
    EXPECT_EQ(error_of([] { choose_plugin(); }).code(), ErrorCode::kNotFound);
    return;
  }
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Each device holds the activations and an eighth of the weights.
  EXPECT_EXIT(compile_for_tpu(), ::testing::ExitedWithCode(0),
              "tpu 8 devices, arguments 1310720, flops [1-9].*v99.*nonsense.*needs 9 devices");
}

}  // namespace
}  // namespace xylem::runtime
