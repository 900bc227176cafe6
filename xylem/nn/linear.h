// Linear layers and embeddings over weight matrices in whatever form the device wants: dense for
// training, packed blocks for serving on a CPU.
#pragma once

#include <optional>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/tree.h"
#include "xylem/kernels/matmul.h"

namespace xylem::nn {

using kernels::Epilogue;
using kernels::Precision;
using kernels::WeightFormat;

// A weight matrix [format.rows, format.cols].
struct Matrix {
  Array weight;
  WeightFormat format;
  XYLEM_FIELDS(weight)
};

// y = x W^T + b. Matrices stacked by rows (q, k and v of an attention, say) are one Linear, of one
// part when their types allow it and of several otherwise.
struct Linear {
  std::vector<Matrix> parts;
  std::optional<Array> bias;  // [rows] f32
  Precision precision = Precision::kFast;
  XYLEM_FIELDS(parts, bias)

  int64_t rows() const;
  // x [tokens, cols] f32; `add` [tokens, rows] is added to the result.
  Array operator()(const Array& x, const std::optional<Array>& add = std::nullopt) const;
  // The result as one array a part, not concatenated.
  std::vector<Array> pieces(const Array& x) const;
};

// down(silu(gate(x)) * up(x)), with gate and up in one matrix, interleaved by groups of 16 rows,
// when `fused`, else stacked.
struct GatedMlp {
  Linear gate_up;
  Linear down;
  bool fused = false;
  XYLEM_FIELDS(gate_up, down)

  // x [tokens, hidden] f32; `add` joins the result.
  Array operator()(const Array& x, const std::optional<Array>& add = std::nullopt) const;
};

// Rows of a matrix by token id.
struct Embedding {
  Matrix table;
  XYLEM_FIELDS(table)

  // ids [tokens] int32 → [tokens, hidden] f32.
  Array operator()(const Array& ids) const;
};

struct RmsNorm {
  Array weight;  // [hidden] f32
  float eps = 1e-5f;
  XYLEM_FIELDS(weight)

  Array operator()(const Array& x) const;
};

}  // namespace xylem::nn
