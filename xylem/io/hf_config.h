// Typed reading of a Hugging Face config.json (and of other JSON objects with known keys): every
// error names the file, the key's full path, what is there and what was expected.
//
//   auto config = io::HfConfig::load(folder + "/config.json");
//   int64_t hidden = config.int_key("hidden_size", {1, 1 << 20});
//   float base = config.float_key_or("rope_theta", 10000.0);
//   if (auto scaling = config.object_key("rope_scaling")) factor = scaling->float_key("factor");
//
// A key that is null counts as absent, as in transformers. Cheap to copy.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::io {

class HfConfig {
 public:
  struct Range {  // both ends allowed
    int64_t least = INT32_MIN;
    int64_t most = INT32_MAX;
  };

  // kInvalidArgument when the file holds no JSON object.
  static HfConfig load(const std::string& path);
  // name is what messages call the object.
  static HfConfig from(nlohmann::json object, std::string name);

  const std::string& name() const { return name_; }
  const nlohmann::json& object() const { return *object_; }
  bool has(std::string_view key) const { return find(key) != nullptr; }

  // kNotFound when the key is absent; kInvalidArgument when the value is of another type or out of
  // range. An integer may be written as a float without a fraction (10000.0).
  int64_t int_key(std::string_view key, Range range) const;
  int64_t int_key(std::string_view key) const { return int_key(key, Range()); }
  double float_key(std::string_view key) const;
  bool bool_key(std::string_view key) const;
  std::string string_key(std::string_view key) const;
  std::vector<int64_t> ints_key(std::string_view key, Range range) const;
  std::vector<int64_t> ints_key(std::string_view key) const { return ints_key(key, Range()); }
  std::vector<double> floats_key(std::string_view key) const;
  std::vector<std::string> strings_key(std::string_view key) const;
  // Nothing when absent.
  std::optional<HfConfig> object_key(std::string_view key) const;

  // The fallback counts only when the key is absent: a wrong type is still an error.
  int64_t int_key_or(std::string_view key, int64_t fallback, Range range) const;
  int64_t int_key_or(std::string_view key, int64_t fallback) const {
    return int_key_or(key, fallback, Range());
  }
  double float_key_or(std::string_view key, double fallback) const;
  bool bool_key_or(std::string_view key, bool fallback) const;
  std::string string_key_or(std::string_view key, std::string_view fallback) const;

 private:
  HfConfig(std::shared_ptr<const nlohmann::json> object, std::string name);
  const nlohmann::json* find(std::string_view key) const;  // null when absent or null
  const nlohmann::json& require(std::string_view key) const;
  const nlohmann::json& require_array(std::string_view key, std::string_view expected) const;
  int64_t checked_int(const nlohmann::json& value, std::string_view key, Range range) const;
  [[noreturn]] void fail_type(std::string_view key, const nlohmann::json& value,
                              std::string_view expected) const;

  std::shared_ptr<const nlohmann::json> object_;
  std::string name_;
};

}  // namespace xylem::io
