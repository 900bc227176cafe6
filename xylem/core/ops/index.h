// Reading and writing parts of arrays at computed positions.
#pragma once

#include <vector>

#include "xylem/core/array.h"

namespace xylem {

// What an index outside the axis does: kClip reads the nearest element (writes clip too); kFill
// reads zeros (NaN for floats when asked by the caller through where) and drops writes.
enum class IndexMode { kClip, kFill };

// Rows of x along the axis at integer positions: the result has indices' shape in place of the
// axis. Negative indices count from the end.
Array take(const Array& x, const Array& indices, int64_t axis = 0,
           IndexMode mode = IndexMode::kClip, Loc loc = Loc::current());

// A block of `sizes` at `starts` (one integer scalar a dimension); starts are clamped so that the
// block lies inside.
Array dynamic_slice(const Array& x, const std::vector<Array>& starts, const Shape& sizes,
                    Loc loc = Loc::current());
// x with the block at `starts` replaced by update; starts are clamped likewise.
Array dynamic_update_slice(const Array& x, const Array& update, const std::vector<Array>& starts,
                           Loc loc = Loc::current());

}  // namespace xylem
