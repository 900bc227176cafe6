// For the tests of this layer: the CPU plugins that the set-up fetched, with a client for each.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "xylem/base/error.h"
#include "xylem/runtime/client.h"

namespace xylem::runtime {

constexpr int64_t kTestDevices = 8;

inline std::vector<std::string> cpu_plugins() {
  std::vector<std::string> paths;
  for (const PluginFile& file : find_plugins()) {
    if (file.name == "cpu") paths.push_back(file.path);
  }
  return paths;
}

inline std::string plugin_test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}

// Each test runs once with each plugin; clients with eight devices are shared between tests.
class PluginTest : public ::testing::TestWithParam<std::string> {
 protected:
  static std::shared_ptr<Client> client() {
    static auto& clients = *new std::map<std::string, std::shared_ptr<Client>>;
    std::shared_ptr<Client>& found = clients[GetParam()];
    if (found == nullptr) {
      found = Client::create(Plugin::load(GetParam()), {{"cpu_device_count", kTestDevices}});
    }
    return found;
  }
};

#define XYLEM_FOR_EACH_PLUGIN(suite) \
  INSTANTIATE_TEST_SUITE_P(Cpu, suite, ::testing::ValuesIn(cpu_plugins()), plugin_test_name)

// The message of the Error that f throws; a failed test when it throws none.
template <typename F>
Error error_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error was thrown";
  return Error(ErrorCode::kInternal, "");
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A variable of the environment for the life of the object; null unsets it.
class ScopedEnv {
 public:
  ScopedEnv(const char* name, const char* value) : name_(name) {
    if (const char* old = std::getenv(name)) old_ = old;
    set(value);
  }
  ~ScopedEnv() { set(old_ ? old_->c_str() : nullptr); }
  ScopedEnv(const ScopedEnv&) = delete;
  ScopedEnv& operator=(const ScopedEnv&) = delete;

 private:
  void set(const char* value) {
    if (value != nullptr)
      ::setenv(name_, value, 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> old_;
};

// A folder that goes away with the object.
class ScopedFolder {
 public:
  ScopedFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xylem_test_XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  ~ScopedFolder() {
    std::error_code error;
    std::filesystem::remove_all(path_, error);
  }
  ScopedFolder(const ScopedFolder&) = delete;
  ScopedFolder& operator=(const ScopedFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// A program of one function: main_program("%a: tensor<4xf32>", "tensor<4xf32>", "...lines...").
inline std::string main_program(const std::string& arguments, const std::string& result,
                                const std::string& body) {
  return "module {\n  func.func public @main(" + arguments + ") -> " + result + " {\n" + body +
         "  }\n}\n";
}

// a + a over f32[n]; `attributes` go to the argument.
inline std::string double_program(int64_t n, const std::string& attributes = "") {
  std::string type = "tensor<" + std::to_string(n) + "xf32>";
  return main_program(
      "%a: " + type + " " + attributes, type,
      "    %0 = stablehlo.add %a, %a : " + type + "\n    return %0 : " + type + "\n");
}

constexpr const char* kAliasFirst = "{tf.aliasing_output = 0 : i32}";

inline std::shared_ptr<Buffer> upload(const std::shared_ptr<Client>& client,
                                      const std::vector<float>& values, int device = 0) {
  std::vector<int64_t> dims = {static_cast<int64_t>(values.size())};
  return client->from_host(values.data(), DType::kF32, dims, device);
}

inline std::vector<float> download(const Buffer& buffer) {
  std::vector<float> values(static_cast<size_t>(buffer.size()));
  buffer.copy_to_host(values.data());
  return values;
}

}  // namespace xylem::runtime
