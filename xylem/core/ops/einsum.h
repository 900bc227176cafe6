// Sums of products in Einstein's notation.
//
//   Array scores = einsum("bqhd,bkhd->bhqk", {q, k});
#pragma once

#include <string_view>
#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/ops/linalg.h"

namespace xylem {

// NumPy's einsum: letters name axes, "..." the axes not named, a letter twice in an operand takes
// the diagonal. Without "->" the result has the letters used once, in alphabetic order, after the
// ellipsis. Operands are multiplied from left to right, in their promoted dtype.
Array einsum(std::string_view spec, const std::vector<Array>& operands,
             Precision precision = Precision::kDefault, Loc loc = Loc::current());

}  // namespace xylem
