// Helpers shared by the files of operations; not for users.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>

#include "xylem/core/emitter.h"
#include "xylem/core/node.h"

namespace xylem::ops_internal {

// "(2,3)"
inline std::string shape_text(const Shape& shape) {
  return fmt::format("({})", fmt::join(shape, ","));
}

// "[0, 1]"
inline std::string list_text(const std::vector<int64_t>& list) {
  return fmt::format("[{}]", fmt::join(list, ", "));
}

inline std::string type_of(const Array& array) { return tensor_type(array.aval()); }
inline std::string out_type(const Node& node) { return tensor_type(node.outputs[0]); }

}  // namespace xylem::ops_internal
