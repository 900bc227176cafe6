#include "xylem/runtime/compile_cache.h"

#include <sys/stat.h>

#include <fstream>

#include "xylem/base/file.h"
#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> entries(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder + "/programs", error)) {
    paths.push_back(entry.path());
  }
  return paths;
}

TEST(CompileCache, KeepsBytesInAPrivateFolder) {
  ScopedFolder folder;
  CompileCache cache(folder.path() + "/deep/er", 1 << 20);
  EXPECT_FALSE(cache.find("key"));
  std::string bytes("a\0b\n", 4);
  cache.store("key", bytes);
  EXPECT_EQ(cache.find("key"), bytes);
  EXPECT_FALSE(cache.find("other"));
  struct stat info {};
  ASSERT_EQ(::stat(cache.folder().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  cache.remove("key");
  EXPECT_FALSE(cache.find("key"));
}

TEST(CompileCache, AnOpenFolderIsClosedToOthers) {
  ScopedFolder folder;
  fs::create_directories(folder.path() + "/programs");
  ::chmod((folder.path() + "/programs").c_str(), 0777);
  CompileCache(folder.path(), 1 << 20).store("key", "bytes");
  struct stat info {};
  ASSERT_EQ(::stat((folder.path() + "/programs").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(CompileCache, DamagedFilesAreMisses) {
  ScopedFolder folder;
  CompileCache cache(folder.path(), 1 << 20);
  std::string path = cache.folder() + "/key.bin";
  std::string payload(1000, 'x');
  cache.store("key", payload);
  std::string good = read_file(path);
  for (size_t size : {size_t{0}, size_t{5}, size_t{50}, size_t{200}, good.size() - 1}) {
    write_file_atomic(path, good.substr(0, size));
    EXPECT_FALSE(cache.find("key")) << size;
  }
  for (size_t position : {size_t{0}, size_t{20}, size_t{80}, size_t{81}, good.size() - 1}) {
    std::string flipped = good;
    flipped[position] = static_cast<char>(flipped[position] ^ 4);
    write_file_atomic(path, flipped);
    EXPECT_FALSE(cache.find("key")) << position;
  }
  write_file_atomic(path, good + "x");
  EXPECT_FALSE(cache.find("key"));
  write_file_atomic(path, good);
  EXPECT_TRUE(cache.find("key"));
}

TEST(CompileCache, FilesThatOthersMayWriteAreMisses) {
  ScopedFolder folder;
  CompileCache cache(folder.path(), 1 << 20);
  cache.store("key", "bytes");
  std::string path = cache.folder() + "/key.bin";
  ::chmod(path.c_str(), 0666);
  EXPECT_FALSE(cache.find("key"));
  ::chmod(path.c_str(), 0600);
  EXPECT_TRUE(cache.find("key"));
  fs::rename(path, folder.path() + "/elsewhere");
  fs::create_symlink(folder.path() + "/elsewhere", path);
  EXPECT_FALSE(cache.find("key"));
}

TEST(CompileCache, TheLongestUnusedGoFirst) {
  ScopedFolder folder;
  CompileCache cache(folder.path(), 3500);
  std::string bytes(1000, 'x');
  auto age = [&](const std::string& key, int hours) {
    fs::last_write_time(cache.folder() + "/" + key + ".bin",
                        fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  for (const char* key : {"a", "b", "c"}) cache.store(key, bytes);
  age("a", 3);
  age("b", 2);
  age("c", 1);
  EXPECT_TRUE(cache.find("a"));  // used now
  cache.store("d", bytes);
  EXPECT_FALSE(cache.find("b"));
  for (const char* key : {"a", "c", "d"}) EXPECT_TRUE(cache.find(key)) << key;
  cache.store("huge", std::string(5000, 'x'));
  EXPECT_FALSE(cache.find("huge"));
  EXPECT_TRUE(cache.find("a"));
}

TEST(CompileCache, FolderComesFromTheEnvironment) {
  {
    ScopedEnv folder("XYLEM_CACHE_DIR", "/a/b");
    EXPECT_EQ(CompileCache::from_environment().folder(), "/a/b/programs");
  }
  ScopedEnv folder("XYLEM_CACHE_DIR", nullptr);
  {
    ScopedEnv cache("XDG_CACHE_HOME", "/c");
    EXPECT_EQ(CompileCache::from_environment().folder(), "/c/xylem/programs");
  }
  ScopedEnv cache("XDG_CACHE_HOME", nullptr), home("HOME", "/h");
  EXPECT_EQ(CompileCache::from_environment().folder(), "/h/.cache/xylem/programs");
}

using CachedCompile = PluginTest;

TEST_P(CachedCompile, TheSecondCompileIsAHit) {
  ScopedFolder folder;
  ScopedEnv variable("XYLEM_CACHE_DIR", folder.path().c_str());
  int64_t before = client()->compilations();
  std::string text = double_program(8, kAliasFirst);
  client()->compile(text, {});
  EXPECT_EQ(client()->compilations(), before + 1);
  ASSERT_EQ(entries(folder.path()).size(), 1u);
  auto again = client()->compile(text, {});
  EXPECT_EQ(client()->compilations(), before + 1);
  EXPECT_EQ(again->donated(), std::vector<int64_t>{0});
  Buffers results = again->execute(std::vector{upload(client(), std::vector<float>(8, 1.0f))});
  EXPECT_EQ(download(*results[0])[7], 2.0f);
  CompileOptions options;
  options.device_ids = {1};
  client()->compile(text, options);
  client()->compile(double_program(9), {});
  EXPECT_EQ(client()->compilations(), before + 3);
  {
    ScopedEnv flags("PJRT_NPROC", "7");  // XLA plans for another number of threads
    client()->compile(text, {});
  }
  EXPECT_EQ(client()->compilations(), before + 4);
}

TEST_P(CachedCompile, DamageAndRefusalRecompile) {
  ScopedFolder folder;
  ScopedEnv variable("XYLEM_CACHE_DIR", folder.path().c_str());
  std::string text = double_program(8);
  client()->compile(text, {});
  int64_t before = client()->compilations();
  std::string path = entries(folder.path())[0].string();
  std::string good = read_file(path);
  write_file_atomic(path, good.substr(0, good.size() / 2));
  client()->compile(text, {});
  EXPECT_EQ(client()->compilations(), before + 1);
  EXPECT_EQ(read_file(path).size(), good.size());  // stored anew
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 1);
  write_file_atomic(path, flipped);
  client()->compile(text, {});
  EXPECT_EQ(client()->compilations(), before + 2);
  // Whole, but not a program that the plugin can load.
  CompileCache(folder.path(), 1 << 30)
      .store(fs::path(path).stem().string(), "xylem executable, donated:\nnonsense");
  auto program = client()->compile(text, {});
  EXPECT_EQ(client()->compilations(), before + 3);
  Buffers results = program->execute(std::vector{upload(client(), std::vector<float>(8, 1.0f))});
  EXPECT_EQ(download(*results[0])[0], 2.0f);
}

TEST_P(CachedCompile, AFolderThatCannotBeUsedGivesOneWarning) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        ::setenv("XYLEM_CACHE_DIR", "/dev/null/cache", 1);
        ::unsetenv("XYLEM_LOG");
        for (int64_t n : {3, 4, 5}) client()->compile(double_program(n), {});
        std::_Exit(client()->compilations() == 3 ? 0 : 1);
      },
      ::testing::ExitedWithCode(0),
      "^[^\n]*the cache folder /dev/null/cache/programs cannot be used[^\n]*set XYLEM_CACHE_DIR to "
      "a folder that you can write to\n$");
}

XYLEM_FOR_EACH_PLUGIN(CachedCompile);

}  // namespace
}  // namespace xylem::runtime
