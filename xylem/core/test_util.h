// For the tests of this layer: each runs on every CPU plugin, as the process's default client.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/host_values.h"
#include "xylem/runtime/test_util.h"

namespace xylem {

using runtime::contains;
using runtime::cpu_plugins;
using runtime::error_of;
using runtime::plugin_test_name;

class CoreTest : public runtime::PluginTest {
 protected:
  void SetUp() override { runtime::set_default_client(client()); }
};

// An array of any floating dtype from doubles.
inline Array floats(const std::vector<double>& values, const Shape& shape,
                    DType dtype = DType::kF32) {
  std::vector<char> bytes(static_cast<size_t>(host_bytes(dtype, element_count(shape))));
  for (size_t i = 0; i < values.size(); ++i) {
    set_host_float(bytes.data(), dtype, static_cast<int64_t>(i), values[i]);
  }
  return from_host(bytes.data(), shape, dtype);
}

// The values of an array of any dtype (integers above 2^53 lose bits).
inline std::vector<double> reals(const Array& x) {
  std::vector<char> bytes(static_cast<size_t>(host_bytes(x.dtype(), x.size())));
  x.copy_to(bytes.data());
  std::vector<double> values;
  for (int64_t i = 0; i < x.size(); ++i) {
    values.push_back(is_floating(x.dtype())
                         ? host_float(bytes.data(), x.dtype(), i)
                         : static_cast<double>(host_integer(bytes.data(), x.dtype(), i)));
  }
  return values;
}

inline std::string source_path(const std::string& path) {
  return std::string(XYLEM_SOURCE_DIR) + "/" + path;
}

}  // namespace xylem
