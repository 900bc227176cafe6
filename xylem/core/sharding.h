// How an array is laid over devices: a mesh with named axes and, per dimension, the axes that split
// it. Emitted as Shardy text; XLA partitions. No layer of a model mentions a device count.
//
//   auto mesh = Mesh::create("mesh", {{"data", 2}, {"model", 4}});
//   Sharding s{mesh, {{"data"}, {}}};   // rows over "data", columns whole
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace xylem {

class Mesh {
 public:
  // Axis sizes are positive; the product is the number of devices. Names are unique identifiers.
  static std::shared_ptr<const Mesh> create(std::string name,
                                            std::vector<std::pair<std::string, int64_t>> axes);

  const std::string& name() const { return name_; }
  const std::vector<std::pair<std::string, int64_t>>& axes() const { return axes_; }
  int64_t size() const;                              // devices
  int64_t axis_size(const std::string& axis) const;  // Error when there is no such axis
  // `sdy.mesh @name = <["data"=2, "model"=4]>`
  std::string text() const;

 private:
  Mesh(std::string name, std::vector<std::pair<std::string, int64_t>> axes)
      : name_(std::move(name)), axes_(std::move(axes)) {}
  std::string name_;
  std::vector<std::pair<std::string, int64_t>> axes_;
};

// For each dimension the mesh axes that split it, major first; an empty list keeps it whole.
using PartitionSpec = std::vector<std::vector<std::string>>;

// A null mesh means "not said": the compiler chooses.
struct Sharding {
  std::shared_ptr<const Mesh> mesh;
  PartitionSpec spec;

  bool is_set() const { return mesh != nullptr; }
  // `#sdy.sharding<@mesh, [{"data"}, {}]>` without the leading `#sdy.sharding`.
  std::string text() const;
  // Throws when the spec does not fit the shape: rank, unknown or repeated axes, sizes that do not
  // divide. `op` is the prefix of the message.
  void check(const std::vector<int64_t>& shape, const char* op) const;
  // The shape of one device's part.
  std::vector<int64_t> local_shape(const std::vector<int64_t>& shape) const;
  // Index of the part along each dimension that `device` (0..mesh.size()-1) holds.
  std::vector<int64_t> part_index(int64_t device) const;
};

bool operator==(const Sharding& a, const Sharding& b);

}  // namespace xylem
