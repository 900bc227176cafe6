#include "xylem/serve/engine/block_manager.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace xylem::engine {
namespace {

using Table = std::vector<int32_t>;

TEST(BlockManager, CountsPages) {
  BlockManager blocks(7, 4);
  EXPECT_EQ(blocks.num_pages(), 7);
  EXPECT_EQ(blocks.num_free(), 7);
  EXPECT_EQ(blocks.page_size(), 4);
  EXPECT_EQ(blocks.pages_for(0), 0);
  EXPECT_EQ(blocks.pages_for(1), 1);
  EXPECT_EQ(blocks.pages_for(4), 1);
  EXPECT_EQ(blocks.pages_for(5), 2);
}

TEST(BlockManager, GrowsATableByWhatItLacks) {
  BlockManager blocks(4, 4);
  Table table;
  EXPECT_TRUE(blocks.grow(table, 5));
  EXPECT_EQ(table, (Table{0, 1}));
  EXPECT_TRUE(blocks.grow(table, 8));
  EXPECT_TRUE(blocks.grow(table, 3));  // a table does not shrink
  EXPECT_EQ(table, (Table{0, 1}));
  EXPECT_EQ(blocks.num_free(), 2);
  EXPECT_TRUE(blocks.grow(table, 9));
  EXPECT_EQ(table, (Table{0, 1, 2}));
  EXPECT_EQ(blocks.num_free(), 1);
}

TEST(BlockManager, TakesNothingWhenPagesDoNotSuffice) {
  BlockManager blocks(3, 2);
  Table a, b;
  ASSERT_TRUE(blocks.grow(a, 3));
  EXPECT_FALSE(blocks.grow(b, 3));
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(blocks.num_free(), 1);
  EXPECT_TRUE(blocks.grow(b, 2));
  EXPECT_FALSE(blocks.grow(a, 5));
  EXPECT_EQ(a, (Table{0, 1}));
  EXPECT_EQ(blocks.num_free(), 0);
}

TEST(BlockManager, GivesReleasedPagesOutAgain) {
  BlockManager blocks(3, 1);
  Table a, b;
  ASSERT_TRUE(blocks.grow(a, 2) && blocks.grow(b, 1));
  blocks.release(a);
  EXPECT_TRUE(a.empty());
  EXPECT_EQ(blocks.num_free(), 2);
  blocks.release(a);  // an empty table has nothing to give
  EXPECT_EQ(blocks.num_free(), 2);
  Table c;
  EXPECT_TRUE(blocks.grow(c, 2));
  EXPECT_EQ(c, (Table{0, 1}));
  EXPECT_EQ(b, Table{2});
}

// Whatever happens, each page is in one table or free, and never in two.
TEST(BlockManager, NoPageIsLostOrSharedOverManySteps) {
  constexpr int64_t kPages = 23, kPageSize = 3;
  BlockManager blocks(kPages, kPageSize);
  std::vector<Table> tables(6);
  std::mt19937 random(1);
  int64_t refusals = 0;
  for (int step = 0; step < 5000; ++step) {
    Table& table = tables[random() % tables.size()];
    if (random() % 3 == 0) {
      blocks.release(table);
    } else {
      int64_t tokens = static_cast<int64_t>(random() % 40);
      size_t before = table.size(), wanted = static_cast<size_t>(blocks.pages_for(tokens));
      bool grown = blocks.grow(table, tokens);
      refusals += !grown;
      EXPECT_EQ(table.size(), grown ? std::max(before, wanted) : before);
    }
    std::set<int32_t> used;
    size_t count = 0;
    for (const Table& t : tables) {
      used.insert(t.begin(), t.end());
      count += t.size();
    }
    ASSERT_EQ(used.size(), count);
    ASSERT_EQ(blocks.num_free(), kPages - static_cast<int64_t>(count));
    ASSERT_TRUE(used.empty() || (*used.begin() >= 0 && *used.rbegin() < kPages));
  }
  EXPECT_GT(refusals, 100);
}

}  // namespace
}  // namespace xylem::engine
