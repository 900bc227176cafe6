#!/usr/bin/env python3
"""Writes tests/data/ops/*.txt, the text cases of the operations (xylem/core/ops/op_case.h tells the
format). Expected values come from NumPy and SciPy, computed in float64 and rounded once, and from
JAX where a meaning is JAX's own. Needs jax, numpy, scipy and ml_dtypes.

  scripts/make_op_cases.py [tests/data/ops]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_cases"))

import elementwise  # noqa: E402
import indexing  # noqa: E402
import linear  # noqa: E402
import reductions  # noqa: E402
import shapes  # noqa: E402
from cases import write_files  # noqa: E402


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else "tests/data/ops"
    for module in (elementwise, reductions, shapes, indexing, linear):
        module.add_cases()
    write_files(folder)


if __name__ == "__main__":
    main()
