#include "xylem/core/tree.h"

#include <gtest/gtest.h>

#include "xylem/core/ops.h"
#include "xylem/core/test_util.h"

namespace xylem {
namespace {

struct Linear {
  Array weight;
  std::optional<Array> bias;
  XYLEM_FIELDS(weight, bias)
};

struct Model {
  Linear embed;
  std::vector<Linear> layers;
  std::map<std::string, Array> extra;
  std::pair<Array, Array> ends;
  Array unset;
  XYLEM_FIELDS(embed, layers, extra, ends, unset)
};

struct Empty {
  std::vector<Array> nothing;
  XYLEM_FIELDS(nothing)
};

// As many fields as a large configuration has.
struct Wide {
  Array a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z;
  XYLEM_FIELDS(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z)
};

Model model() {
  return {{arange(1), std::nullopt},
          {{arange(2), arange(3)}, {arange(4), std::nullopt}},
          {{"a.b", arange(5)}, {"c", arange(6)}},
          {arange(7), arange(8)},
          {}};
}

std::vector<int64_t> sizes(const std::vector<Array>& arrays) {
  std::vector<int64_t> list;
  for (const Array& array : arrays) list.push_back(array.size());
  return list;
}

TEST(Tree, NamesAreThePathsOfTheFields) {
  std::vector<std::string> names;
  for (const auto& [name, leaf] : named_leaves(model())) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"embed.weight", "layers.0.weight", "layers.0.bias",
                                             "layers.1.weight", "extra.a.b", "extra.c", "ends.0",
                                             "ends.1"}));
}

TEST(Tree, FlattensInTheOrderOfTheFields) {
  EXPECT_EQ(sizes(flatten(model())), (std::vector<int64_t>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(flatten(Empty{}).empty());
  EXPECT_EQ(sizes(flatten(arange(9))), std::vector<int64_t>{9});
  EXPECT_EQ(sizes(flatten(std::tuple{arange(1), std::vector{arange(2)}})),
            (std::vector<int64_t>{1, 2}));
}

TEST(Tree, UnflattenPutsLeavesBack) {
  Model before = model();
  std::vector<Array> leaves = flatten(before);
  for (Array& leaf : leaves) leaf = concatenate({leaf, leaf});
  size_t next = 0;
  Model after = unflatten(before, leaves, next);
  EXPECT_EQ(next, leaves.size());
  EXPECT_EQ(sizes(flatten(after)), (std::vector<int64_t>{2, 4, 6, 8, 10, 12, 14, 16}));
  EXPECT_FALSE(after.layers[1].bias.has_value());
  EXPECT_FALSE(after.unset.is_valid());
  EXPECT_EQ(sizes(flatten(before))[0], 1);  // a copy
  leaves.pop_back();
  next = 0;
  EXPECT_THROW(unflatten(before, leaves, next), std::out_of_range);
}

TEST(Tree, StructureTellsTreesApart) {
  auto structure = [](const Model& m) {
    std::vector<int64_t> list;
    append_structure(m, list);
    return list;
  };
  Model same = model(), bias = model(), moved = model(), key = model(), set = model();
  bias.layers[1].bias = arange(1);
  std::swap(moved.layers[0], moved.layers[1]);
  key.extra.erase("c");
  key.extra["d"] = arange(6);
  set.unset = arange(1);
  EXPECT_EQ(structure(model()), structure(same));
  for (const Model& other : {bias, moved, key, set}) {
    EXPECT_NE(structure(model()), structure(other));
  }
}

TEST(Tree, VisitorsMayChangeLeaves) {
  Model m = model();
  visit_leaves(m, "model", [](const std::string& path, Array& leaf) {
    if (path == "model.layers.0.bias") leaf = arange(30);
  });
  EXPECT_EQ(m.layers[0].bias->size(), 30);
}

TEST(Tree, AStructMayHaveManyFields) {
  Wide wide;
  wide.a = wide.z = arange(2);
  std::vector<std::pair<std::string, Array>> leaves = named_leaves(wide);
  ASSERT_EQ(leaves.size(), 2u);
  EXPECT_EQ(leaves[1].first, "z");
}

}  // namespace
}  // namespace xylem
