// Values of host memory of any dtype, one at a time: for printing and for tests.
#pragma once

#include <cstdint>

#include "xylem/base/dtype.h"

namespace xylem {

// Element i of a row-major host array of a floating dtype (exact: double holds them all).
double host_float(const void* data, DType dtype, int64_t i);
// Of bool or an integer dtype; an uint64 keeps its bits.
int64_t host_integer(const void* data, DType dtype, int64_t i);

// Writes element i. A float is rounded to the nearest value of the dtype, ties to even; integers
// lose their upper bits.
void set_host_float(void* data, DType dtype, int64_t i, double value);
void set_host_integer(void* data, DType dtype, int64_t i, int64_t value);

}  // namespace xylem
