#include "xylem/core/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "xylem/base/error.h"

namespace xylem {

std::shared_ptr<const Mesh> Mesh::create(std::string name,
                                         std::vector<std::pair<std::string, int64_t>> axes) {
  std::set<std::string> seen;
  for (const auto& [axis, size] : axes) {
    if (size < 1) {
      fail(ErrorCode::kInvalidArgument, "[Mesh] axis \"{}\" has size {}, expected at least 1", axis,
           size);
    }
    if (!seen.insert(axis).second) {
      fail(ErrorCode::kInvalidArgument, "[Mesh] axis \"{}\" is named twice", axis);
    }
  }
  return std::shared_ptr<const Mesh>(new Mesh(std::move(name), std::move(axes)));
}

int64_t Mesh::size() const {
  int64_t n = 1;
  for (const auto& [axis, size] : axes_) n *= size;
  return n;
}

int64_t Mesh::axis_size(const std::string& wanted) const {
  for (const auto& [axis, size] : axes_) {
    if (axis == wanted) return size;
  }
  fail(ErrorCode::kInvalidArgument, "[Mesh] \"{}\" is no axis of {}", wanted, text());
}

std::string Mesh::text() const {
  std::vector<std::string> parts;
  for (const auto& [axis, size] : axes_) parts.push_back(fmt::format("\"{}\"={}", axis, size));
  return fmt::format("sdy.mesh @{} = <[{}]>", name_, fmt::join(parts, ", "));
}

std::string Sharding::text() const {
  std::vector<std::string> dims;
  for (const auto& axes : spec) {
    std::vector<std::string> quoted;
    for (const std::string& axis : axes) quoted.push_back("\"" + axis + "\"");
    dims.push_back(fmt::format("{{{}}}", fmt::join(quoted, ", ")));
  }
  return fmt::format("<@{}, [{}]>", mesh->name(), fmt::join(dims, ", "));
}

void Sharding::check(const std::vector<int64_t>& shape, const char* op) const {
  if (!is_set()) return;
  if (spec.size() != shape.size()) {
    fail(ErrorCode::kInvalidArgument,
         "[{}] the partition spec {} has {} entries for the shape ({}), expected one a dimension",
         op, text(), spec.size(), fmt::join(shape, ","));
  }
  std::set<std::string> used;
  for (size_t d = 0; d < shape.size(); ++d) {
    int64_t parts = 1;
    for (const std::string& axis : spec[d]) {
      parts *= mesh->axis_size(axis);
      if (!used.insert(axis).second) {
        fail(ErrorCode::kInvalidArgument, "[{}] the partition spec {} uses axis \"{}\" twice", op,
             text(), axis);
      }
    }
    if (shape[d] % parts != 0) {
      fail(ErrorCode::kInvalidArgument,
           "[{}] dimension {} of the shape ({}) does not divide into {} parts as {} asks", op, d,
           fmt::join(shape, ","), parts, text());
    }
  }
}

std::vector<int64_t> Sharding::local_shape(const std::vector<int64_t>& shape) const {
  std::vector<int64_t> local = shape;
  if (!is_set()) return local;
  for (size_t d = 0; d < shape.size(); ++d) {
    for (const std::string& axis : spec[d]) local[d] /= mesh->axis_size(axis);
  }
  return local;
}

std::vector<int64_t> Sharding::part_index(int64_t device) const {
  // Coordinates of the device in the mesh, axes major first.
  std::vector<int64_t> coordinate(mesh->axes().size());
  for (size_t a = mesh->axes().size(); a-- > 0;) {
    coordinate[a] = device % mesh->axes()[a].second;
    device /= mesh->axes()[a].second;
  }
  std::vector<int64_t> index(spec.size(), 0);
  for (size_t d = 0; d < spec.size(); ++d) {
    for (const std::string& axis : spec[d]) {
      for (size_t a = 0; a < mesh->axes().size(); ++a) {
        if (mesh->axes()[a].first != axis) continue;
        index[d] = index[d] * mesh->axes()[a].second + coordinate[a];
      }
    }
  }
  return index;
}

bool operator==(const Sharding& a, const Sharding& b) {
  if (a.mesh == nullptr || b.mesh == nullptr) return a.mesh == b.mesh;
  return a.mesh->text() == b.mesh->text() && a.spec == b.spec;
}

}  // namespace xylem
