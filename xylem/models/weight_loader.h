// Turns the tensors of a file into the modules of nn, in the form the device wants: packed blocks
// on a CPU, dense bf16 elsewhere. Each tensor is resident once: pages of the file are given back
// after re-laying them out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "xylem/base/progress.h"
#include "xylem/io/tensor.h"
#include "xylem/nn/linear.h"

namespace xylem::models {

struct LoadOptions {
  nn::Precision precision = nn::Precision::kFast;
  // Packed weights and native kernels; false for devices that are not the host.
  bool host_kernels = true;
  // Positions that the rotary tables cover; 0 means as many as the model was trained for.
  int64_t max_positions = 0;
  // Only shapes: arrays without data, for compiling ahead of time.
  bool describe_only = false;
};

// One matrix of a stack: a tensor [rows, cols], read in this order of rows when given.
struct Piece {
  std::string name;
  int64_t rows = 0;
  std::vector<int32_t> order = {};
};

class WeightLoader {
 public:
  WeightLoader(std::shared_ptr<const io::WeightSource> source, LoadOptions options);

  const io::WeightSource& source() const { return *source_; }
  const LoadOptions& options() const { return options_; }
  bool has(const std::string& name) const { return source_->has_tensor(name); }

  // A small tensor as f32.
  Array vector(const std::string& name, int64_t size);
  // The pieces stacked by rows, in as few matrices as their types allow; biases likewise when the
  // first piece has one ("….bias" beside "….weight").
  nn::Linear linear(const std::vector<Piece>& pieces, int64_t cols);
  nn::GatedMlp gated_mlp(const std::string& gate, const std::string& up, const std::string& down,
                         int64_t hidden, int64_t inner);
  nn::Embedding embedding(const std::string& name, int64_t rows, int64_t cols);
  nn::RmsNorm norm(const std::string& name, int64_t size, float eps);

 private:
  io::TensorView tensor(const Piece& piece, int64_t cols);
  nn::Matrix matrix(const std::vector<Piece>& pieces, int64_t cols, bool interleave);
  Array stack_packed(const std::vector<io::TensorView>& tensors, const std::vector<Piece>& pieces,
                     const nn::WeightFormat& format, bool interleave);
  Array stack_dense(const std::vector<io::TensorView>& tensors, const std::vector<Piece>& pieces,
                    const nn::WeightFormat& format, bool interleave);
  std::optional<Array> bias(const std::vector<Piece>& pieces);
  void done(const io::TensorView& tensor);

  std::shared_ptr<const io::WeightSource> source_;
  LoadOptions options_;
  Progress progress_;
};

}  // namespace xylem::models
