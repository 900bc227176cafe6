#include "xylem/core/jit.h"

#include <gtest/gtest.h>

#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"
#include "xylem/runtime/client.h"

namespace xylem {
namespace {

struct Layer {
  Array weight;
  std::optional<Array> bias;
  XYLEM_FIELDS(weight, bias)
};

struct State {
  std::vector<Layer> layers;
  std::map<std::string, Array> named;
  Array step;
  XYLEM_FIELDS(layers, named, step)
};

class JitTest : public CoreTest {};

Array ramp(int64_t n, DType dtype = DType::kF32) { return arange(n, dtype); }

TEST_P(JitTest, TracesOncePerSignature) {
  int traces = 0;
  auto f = jit([&](const Array& x, const Array& y) {
    ++traces;
    return x * y + 1;
  });
  EXPECT_EQ(reals(f(ramp(3), ramp(3))), (std::vector<double>{1, 2, 5}));
  EXPECT_EQ(reals(f(ramp(3) + 1, ramp(3))), (std::vector<double>{1, 3, 7}));
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(f.cache_size(), 1u);
  f(ramp(4), ramp(4));                     // another shape
  f(ramp(3, DType::kS32), ramp(3));        // another dtype
  f(ramp(3), ramp(3));                     // known
  f(ramp(3, DType::kS32), ramp(3) * 2.0);  // known
  EXPECT_EQ(traces, 3);
}

TEST_P(JitTest, TheStructureOfATreeIsPartOfTheSignature) {
  int traces = 0;
  auto f = jit([&](const Layer& layer) {
    ++traces;
    return layer.bias ? layer.weight + *layer.bias : layer.weight;
  });
  f(Layer{ramp(2), std::nullopt});
  EXPECT_EQ(reals(f(Layer{ramp(2), ramp(2)})), (std::vector<double>{0, 2}));
  EXPECT_EQ(reals(f(Layer{ramp(2), std::nullopt})), (std::vector<double>{0, 1}));
  EXPECT_EQ(traces, 2);
}

TEST_P(JitTest, TakesAndGivesNestedTrees) {
  auto f = jit([](const State& state, const std::vector<Array>& more) {
    State next = state;
    for (Layer& layer : next.layers) layer.weight = layer.weight * 2;
    next.named["b"] = next.named["b"] + more[1];
    next.step = state.step + 1;
    return std::make_pair(next, more[0]);
  });
  State state{{{ramp(2), std::nullopt}, {ramp(3), ramp(1)}},
              {{"a", ramp(2)}, {"b", ramp(2)}},
              scalar(7, DType::kS32)};
  auto [next, first] = f(state, std::vector<Array>{ramp(1), ramp(2)});
  EXPECT_EQ(reals(next.layers[1].weight), (std::vector<double>{0, 2, 4}));
  EXPECT_FALSE(next.layers[0].bias.has_value());
  EXPECT_EQ(reals(next.named["b"]), (std::vector<double>{0, 2}));
  EXPECT_EQ(next.step.item<int32_t>(), 8);
  EXPECT_EQ(reals(first), std::vector<double>{0});
}

TEST_P(JitTest, AgreesWithRunningEagerly) {
  auto f = [](const Array& x) {
    Array y = softmax(matmul(x, transpose(x)));
    return std::vector<Array>{sum(y, {0}), sort(y), where(y > 0.2, y, 0.0), argmax(y)};
  };
  Array x = random::normal(random::key(3), {4, 5});
  std::vector<Array> eager = f(x), compiled = jit(f)(x);
  for (size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(reals(eager[i]), reals(compiled[i])) << i;
}

TEST_P(JitTest, ArgumentsMayComeBackAndBeUnused) {
  auto f = jit([](const Array& x, const Array&) { return std::vector<Array>{x, x, x + 1}; });
  std::vector<Array> out = f(ramp(2), ramp(5));
  EXPECT_EQ(reals(out[0]), reals(out[1]));
  EXPECT_EQ(reals(out[2]), (std::vector<double>{1, 2}));
  auto nothing = jit([](const Array&) { return std::vector<Array>{}; });
  EXPECT_TRUE(nothing(ramp(2)).empty());
}

TEST_P(JitTest, InsideAnotherTraceItIsPartOfThatTrace) {
  auto inner = jit([](const Array& x) { return x * 3; });
  auto outer = jit([&](const Array& x) { return inner(x) + inner(x + 1); });
  EXPECT_EQ(reals(outer(ramp(2))), (std::vector<double>{3, 9}));
  EXPECT_EQ(inner.cache_size(), 0u);
}

// ---- captured values ----------------------------------------------------------------------------

TEST_P(JitTest, CapturedArraysBecomeArgumentsNotText) {
  Array big = random::normal(random::key(1), {300, 300});
  eval(big);
  auto f = jit([&](const Array& x) { return matmul(x, big); });
  Array x = ones({1, 300});
  EXPECT_LT(f.lower(x)->text().size(), 1000u);
  Array expected = sum(big, {0}, true);
  std::vector<double> got = reals(f(x)), want = reals(expected);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], want[i], 1e-3);
}

TEST_P(JitTest, CapturedValuesAreThoseOfTheTrace) {
  Array offset = array<float>({10});
  auto f = jit([&](const Array& x) { return x + offset; });
  EXPECT_EQ(reals(f(ramp(1))), std::vector<double>{10});
  offset = array<float>({20});
  EXPECT_EQ(reals(f(ramp(1))), std::vector<double>{10});
}

TEST_P(JitTest, ACapturedGraphNeedNotBeEvaluatedFirst) {
  Array lazy = ramp(2) * 5;
  auto f = jit([&](const Array& x) { return x + lazy; });
  EXPECT_EQ(reals(f(ramp(2))), (std::vector<double>{0, 6}));
  EXPECT_EQ(reals(lazy), (std::vector<double>{0, 5}));
}

// ---- donation -----------------------------------------------------------------------------------

TEST_P(JitTest, ADonatedArgumentIsGoneAndItsMemoryUsed) {
  auto f =
      jit([](const Array& x, const Array& y) { return x + y; }, {.donate = {0}, .name = "step"});
  Array x = ramp(1024) * 1, y = ramp(1024);
  eval(x);
  EXPECT_TRUE(contains(f.lower(x, y)->text(), "tf.aliasing_output = 0"));
  EXPECT_GE(f.lower(x, y)->executable()->memory_stats().aliased, 4096);
  Array z = f(x, y);
  EXPECT_EQ(reals(z)[1023], 2046);
  EXPECT_EQ(reals(y)[1023], 1023);
  Error error = error_of([&] { reals(x); });
  EXPECT_EQ(error.code(), ErrorCode::kFailedPrecondition);
  EXPECT_TRUE(contains(error.what(), "float32(1024) is gone: it was donated to step"))
      << error.what();
  EXPECT_THROW(reals(x + 1), Error);
  EXPECT_THROW(f(x, y), Error);
}

TEST_P(JitTest, AStateGoesRoundAndRound) {
  auto step = jit(
      [](const State& s, const Array& x) {
        State next = s;
        next.layers[0].weight = dynamic_update_slice(s.layers[0].weight, x, {s.step});
        next.step = s.step + 1;
        return next;
      },
      {.donate = {0}});
  State state{{{zeros({4}), std::nullopt}}, {}, scalar(0, DType::kS32)};
  for (int i = 0; i < 4; ++i) state = step(state, full({1}, i + 1));
  EXPECT_EQ(reals(state.layers[0].weight), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_EQ(step.cache_size(), 1u);
}

TEST_P(JitTest, ADonorOfNoResultsTypeIsStillTaken) {
  auto f = jit([](const Array& x) { return astype(x, DType::kS32); }, {.donate = {0}});
  Array x = ramp(4) * 1;
  EXPECT_TRUE(contains(f.lower(x)->text(), "jax.buffer_donor = true"));
  EXPECT_EQ(reals(f(x)), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_THROW(reals(x), Error);
}

// A buffer given away twice crashes plugins: it is an Error before anything runs.
TEST_P(JitTest, OneBufferIsNotDonatedTwice) {
  auto f = jit(
      [](const Array& x, const Array& y) {
        return std::vector<Array>{x + y, x - y};
      },
      {.donate = {0, 1}, .name = "twice"});
  Array x = ramp(3) * 1;
  Error error = error_of([&] { f(x, x); });
  EXPECT_TRUE(
      contains(error.what(), "[twice] arguments 0 and 1 are the same array and both are donated"))
      << error.what();
  EXPECT_EQ(reals(x), (std::vector<double>{0, 1, 2}));  // still there
  auto g = jit([](const Array& x, const Array& y) { return x + y; }, {.donate = {1}, .name = "g"});
  error = error_of([&] { g(x, x); });
  EXPECT_TRUE(contains(error.what(), "[g] argument 1 is donated and passed again as argument 0"))
      << error.what();
  EXPECT_EQ(reals(x), (std::vector<double>{0, 1, 2}));
}

TEST_P(JitTest, ACapturedArrayIsNotDonated) {
  Array x = ramp(3) * 1;
  eval(x);
  auto f = jit([&](const Array& y) { return x + y; }, {.donate = {0}, .name = "f"});
  Error error = error_of([&] { f(x); });
  EXPECT_TRUE(contains(error.what(), "[f] argument 0 is donated but the function captured it too"))
      << error.what();
  EXPECT_EQ(reals(x), (std::vector<double>{0, 1, 2}));
}

// The caller's vector may be read in place; giving it away must not write into it.
TEST_P(JitTest, DonatingAnUploadedArrayLeavesHostMemoryAlone) {
  auto owner = std::make_shared<std::vector<float>>(4096, 1.0f);
  Array x = from_host_memory(owner->data(), {4096}, DType::kF32, owner);
  Array y = jit([](const Array& x) { return x + 1; }, {.donate = {0}})(x);
  EXPECT_EQ(reals(y)[7], 2);
  EXPECT_EQ((*owner)[7], 1.0f);
}

TEST_P(JitTest, ADonatedArgumentMustExist) {
  auto f = jit([](const Array& x) { return x; }, {.donate = {1}, .name = "one"});
  Error error = error_of([&] { f(ramp(2)); });
  EXPECT_TRUE(contains(error.what(), "[jit] donated argument 1 of one takes 1 arguments"))
      << error.what();
}

// ---- values that exist only while tracing -------------------------------------------------------

TEST_P(JitTest, ATracedValueHasNoNumbers) {
  auto f = jit([](const Array& x) { return full({2}, x.item<float>()); });
  Error error = error_of([&] { f(scalar(1, DType::kF32)); });
  EXPECT_TRUE(contains(error.what(), "exists only while its function is traced")) << error.what();
  auto known = jit([](const Array& x) { return x * full({1}, array<float>({3}).item<float>()); });
  EXPECT_EQ(reals(known(ramp(1) + 1)), std::vector<double>{3});
}

TEST_P(JitTest, ATracedValueMustNotLeave) {
  Array leaked;
  jit([&](const Array& x) {
    leaked = x * 2;
    return x;
  })(ramp(2));
  EXPECT_TRUE(leaked.is_traced());
  EXPECT_THROW(eval(leaked), Error);
  Error error = error_of([&] { jit([&](const Array& x) { return x + leaked; })(ramp(2)); });
  EXPECT_TRUE(contains(error.what(), "trace")) << error.what();
}

XYLEM_FOR_EACH_PLUGIN(JitTest);

}  // namespace
}  // namespace xylem
