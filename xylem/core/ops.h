// All operations on arrays. Names and meanings follow NumPy and JAX.
#pragma once

#include "xylem/core/ops/creation.h"     // IWYU pragma: export
#include "xylem/core/ops/elementwise.h"  // IWYU pragma: export
#include "xylem/core/ops/index.h"        // IWYU pragma: export
#include "xylem/core/ops/linalg.h"       // IWYU pragma: export
#include "xylem/core/ops/reduce.h"       // IWYU pragma: export
#include "xylem/core/ops/shape.h"        // IWYU pragma: export
