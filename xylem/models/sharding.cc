#include "xylem/models/sharding.h"

#include <initializer_list>

namespace xylem::models {
namespace {

// The first of these axes that the devices divide; unsharded when there is none.
Sharding split_first(const std::shared_ptr<const Mesh>& mesh, const Shape& shape,
                     std::initializer_list<size_t> axes) {
  Sharding sharding{mesh, PartitionSpec(shape.size())};
  for (size_t axis : axes) {
    if (shape[axis] % mesh->size() != 0) continue;
    sharding.spec[axis] = {kModelAxis};
    break;
  }
  return sharding;
}

}  // namespace

Sharding weight_sharding(const std::shared_ptr<const Mesh>& mesh, const std::string& name,
                         const Shape& shape) {
  if (shape.size() != 2 || name.find("rope") != std::string::npos) {
    return split_first(mesh, shape, {});
  }
  bool consumes =
      name.find("o_proj") != std::string::npos || name.find(".down") != std::string::npos;
  return consumes ? split_first(mesh, shape, {1, 0}) : split_first(mesh, shape, {0, 1});
}

Sharding cache_sharding(const std::shared_ptr<const Mesh>& mesh, const Shape& shape) {
  return split_first(mesh, shape, {3, 5});
}

}  // namespace xylem::models
