// NumPy's text form of an array.
#include <fmt/format.h>

#include "xylem/core/array.h"
#include "xylem/core/ops.h"

namespace xylem {

std::string Array::to_string() const { return aval().text(); }

}  // namespace xylem
