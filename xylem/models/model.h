// What a model is to the engine and the trainer: sizes, a tree of weights, and one forward pass.
// A family implements Model in one file and adds one line to the registry.
//
//   std::shared_ptr<const Model> model = load_model("model.gguf", {});
//   Array hidden = model->forward(tokens, positions, context);
//   Array logits = model->logits(hidden);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/tree.h"
#include "xylem/nn/attention.h"
#include "xylem/nn/linear.h"

namespace xylem::models {

struct ModelInfo {
  std::string family;  // the registry's name, "llama"
  std::string name;    // the file's own name, for people
  int64_t layers = 0;
  int64_t kv_heads = 0;
  int64_t head_dim = 0;
  int64_t hidden = 0;
  int64_t vocabulary = 0;
  int64_t max_positions = 0;
};

class Model {
 public:
  virtual ~Model() = default;

  const ModelInfo& info() const { return info_; }
  // The weights in a fixed order, and the same model over other arrays in that order: how a model
  // becomes the argument of a jitted function.
  virtual std::vector<Array> weights() const = 0;
  virtual std::vector<std::string> weight_names() const = 0;
  virtual std::shared_ptr<const Model> with_weights(const std::vector<Array>& weights) const = 0;

  // tokens and positions [tokens] int32 → hidden states [tokens, hidden] f32, after the last norm.
  virtual Array forward(const Array& tokens, const Array& positions,
                        nn::AttentionContext& context) const = 0;
  // hidden [rows, hidden] → [rows, vocabulary] f32.
  virtual Array logits(const Array& hidden) const = 0;

 protected:
  explicit Model(ModelInfo info) : info_(std::move(info)) {}
  ModelInfo info_;
};

// A family's model over its tree of modules: Derived has `Tree tree` and is copyable.
template <typename Derived>
class ModelBase : public Model {
 public:
  std::vector<Array> weights() const override { return flatten(self().tree); }

  std::vector<std::string> weight_names() const override {
    std::vector<std::string> names;
    for (const auto& [name, leaf] : named_leaves(self().tree)) names.push_back(name);
    return names;
  }

  std::shared_ptr<const Model> with_weights(const std::vector<Array>& weights) const override {
    auto copy = std::make_shared<Derived>(self());
    size_t next = 0;
    copy->tree = unflatten(self().tree, weights, next);
    return copy;
  }

 protected:
  using Model::Model;

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
};

}  // namespace xylem::models
