#include "xylem/nn/linear.h"

#include "xylem/core/ops.h"
#include "xylem/kernels/norm.h"

namespace xylem::nn {

int64_t Linear::rows() const {
  int64_t total = 0;
  for (const Matrix& part : parts) total += part.format.rows;
  return total;
}

std::vector<Array> Linear::pieces(const Array& x) const {
  std::vector<Array> pieces;
  int64_t row = 0;
  for (const Matrix& part : parts) {
    Array y = kernels::weight_matmul(x, part.weight, part.format, precision);
    if (bias) y = y + slice_axis(*bias, 0, row, row + part.format.rows);
    pieces.push_back(y);
    row += part.format.rows;
  }
  return pieces;
}

Array Linear::operator()(const Array& x, const std::optional<Array>& add) const {
  if (parts.size() == 1 && !bias) {
    return kernels::weight_matmul(x, parts[0].weight, parts[0].format, precision, Epilogue::kNone,
                                  add);
  }
  Array y = concatenate(pieces(x), -1);
  return add ? y + *add : y;
}

Array GatedMlp::operator()(const Array& x, const std::optional<Array>& add) const {
  if (fused) {
    const Matrix& matrix = gate_up.parts[0];
    return down(kernels::weight_matmul(x, matrix.weight, matrix.format, gate_up.precision,
                                       Epilogue::kSiluMul),
                add);
  }
  std::vector<Array> halves = split(gate_up(x), 2, -1);
  return down(halves[0] * logistic(halves[0]) * halves[1], add);
}

Array Embedding::operator()(const Array& ids) const {
  return kernels::weight_rows(ids, table.weight, table.format);
}

Array RmsNorm::operator()(const Array& x) const { return kernels::rms_norm(x, weight, eps); }

}  // namespace xylem::nn
