// Inside the runtime layer: the bytes of Executable::serialize. One line of text with the donated
// arguments, which the plugin's own bytes do not tell, and then the plugin's bytes:
//
//   xylem executable, donated: 0 3
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace xylem::runtime {

struct SerializedExecutable {
  std::vector<int64_t> donated;
  std::string_view plugin_bytes;  // part of the string given to split_serialized
};

std::string join_serialized(const std::vector<int64_t>& donated, std::string_view plugin_bytes);
// An Error (kDataLoss) when the bytes are not those of join_serialized.
SerializedExecutable split_serialized(std::string_view bytes);

}  // namespace xylem::runtime
