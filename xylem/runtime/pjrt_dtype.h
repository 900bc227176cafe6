// Inside the runtime layer: element types of PJRT and of Xylem.
#pragma once

#include <pjrt_c_api.h>

#include "xylem/base/dtype.h"

namespace xylem::runtime {

PJRT_Buffer_Type to_pjrt(DType dtype);
// The dtype of a PJRT_Buffer_Type (as raw_enum gives it). An Error for the types that Xylem has no
// name for (complex numbers, tokens, int2, fp4).
DType from_pjrt(int type);

}  // namespace xylem::runtime
