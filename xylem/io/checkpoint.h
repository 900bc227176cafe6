// A Hugging Face folder's weights: model.safetensors, or the shards that
// model.safetensors.index.json names.
//
//   auto weights = io::Checkpoint::open("SmolLM2-135M-Instruct");
//   io::TensorView w = weights->tensor("model.embed_tokens.weight", {49152, 576});
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "xylem/io/safetensors.h"

namespace xylem::io {

class Checkpoint : public WeightSource {
 public:
  // kNotFound when the folder has no weights or a shard is missing, kDataLoss when a tensor is
  // not in the shard that the index names; the messages name the file and the tensor.
  static std::shared_ptr<const Checkpoint> open(const std::string& folder);

  const std::vector<std::shared_ptr<const SafetensorsFile>>& shards() const { return shards_; }
  size_t size() const { return locations_.size(); }  // the number of tensors
  // A tensor's description as its file gives it, in the order of tensor_names().
  const SafetensorsEntry& entry(size_t i) const;

  const std::string& name() const override { return folder_; }
  std::vector<std::string_view> tensor_names() const override;
  std::optional<TensorView> find_tensor(std::string_view name) const override;
  void release(const TensorView& tensor) const override;

 private:
  struct Location {
    std::string_view name;
    uint32_t shard;
    uint32_t tensor;  // its position in the shard
  };

  explicit Checkpoint(std::string folder) : folder_(std::move(folder)) {}
  void add_shard(const std::string& path);
  void read_index(const std::string& path);
  void add_all_of_shard(uint32_t shard);

  std::string folder_;
  std::vector<std::shared_ptr<const SafetensorsFile>> shards_;
  std::vector<Location> locations_;
  std::vector<uint32_t> order_;  // positions in locations_, sorted by name
};

}  // namespace xylem::io
