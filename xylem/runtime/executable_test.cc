#include "xylem/runtime/executable.h"

#include <atomic>
#include <numeric>
#include <thread>

#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

using ExecutableTest = PluginTest;

TEST_P(ExecutableTest, OneDevice) {
  auto program = client()->compile(double_program(4), {}, false);
  EXPECT_EQ(program->num_outputs(), 1);
  EXPECT_EQ(program->num_devices(), 1);
  Future done;
  Buffers results = program->execute(std::vector{upload(client(), {1, 2, 3, 4})}, {}, &done);
  done.wait();
  EXPECT_TRUE(done.is_ready());
  EXPECT_EQ(download(*results[0]), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_FALSE(program->optimized_program().empty());
}

TEST_P(ExecutableTest, SeveralResultsAndAnotherDevice) {
  CompileOptions options;
  options.device_ids = {5};
  auto program = client()->compile(
      main_program("%a: tensor<2xf32>, %b: tensor<i32>", "(tensor<2xf32>, tensor<i32>)",
                   "    %0 = stablehlo.negate %a : tensor<2xf32>\n"
                   "    return %0, %b : tensor<2xf32>, tensor<i32>\n"),
      options, false);
  int32_t seven = 7, out = 0;
  Buffers results = program->execute(
      std::vector{upload(client(), {1, 2}, 5), client()->from_host(&seven, DType::kS32, {}, 5)});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(download(*results[0]), (std::vector<float>{-1, -2}));
  results[1]->copy_to_host(&out);
  EXPECT_EQ(out, 7);
  EXPECT_TRUE(results[1]->dims().empty());
}

// A matrix product sharded over a 4x2 mesh: rows over "data", the contraction over "model", so
// that the partitioner must add an all-reduce.
TEST_P(ExecutableTest, EightDevicesWithShardy) {
  std::string text =
      "module attributes {mhlo.num_partitions = 8 : i32} {\n"
      "  sdy.mesh @mesh = <[\"data\"=4, \"model\"=2]>\n"
      "  func.func public @main(\n"
      "      %x: tensor<8x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, "
      "{\"model\"}]>},\n"
      "      %w: tensor<6x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"model\"}, {}]>})\n"
      "      -> (tensor<8x3xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"data\"}, {}]>}) {\n"
      "    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x6xf32>, "
      "tensor<6x3xf32>) -> tensor<8x3xf32>\n"
      "    return %0 : tensor<8x3xf32>\n  }\n}\n";
  CompileOptions options;
  options.num_partitions = 8;
  auto program = client()->compile(text, options, false);
  ASSERT_EQ(program->num_devices(), 8);
  auto x = [](int row, int column) { return static_cast<float>(row * 6 + column); };
  auto w = [](int row, int column) { return static_cast<float>(row - column); };
  std::vector<Buffers> arguments(8);
  for (int device = 0; device < 8; ++device) {
    int data = device / 2, model = device % 2;
    std::vector<float> rows, weights;
    for (int row = 0; row < 2; ++row) {
      for (int k = 0; k < 3; ++k) rows.push_back(x(2 * data + row, 3 * model + k));
    }
    for (int k = 0; k < 3; ++k) {
      for (int column = 0; column < 3; ++column) weights.push_back(w(3 * model + k, column));
    }
    arguments[static_cast<size_t>(device)] = {
        client()->from_host(rows.data(), DType::kF32, std::vector<int64_t>{2, 3}, device),
        client()->from_host(weights.data(), DType::kF32, std::vector<int64_t>{3, 3}, device)};
  }
  std::vector<Buffers> results = program->execute_sharded(arguments);
  arguments.clear();
  for (int device = 0; device < 8; ++device) {
    const Buffer& part = *results[static_cast<size_t>(device)][0];
    EXPECT_EQ(part.dims(), (std::vector<int64_t>{2, 3}));
    std::vector<float> values = download(part);
    for (int row = 0; row < 2; ++row) {
      for (int column = 0; column < 3; ++column) {
        float expected = 0;
        for (int k = 0; k < 6; ++k) expected += x(device / 2 * 2 + row, k) * w(k, column);
        EXPECT_EQ(values[static_cast<size_t>(row * 3 + column)], expected);
      }
    }
  }
  EXPECT_TRUE(contains(error_of([&] { program->execute(results[0]); }).what(), "8 devices"));
  EXPECT_TRUE(contains(error_of([&] { program->execute_sharded({}); }).what(), "8 devices"));
}

TEST_P(ExecutableTest, MoreDevicesThanThereAre) {
  CompileOptions options;
  options.num_partitions = 16;
  EXPECT_TRUE(contains(error_of([&] { client()->compile(double_program(4), options); }).what(),
                       "needs 16 devices, but this client has 8"));
}

TEST_P(ExecutableTest, CompileErrorsShowTheLine) {
  std::string text = main_program("%a: tensor<4xf32>", "tensor<4xf32>",
                                  "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
                                  "    return %0 : tensor<4xf32>\n");
  Error error = error_of([&] { client()->compile(text, {}, false); });
  EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(std::string(error.what()),
            "cannot compile the program: line 3, column 28: use of undeclared SSA value name\n"
            "  %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
            "                         ^");
  EXPECT_TRUE(contains(error_of([&] { client()->compile("", {}, false); }).what(),
                       "cannot compile the program"));
  EXPECT_TRUE(contains(error_of([&] { client()->compile("nonsense", {}, false); }).what(),
                       "line 1, column 1"));
  std::string unknown = main_program(
      "%a: tensor<4xf32>", "tensor<4xf32>",
      "    %0 = stablehlo.custom_call @absent(%a) {api_version = 4 : i32, backend_config = {}} : "
      "(tensor<4xf32>) -> tensor<4xf32>\n    return %0 : tensor<4xf32>\n");
  EXPECT_TRUE(contains(error_of([&] { client()->compile(unknown, {}, false); }).what(), "absent"));
}

TEST_P(ExecutableTest, WrongArguments) {
  auto program = client()->compile(double_program(4), {}, false);
  auto good = upload(client(), {1, 2, 3, 4});
  auto message = [&](Buffers arguments) {
    return std::string(error_of([&] { program->execute(arguments)[0]->ready().wait(); }).what());
  };
  EXPECT_TRUE(contains(message({}), "cannot run the program"));
  EXPECT_TRUE(contains(message({good, good}), "cannot run the program"));
  EXPECT_TRUE(contains(message({upload(client(), {1, 2})}), "cannot run the program"));
  EXPECT_TRUE(contains(message({nullptr}), "argument 0 of the program is null"));
  auto other = Client::create(client()->plugin(), {{"cpu_device_count", int64_t{1}}});
  EXPECT_TRUE(contains(message({upload(other, {1, 2, 3, 4})}), "another client"));
}

TEST_P(ExecutableTest, DonationReusesTheMemory) {
  auto program = client()->compile(double_program(4096, kAliasFirst), {}, false);
  EXPECT_EQ(program->donated(), std::vector<int64_t>{0});
  auto buffer = upload(client(), std::vector<float>(4096, 1.0f));
  buffer->ready().wait();
  const void* address = buffer->unsafe_pointer();
  for (int step = 0; step < 3; ++step) {
    auto before = buffer;
    buffer = program->execute(std::vector{buffer})[0];
    EXPECT_TRUE(before->is_deleted());
    EXPECT_EQ(before->dims(), std::vector<int64_t>{4096});  // still known
    buffer->ready().wait();
    EXPECT_EQ(buffer->unsafe_pointer(), address);
  }
  EXPECT_EQ(download(*buffer)[0], 8.0f);
  EXPECT_EQ(program->memory_stats().aliased, 4096 * 4);
  auto gone = program->execute(std::vector{buffer});
  Error error = error_of([&] { program->execute(std::vector{buffer})[0]->ready().wait(); });
  EXPECT_TRUE(contains(error.what(), "deleted or donated")) << error.what();
}

TEST_P(ExecutableTest, KeptArgumentsSurviveDonation) {
  auto program = client()->compile(double_program(64, kAliasFirst), {}, false);
  auto buffer = upload(client(), std::vector<float>(64, 1.0f));
  std::vector<int64_t> keep = {0};
  Buffers results = program->execute(std::vector{buffer}, keep);
  EXPECT_FALSE(buffer->is_deleted());
  EXPECT_EQ(download(*buffer)[63], 1.0f);
  EXPECT_EQ(download(*results[0])[63], 2.0f);
}

TEST_P(ExecutableTest, DonatingABufferTwiceIsAnError) {
  auto program = client()->compile(
      main_program("%a: tensor<4xf32> {tf.aliasing_output = 0 : i32}, %b: tensor<4xf32>, "
                   "%c: tensor<4xf32> {jax.buffer_donor = true}",
                   "(tensor<4xf32>, tensor<4xf32>)",
                   "    %0 = stablehlo.add %a, %b : tensor<4xf32>\n"
                   "    %1 = stablehlo.add %c, %b : tensor<4xf32>\n"
                   "    return %0, %1 : tensor<4xf32>, tensor<4xf32>\n"),
      {}, false);
  EXPECT_EQ(program->donated(), (std::vector<int64_t>{0, 2}));
  auto x = upload(client(), {1, 2, 3, 4}), y = upload(client(), {5, 6, 7, 8});
  auto message = [&](Buffers arguments, std::vector<int64_t> keep = {}) {
    return std::string(error_of([&] { program->execute(arguments, keep); }).what());
  };
  EXPECT_TRUE(contains(message({x, y, x}), "arguments 0 and 2 of the program are the same buffer"));
  EXPECT_TRUE(contains(message({x, x, y}),
                       "argument 0 of the program is donated and passed again "
                       "as argument 1"));
  EXPECT_TRUE(contains(message({x, y, y}),
                       "argument 2 of the program is donated and passed again "
                       "as argument 1"));
  std::vector<int64_t> first = {0}, both = {0, 2};
  EXPECT_TRUE(contains(message({x, y, x}, first),
                       "argument 2 of the program is donated and "
                       "passed again as argument 0"));
  EXPECT_FALSE(x->is_deleted());
  Buffers results = program->execute(Buffers{x, x, x}, both);
  EXPECT_EQ(download(*results[1])[3], 8.0f);
  results = program->execute(Buffers{x, y, upload(client(), {1, 1, 1, 1})});
  EXPECT_EQ(download(*results[0])[0], 6.0f);
}

TEST_P(ExecutableTest, InputsMayGoRightAfterTheCall) {
  auto program = client()->compile(double_program(1 << 18), {}, false);
  for (int round = 0; round < 10; ++round) {
    Buffers results =
        program->execute(std::vector{upload(client(), std::vector<float>(1 << 18, 1.5f))});
    std::vector<float> values = download(*results[0]);
    ASSERT_EQ(std::count(values.begin(), values.end(), 3.0f), 1 << 18);
  }
}

TEST_P(ExecutableTest, ProgramMayGoRightAfterTheCall) {
  for (int round = 0; round < 5; ++round) {
    auto program = client()->compile(double_program(1 << 18), {}, false);
    Buffers results =
        program->execute(std::vector{upload(client(), std::vector<float>(1 << 18, 1.5f))});
    program.reset();
    EXPECT_EQ(download(*results[0])[(1 << 18) - 1], 3.0f);
  }
}

TEST_P(ExecutableTest, ManyThreadsAtOnce) {
  auto program = client()->compile(double_program(256), {}, false);
  auto donating = client()->compile(double_program(256, kAliasFirst), {}, false);
  auto shared = upload(client(), std::vector<float>(256, 1.0f));
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        Buffers results = program->execute(std::vector{shared});
        if (results[0]->size() != 256 || shared->dims().size() != 1) ++wrong;
        results = donating->execute(results);
        if (download(*results[0])[255] != 4.0f) ++wrong;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(ExecutableTest, SerialisedProgramsLoadAgain) {
  auto program = client()->compile(double_program(16, kAliasFirst), {}, false);
  auto again = client()->deserialize(program->serialize());
  EXPECT_EQ(again->num_outputs(), 1);
  EXPECT_EQ(again->donated(), std::vector<int64_t>{0});
  auto x = upload(client(), std::vector<float>(16, 1.0f));
  EXPECT_EQ(download(*again->execute(std::vector{x})[0])[15], 2.0f);
  EXPECT_TRUE(x->is_deleted());
  for (const char* bytes : {"", "nonsense", "xylem executable, donated: 3 1\n",
                            "xylem executable, donated: -1\n", "xylem executable, donated: x\n"}) {
    EXPECT_EQ(error_of([&] { client()->deserialize(bytes); }).code(), ErrorCode::kDataLoss);
  }
  EXPECT_TRUE(contains(
      error_of([&] { client()->deserialize("xylem executable, donated:\nnonsense"); }).what(),
      "cannot load the serialised program"));
}

TEST_P(ExecutableTest, MemoryAndCost) {
  std::string text =
      main_program("%a: tensor<64x64xf32>", "tensor<64x64xf32>",
                   "    %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : "
                   "(tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>\n"
                   "    return %0 : tensor<64x64xf32>\n");
  auto program = client()->compile(text, {}, false);
  MemoryStats memory = program->memory_stats();
  EXPECT_EQ(memory.arguments, 64 * 64 * 4);
  EXPECT_EQ(memory.outputs, 64 * 64 * 4);
  EXPECT_EQ(memory.aliased, 0);
  EXPECT_GE(memory.temporaries, 0);
  CostStats cost = program->cost_stats();  // 0.115 does not tell
  EXPECT_TRUE(cost.flops == -1 || cost.flops == 2.0 * 64 * 64 * 64) << cost.flops;
  EXPECT_EQ(program->fingerprint(), client()->compile(text, {}, false)->fingerprint());
}

TEST_P(ExecutableTest, XlaFlags) {
  CompileOptions options;
  options.flags["xla_cpu_enable_fast_math"] = true;
  options.flags["xla_cpu_prefer_vector_width"] = int64_t{256};
  client()->compile(double_program(4), options, false);
  options.flags["xla_no_such_flag"] = std::string("x");
  EXPECT_TRUE(
      contains(error_of([&] { client()->compile(double_program(4), options, false); }).what(),
               "xla_no_such_flag"));
}

XYLEM_FOR_EACH_PLUGIN(ExecutableTest);

}  // namespace
}  // namespace xylem::runtime
