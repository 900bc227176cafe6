#include "xylem/core/sharding.h"

#include <gtest/gtest.h>

#include "xylem/core/jit.h"
#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

std::shared_ptr<const Mesh> square_mesh() {
  return Mesh::create("mesh", {{"data", 2}, {"model", 2}});
}

TEST(Sharding, TextIsShardys) {
  auto mesh = square_mesh();
  EXPECT_EQ(mesh->text(), "sdy.mesh @mesh = <[\"data\"=2, \"model\"=2]>");
  Sharding s{mesh, {{"data"}, {}, {"model"}}};
  EXPECT_EQ(s.text(), "<@mesh, [{\"data\"}, {}, {\"model\"}]>");
  Sharding both{mesh, {{"data", "model"}}};
  EXPECT_EQ(both.text(), "<@mesh, [{\"data\", \"model\"}]>");
}

TEST(Sharding, PartsFollowTheMeshMajorFirst) {
  Sharding s{square_mesh(), {{"model"}, {"data"}}};
  EXPECT_EQ(s.local_shape({4, 6}), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(s.part_index(1), (std::vector<int64_t>{1, 0}));
  EXPECT_EQ(s.part_index(2), (std::vector<int64_t>{0, 1}));
  Sharding both{square_mesh(), {{"model", "data"}}};
  EXPECT_EQ(both.part_index(1), std::vector<int64_t>{2});
  EXPECT_EQ(both.part_index(2), std::vector<int64_t>{1});
}

TEST(Sharding, SpecsThatDoNotFitAreErrors) {
  auto mesh = square_mesh();
  auto message = [&](const PartitionSpec& spec, const Shape& shape) {
    return std::string(error_of([&] { Sharding{mesh, spec}.check(shape, "op"); }).what());
  };
  EXPECT_TRUE(contains(message({{"data"}}, {4, 4}), "has 1 entries for the shape (4,4)"));
  EXPECT_TRUE(contains(message({{"rows"}}, {4}), "\"rows\" is no axis of sdy.mesh"));
  EXPECT_TRUE(contains(message({{"data"}, {"data"}}, {4, 4}), "uses axis \"data\" twice"));
  EXPECT_TRUE(contains(message({{"data", "model"}}, {6}),
                       "dimension 0 of the shape (6) does not divide into 4 parts"));
  EXPECT_THROW(Mesh::create("m", {{"a", 0}}), Error);
  EXPECT_THROW(Mesh::create("m", {{"a", 2}, {"a", 2}}), Error);
}

class ShardedPrograms : public CoreTest {};

TEST_P(ShardedPrograms, FourDevicesGiveTheNumbersOfOne) {
  auto mesh = square_mesh();
  Array x = random::normal(random::key(0), {4, 8}), w = random::normal(random::key(1), {8, 6});
  Array one = softmax(matmul(x, w), 0);
  Array sx = device_put(x, {mesh, {{"data"}, {}}}), sw = device_put(w, {mesh, {{}, {"model"}}});
  auto f = jit([&](const Array& x, const Array& w) {
    Array hidden = with_sharding(matmul(x, w), {mesh, {{"data"}, {"model"}}});
    return with_sharding(softmax(hidden, 0), {mesh, {{"data"}, {"model"}}});
  });
  Array four = f(sx, sw);
  EXPECT_TRUE(contains(f.lower(sx, sw)->text(), "mhlo.num_partitions = 4"));
  EXPECT_EQ(f.lower(sx, sw)->executable()->num_devices(), 4);
  for (int device = 0; device < 4; ++device) {
    EXPECT_EQ(buffer_of(four, device)->dims(), (std::vector<int64_t>{2, 3}));
  }
  std::vector<double> want = reals(one), got = reals(four);
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-6) << i;
}

TEST_P(ShardedPrograms, DevicePutSpreadsAndGathers) {
  Sharding s{square_mesh(), {{"model"}, {}, {"data"}}};
  Array x = reshape(arange(4 * 3 * 6), {4, 3, 6});
  Array spread = device_put(x, s);
  EXPECT_EQ(spread.sharding(), s);
  EXPECT_EQ(reals(spread), reals(x));
  std::vector<int32_t> part(2 * 3 * 3);
  buffer_of(spread, 2)->copy_to_host(part.data());  // data 1, model 0
  EXPECT_EQ(part[0], 3);
  EXPECT_EQ(part[17], 18 + 2 * 6 + 5);
  EXPECT_EQ(reals(device_put(spread, Sharding{})), reals(x));
}

TEST_P(ShardedPrograms, UnshardedArgumentsAreCopiedToAllDevices) {
  auto mesh = square_mesh();
  Array x = device_put(arange(8), {mesh, {{"data"}}});
  EXPECT_EQ(reals(with_sharding(x * scalar(3, DType::kS32), {mesh, {{"data"}}}))[7], 21);
}

TEST_P(ShardedPrograms, ResultsWithoutAShardingAreWholeOnEveryDevice) {
  auto mesh = square_mesh();
  Array x = device_put(arange(8), {mesh, {{"data", "model"}}});
  Array y = x * 2;
  eval(y + 0);
  for (Array whole : {sum(y), reshape(y, {2, 4}), concatenate({y, y})}) {
    eval(whole);
    for (int device = 0; device < 4; ++device) {
      EXPECT_EQ(buffer_of(whole, device)->dims(), whole.shape());
    }
  }
  EXPECT_EQ(reals(reshape(y, {2, 4})), (std::vector<double>{0, 2, 4, 6, 8, 10, 12, 14}));
}

// The numbers must not depend on where they are made (jax-ml/jax#13346).
TEST_P(ShardedPrograms, RandomNumbersDoNotDependOnTheSharding) {
  Array key = random::key(5);
  std::vector<double> one = reals(random::bits(key, {8, 6}));
  for (auto axes : {std::vector<std::pair<std::string, int64_t>>{{"data", 2}, {"model", 1}},
                    {{"data", 4}, {"model", 2}}}) {
    auto mesh = Mesh::create("mesh", axes);
    auto f = jit([&](const Array& key) {
      return with_sharding(random::bits(key, {8, 6}), {mesh, {{"data"}, {"model"}}});
    });
    EXPECT_EQ(reals(f(key)), one);
  }
}

TEST_P(ShardedPrograms, AMeshLargerThanTheMachineIsRefused) {
  auto mesh = Mesh::create("mesh", {{"data", 16}});
  Error error = error_of([&] { device_put(arange(16), {mesh, {{"data"}}}); });
  EXPECT_TRUE(contains(error.what(), "needs 16 devices, this process has 8")) << error.what();
}

TEST_P(ShardedPrograms, TwoMeshesOfOneNameAreRefused) {
  auto a = square_mesh(), b = Mesh::create("mesh", {{"data", 4}});
  Array x = with_sharding(arange(8), {a, {{"data"}}});
  Error error = error_of([&] { eval(with_sharding(x, {b, {{"data"}}})); });
  EXPECT_TRUE(contains(error.what(), "one program uses two meshes named \"mesh\"")) << error.what();
}

TEST_P(ShardedPrograms, DonationWorksOnEveryDevice) {
  auto mesh = square_mesh();
  Array x = device_put(arange(8), {mesh, {{"data", "model"}}});
  auto f = jit(
      [&](const Array& x) {
        return with_sharding(x + 1, {mesh, {{"data", "model"}}});
      },
      {.donate = {0}});
  Array y = f(x);
  EXPECT_EQ(reals(y)[7], 8);
  EXPECT_THROW(reals(x), Error);
}

XYLEM_FOR_EACH_PLUGIN(ShardedPrograms);

}  // namespace
}  // namespace xylem
