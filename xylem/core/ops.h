// All operations on arrays. Names and meanings follow NumPy and JAX.
#pragma once

#include "xylem/core/ops/creation.h"     // IWYU pragma: export
#include "xylem/core/ops/cumulative.h"   // IWYU pragma: export
#include "xylem/core/ops/einsum.h"       // IWYU pragma: export
#include "xylem/core/ops/elementwise.h"  // IWYU pragma: export
#include "xylem/core/ops/gather.h"       // IWYU pragma: export
#include "xylem/core/ops/index.h"        // IWYU pragma: export
#include "xylem/core/ops/indexing.h"     // IWYU pragma: export
#include "xylem/core/ops/linalg.h"       // IWYU pragma: export
#include "xylem/core/ops/math.h"         // IWYU pragma: export
#include "xylem/core/ops/random.h"       // IWYU pragma: export
#include "xylem/core/ops/reduce.h"       // IWYU pragma: export
#include "xylem/core/ops/shape.h"        // IWYU pragma: export
#include "xylem/core/ops/sort.h"         // IWYU pragma: export
#include "xylem/core/ops/window.h"       // IWYU pragma: export
