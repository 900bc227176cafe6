#include "xylem/runtime/plugin.h"

#include <unistd.h>

#include <fstream>

#include "xylem/runtime/plugin_search.h"
#include "xylem/runtime/test_util.h"

namespace xylem::runtime {
namespace {

namespace fs = std::filesystem;

TEST(PluginLoad, WhatIsNoPluginGetsOneClearSentence) {
  ScopedFolder folder;
  std::string text = folder.path() + "/text.so";
  std::ofstream(text) << "not a library";
  EXPECT_TRUE(contains(error_of([&] { Plugin::load("/nowhere/x.so"); }).what(),
                       "cannot load the plugin /nowhere/x.so: No such file"));
  EXPECT_TRUE(contains(error_of([&] { Plugin::load(folder.path()); }).what(),
                       "expected a shared library, not a folder"));
  EXPECT_TRUE(contains(error_of([&] { Plugin::load(text); }).what(), "text.so: "));
  EXPECT_TRUE(contains(error_of([&] { Plugin::load("libm.so.6"); }).what(), "No such file"));
}

TEST(PluginLoad, LibraryWithoutTheEntryPoint) {
  std::string library;  // any shared library will do: the C library that this program runs on
  std::ifstream maps("/proc/self/maps");
  for (std::string line; library.empty() && std::getline(maps, line);) {
    size_t path = line.find('/');
    if (path != std::string::npos && contains(line, "libc.so")) library = line.substr(path);
  }
  ASSERT_FALSE(library.empty());
  EXPECT_TRUE(contains(error_of([&] { Plugin::load(library); }).what(),
                       "no PJRT plugin: it does not export GetPjrtApi"));
}

TEST(PluginSearch, NamesComeFromFileNames) {
  EXPECT_EQ(plugin_name("/x/pjrt_cpu.so"), "cpu");
  EXPECT_EQ(plugin_name("pjrt_cpu_0.81.so"), "cpu");
  EXPECT_EQ(plugin_name("/x/pjrt_cuda.so"), "cuda");
  EXPECT_EQ(plugin_name("/x/libtpu.so"), "tpu");
  EXPECT_EQ(plugin_name("/x/pjrt_cpu.so.bak"), "");
  EXPECT_EQ(plugin_name("/x/pjrt_toaster.so"), "");
  EXPECT_EQ(plugin_name("/x/libm.so"), "");
}

TEST(PluginSearch, FoldersAreSearchedBestDeviceFirst) {
  ScopedFolder first, second;
  for (const std::string& path : {first.path() + "/pjrt_cpu_9.so", first.path() + "/pjrt_cpu.so",
                                  first.path() + "/readme.txt", second.path() + "/libtpu.so",
                                  second.path() + "/pjrt_cuda.so"}) {
    std::ofstream(path) << "x";
  }
  ScopedEnv path("XYLEM_PLUGIN_PATH", (first.path() + "::" + second.path()).c_str());
  ScopedEnv home("XDG_DATA_HOME", first.path().c_str());  // not what this user has installed
  std::vector<PluginFile> found = find_plugins();
  ASSERT_GE(found.size(), 4u);
  EXPECT_EQ(found[0].path, second.path() + "/libtpu.so");
  EXPECT_EQ(found[1].path, second.path() + "/pjrt_cuda.so");
  EXPECT_EQ(found[2].path, first.path() + "/pjrt_cpu.so");
  EXPECT_EQ(found[3].path, first.path() + "/pjrt_cpu_9.so");
}

TEST(PluginSearch, UserFolder) {
  ScopedFolder data;
  fs::create_directories(data.path() + "/xylem/plugins");
  std::ofstream(data.path() + "/xylem/plugins/pjrt_cuda.so") << "x";
  ScopedEnv home("XDG_DATA_HOME", data.path().c_str());
  std::vector<PluginFile> found = find_plugins();
  EXPECT_TRUE(std::any_of(found.begin(), found.end(),
                          [](const PluginFile& file) { return file.name == "cuda"; }));
}

TEST(PluginChoice, DeviceVariable) {
  ASSERT_GE(cpu_plugins().size(), 2u) << "the set-up fetches two CPU plugins";
  {
    ScopedEnv device("XYLEM_DEVICE", "cpu");
    EXPECT_EQ(choose_plugin().path, cpu_plugins()[0]);
  }
  {
    ScopedEnv device("XYLEM_DEVICE", cpu_plugins()[1].c_str());
    EXPECT_EQ(choose_plugin().path, cpu_plugins()[1]);
    EXPECT_EQ(choose_plugin().name, "cpu");
  }
  {
    ScopedEnv device("XYLEM_DEVICE", "toaster");
    EXPECT_TRUE(contains(error_of([] { choose_plugin(); }).what(),
                         "XYLEM_DEVICE=toaster is no device: expected cpu, cuda, tpu or the path"));
  }
  {
    ScopedFolder empty;
    ScopedEnv device("XYLEM_DEVICE", "cuda"), home("XDG_DATA_HOME", empty.path().c_str());
    Error error = error_of([] { choose_plugin(); });
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_TRUE(contains(error.what(), "xylem plugins install cuda"));
  }
}

TEST(PluginChoice, APluginWithoutItsDeviceIsPassedOver) {
  // Either there is no GPU here, or the file is no plugin.
  ScopedFolder folder;
  std::ofstream(folder.path() + "/pjrt_cuda.so") << "x";
  ScopedEnv path("XYLEM_PLUGIN_PATH", folder.path().c_str()), device("XYLEM_DEVICE", nullptr);
  EXPECT_EQ(choose_plugin().name, "cpu");
}

using PluginInfo = PluginTest;

TEST_P(PluginInfo, LoadingTwiceGivesOneObject) {
  EXPECT_EQ(Plugin::load(GetParam()), Plugin::load(fs::canonical(GetParam()).string()));
}

TEST_P(PluginInfo, VersionAttributesExtensions) {
  std::shared_ptr<Plugin> plugin = Plugin::load(GetParam());
  auto [major, minor] = plugin->api_version();
  EXPECT_EQ(major, 0);
  EXPECT_GE(minor, 81);
  ASSERT_EQ(plugin->attributes().count("stablehlo_current_version"), 1u);
  const auto& version =
      std::get<std::vector<int64_t>>(plugin->attributes().at("stablehlo_current_version"));
  ASSERT_EQ(version.size(), 3u);
  EXPECT_GE(version[0], 1);
  EXPECT_NE(plugin->extension(5), nullptr);    // FFI
  EXPECT_EQ(plugin->extension(999), nullptr);  // no such type
  EXPECT_TRUE(contains(plugin->fingerprint(), "0." + std::to_string(minor)));
}

TEST_P(PluginInfo, Devices) {
  EXPECT_EQ(client()->platform_name(), "cpu");
  EXPECT_FALSE(client()->platform_version().empty());
  EXPECT_EQ(client()->num_addressable_devices(), kTestDevices);
  std::vector<DeviceInfo> devices = client()->devices();
  ASSERT_EQ(devices.size(), static_cast<size_t>(kTestDevices));
  for (size_t i = 0; i < devices.size(); ++i) {
    EXPECT_EQ(devices[i].id, static_cast<int64_t>(i));
    EXPECT_EQ(devices[i].kind, "cpu");
    EXPECT_TRUE(devices[i].addressable);
    EXPECT_FALSE(devices[i].description.empty());
    ASSERT_FALSE(devices[i].memories.empty());
    EXPECT_EQ(devices[i].memories[0].kind, "device");
  }
}

TEST_P(PluginInfo, UnknownClientOption) {
  // Plugins may ignore an option that they do not know; they may not crash.
  try {
    Client::create(Plugin::load(GetParam()), {{"cpu_device_count", int64_t{1}},
                                              {"no_such_option", std::string("x")},
                                              {"no_such_list", std::vector<int64_t>{1, 2}},
                                              {"no_such_flag", true},
                                              {"no_such_number", 1.5f}});
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), "cannot create a client of the plugin"));
  }
}

// Threads that a client adds, in a fresh process (the variable is read when a client is made).
int threads_of_client(const std::string& plugin, int limit) {
  auto count = [] {
    fs::directory_iterator tasks("/proc/self/task");
    return static_cast<int>(std::distance(fs::begin(tasks), fs::end(tasks)));
  };
  limit_host_threads(limit);
  std::shared_ptr<Plugin> loaded = Plugin::load(plugin);
  int before = count();
  auto client = Client::create(loaded, {{"cpu_device_count", int64_t{1}}});
  return count() - before;
}

TEST_P(PluginInfo, HostThreadsAreLimited) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  // Two pools: one runs programs, one the parallel pieces of a program.
  EXPECT_EXIT(std::_Exit(threads_of_client(GetParam(), 1)), ::testing::ExitedWithCode(2), "");
  EXPECT_EXIT(std::_Exit(threads_of_client(GetParam(), 3)), ::testing::ExitedWithCode(6), "");
  EXPECT_EQ(error_of([] { limit_host_threads(0); }).code(), ErrorCode::kInvalidArgument);
}

TEST_P(PluginInfo, StaticObjectsMayOutliveTheRuntime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static std::shared_ptr<Buffer> buffer;
        static std::shared_ptr<Executable> program;
        auto client = Client::create(Plugin::load(GetParam()), {{"cpu_device_count", int64_t{1}}});
        buffer = upload(client, {1, 2});
        program = client->compile(double_program(2), {}, false);
        buffer = program->execute(std::vector{buffer})[0];
        std::exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST_P(PluginInfo, DefaultClientFollowsTheEnvironment) {
  ScopedEnv device("XYLEM_DEVICE", GetParam().c_str());
  set_default_client(nullptr);
  EXPECT_EQ(default_client()->num_addressable_devices(), 1);
  EXPECT_EQ(default_client()->plugin(), Plugin::load(GetParam()));
  EXPECT_EQ(default_client(), default_client());
  set_default_client(nullptr);
  ScopedEnv devices("XYLEM_CPU_DEVICES", "3");
  EXPECT_EQ(default_client()->num_addressable_devices(), 3);
  set_default_client(client());
  EXPECT_EQ(default_client(), client());
  set_default_client(nullptr);
}

XYLEM_FOR_EACH_PLUGIN(PluginInfo);

}  // namespace
}  // namespace xylem::runtime
