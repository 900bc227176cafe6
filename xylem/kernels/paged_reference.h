// Ragged paged attention in array code; attention.h describes the operation.
#pragma once

#include <vector>

#include "xylem/core/array.h"
#include "xylem/core/attrs.h"

namespace xylem::kernels {

std::vector<Array> paged_attention_reference(const std::vector<Array>& inputs, const Attrs& attrs);

}  // namespace xylem::kernels
