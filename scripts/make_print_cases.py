#!/usr/bin/env python3
"""Writes tests/data/golden/printing.txt: arrays, and what print() shows of them with NumPy 2.4 or
newer. Needs numpy and ml_dtypes.

  scripts/make_print_cases.py [tests/data/golden/printing.txt]
"""

import os
import sys

import ml_dtypes  # noqa: F401  (registers the small dtypes)
import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "op_cases"))

from cases import INTEGERS, array, extremes, is_float, operand_text  # noqa: E402

NAN, INF = np.nan, np.inf
LISTS = [
    [1, 2, 3], [0.5, 0.25, 10], [1, -2.5, 100], [0, -0.0], [NAN, 1], [INF, -INF, 1.5], [NAN, INF],
    [NAN], [-INF, 0.001], [1e-5, 1], [1e-4, 1e-2], [1000.5, 1], [1001, 1], [999, 0.9999],
    [1e10, 1, 0.1], [1e-30, 1e30], [1 / 3, 2 / 3], [3.14159265, 2.71828183, 100.125], [1e5, 2e5],
    [999999, 1], [1e6, 1e6], [123456.789], [1e100, NAN], [1e-7, NAN, -INF], [0.1, 0.2, 0.3],
    [[1.5, 2], [30, -4]], [[[0.1], [1e-3]], [[2], [3]]], [1e8, 1], [12345678.9, 0.5], [5e-324, 1],
    [0.1 + 0.2], [1 - 1e-9, 1], [1.000000001, 2], [65504, 1e-3],
]
SCALARS = [0.0, -0.0, 1.0, 0.1, 1 / 3, 1e-4, 1.1e-4, 1e-5, 999.0, 1000.0, 65504.0, 999999.0, 1e6,
           123456789.0, 1e15, 1e16, 1.5e300, NAN, INF, -INF, -2.5]


def printed(x):
    """Floats that NumPy does not know print as float32; int4 as int8."""
    name = x.dtype.name
    if name.startswith(("bfloat16", "float8")):
        x = x.astype(np.float32)
    if name in ("int4", "uint4"):
        x = x.astype(np.int8)
    return str(x)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "tests/data/golden/printing.txt"
    arrays = []
    with np.errstate(all="ignore"):
        for dtype in ("float16", "float32", "float64", "bfloat16"):
            arrays += [array(values, dtype) for values in LISTS]
            arrays += [array(value, dtype) for value in SCALARS]
    arrays += [array([0.5, 448, -0.001953125], "float8_e4m3fn"), array([INF, 1, NAN], "float8_e5m2")]
    for dtype in INTEGERS + ["int4", "uint4"]:
        low, high = extremes(dtype)
        arrays.append(np.array([low, 0, high, 5], dtype=object).astype(array(0, dtype).dtype))
        arrays.append(array([[1, 2], [3, 7]], dtype))
        arrays.append(array(5, dtype))
    arrays += [array([1, 0, 1], "bool"), array([[1, 0], [0, 0]], "bool"), array(1, "bool"),
               array(0, "bool"), np.zeros((0, 3), np.float32), np.zeros((2, 0, 3), np.int32)]
    rng = np.random.default_rng(7)
    arrays += [rng.normal(size=(3, 20)).astype(np.float32), rng.normal(size=50),
               rng.normal(size=(2, 3, 4)).astype(np.float16), rng.integers(0, 99, (2, 60)),
               rng.normal(size=(2, 2, 2, 2)).astype(np.float32) * 1e6, np.ones((1, 40), bool)]
    with open(path, "w") as out:
        out.write("# Made by scripts/make_print_cases.py.\n\n")
        for x in arrays:
            out.write("in " + operand_text(x) + "\n")
            out.write("".join(f"|{line}\n" for line in printed(x).split("\n")) + "\n")
        # Large arrays are written as a rule: element i is i * step.
        for shape, dtype, step in (((1000,), "int32", 1), ((1001,), "int32", 1), ((40, 50), "float32", 0.5),
                                   ((7, 7, 30), "float64", 1e-3), ((2, 600), "float32", 1),
                                   ((600, 2), "int64", -3), ((6, 200), "float16", 0.25),
                                   ((11, 10, 10, 10), "int32", 1)):
            values = np.arange(np.prod(shape)) * step
            text = printed(array(values.reshape(shape), dtype))
            out.write(f"range {dtype}({','.join(map(str, shape))}) {step}\n")
            out.write("".join(f"|{line}\n" for line in text.split("\n")) + "\n")
    print(f"{len(arrays) + 8} cases")


if __name__ == "__main__":
    main()
