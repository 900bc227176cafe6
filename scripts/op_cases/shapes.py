"""Creation, and operations that only move elements."""

import numpy as np

from cases import DTYPES, FLOATS, INTEGERS, add, array, extremes, is_float, numbers

FILE = "shapes"


def add_creation():
    for dtype in DTYPES:
        shape = [2, 3]
        one = np.ones(shape, DTYPES[dtype])
        add(FILE, "zeros", dtype, [], np.zeros(shape, DTYPES[dtype]),
            {"shape": shape, "dtype": dtype})
        add(FILE, "ones", dtype, [], one, {"shape": shape, "dtype": dtype})
        if dtype != "bool":
            add(FILE, "arange", dtype, [], array(np.arange(5), dtype), {"n": 5, "dtype": dtype})
    add(FILE, "iota", "bool", [], attrs={"shape": [2], "dtype": "bool"},
        error="[iota] bool cannot count")
    for axis in (0, 1, -1):
        out = np.broadcast_to(np.arange([2, 3, 4][axis]).reshape(
            [-1 if d == axis % 3 else 1 for d in range(3)]), (2, 3, 4)).astype(np.int32)
        add(FILE, "iota", f"axis {axis}", [], out,
            {"shape": [2, 3, 4], "axis": axis, "dtype": "int32"})
    for dtype in INTEGERS + ["int4", "uint4"]:
        for value in extremes(dtype):
            add(FILE, "full", f"{value} of {dtype}", [],
                np.array([value, value], dtype=object).astype(DTYPES[dtype]),
                {"shape": [2], "value": value, "dtype": dtype})
    for value in (2**53 + 1, -2**62 - 1):
        add(FILE, "full", f"{value} keeps its bits", [], np.array([value], np.int64),
            {"shape": [1], "value": value, "dtype": "int64"})
    for dtype, value, error in (("int8", "128", "[full] 128 is no value of int8"),
                                ("uint32", "-1", "[full] -1 is no value of uint32"),
                                ("int32", "1.5", "[full] 1.5 is no value of int32"),
                                ("int32", "inf", "[full] inf is no value of int32")):
        add(FILE, "full", f"{value} of {dtype}", [],
            attrs={"shape": [1], "value": value, "dtype": dtype}, error=error)
    for dtype in FLOATS + ["float8_e5m2", "float8_e4m3fn"]:
        special = ["nan", "-1.5", "0.1", "1e-3"]
        if dtype != "float8_e4m3fn":
            special += ["inf", "-inf"]
        for value in special:
            add(FILE, "full", f"{value} of {dtype}", [], array([float(value)], dtype),
                {"shape": [1], "value": value, "dtype": dtype})
    add(FILE, "full", "-0.0", [], array([-0.0]), {"shape": [1], "value": "-0.0", "dtype": "float32"})
    add(FILE, "full", "0-d", [], array(7, "int32"), {"shape": [], "value": 7, "dtype": "int32"})
    add(FILE, "full", "empty", [], array(np.zeros((0, 2))),
        {"shape": [0, 2], "value": "1.0", "dtype": "float32"})
    add(FILE, "zeros", "a negative size", [], attrs={"shape": [2, -1], "dtype": "float32"},
        error="[full] the shape (2,-1) has a negative size")
    add(FILE, "arange", "empty", [], array([], "int32"), {"n": 0, "dtype": "int32"})


def add_reshapes():
    x = numbers("shape", (2, 3, 4))
    for shape in ([24], [6, 4], [4, -1], [-1], [1, 24, 1], [2, 2, 3, 2]):
        add(FILE, "reshape", f"to {shape}", [x], x.reshape(shape), {"shape": shape})
    add(FILE, "reshape", "0-d", [array([[5]])], array(5), {"shape": []})
    add(FILE, "reshape", "empty", [np.zeros((0, 3), np.float32)], np.zeros((3, 0, 2), np.float32),
        {"shape": [3, 0, 2]})
    for shape, error in (([5, 5], "float32(2,3,4) has 24 elements and cannot become (5,5) with 25"),
                         ([5, -1], "float32(2,3,4) cannot become (5,-1): 24 elements do not divide"),
                         ([-1, -1], "the shape (-1,-1) has a negative size; only one -1")):
        add(FILE, "reshape", f"to {shape}", [x], attrs={"shape": shape}, error=error)
    for axes in ([], [0, 2, 1], [2, 0, 1], [-1, 0, -2], [0, 1, 2]):
        add(FILE, "transpose", f"axes {axes}", [x], x.transpose(axes or None), {"axes": axes})
    add(FILE, "transpose", "too few axes", [x], attrs={"axes": [0, 1]},
        error="[transpose] 2 axes given for float32(2,3,4), expected 3")
    add(FILE, "transpose", "an axis twice", [x], attrs={"axes": [0, 1, 1]},
        error="[transpose] an axis is given twice")
    for a, b in ((0, 1), (0, -1), (2, 1), (1, 1)):
        add(FILE, "swapaxes", f"{a} and {b}", [x], x.swapaxes(a, b), {"a": a, "b": b})
        add(FILE, "moveaxis", f"{a} to {b}", [x], np.moveaxis(x, a, b), {"from": a, "to": b})
    add(FILE, "swapaxes", "out of range", [x], attrs={"a": 3, "b": 0},
        error="[swapaxes] axis 3 is out of range for an array of 3 dimensions")
    for axis in (0, 1, 3, -1, -4):
        add(FILE, "expand_dims", f"axis {axis}", [x], np.expand_dims(x, axis), {"axis": axis})
    add(FILE, "expand_dims", "out of range", [x], attrs={"axis": 4}, error="[expand_dims] axis 4")
    y = numbers("squeeze", (1, 3, 1, 2))
    for axes in ([], [0], [2], [0, -2]):
        add(FILE, "squeeze", f"axes {axes}", [y], np.squeeze(y, tuple(axes) if axes else None),
            {"axes": axes})
    add(FILE, "squeeze", "a size that is not 1", [y], attrs={"axes": [1]}, error="[squeeze]")


def add_broadcasts():
    for shape, target in (((3,), (2, 3)), ((2, 1), (2, 4)), ((), (2, 2)), ((1, 1, 3), (4, 2, 3)),
                          ((0,), (2, 0)), ((1,), (0,))):
        x = numbers(f"b{shape}", shape)
        add(FILE, "broadcast_to", f"{shape} to {target}", [x], np.broadcast_to(x, target),
            {"shape": target})
    for shape, target in (((3,), (3, 2)), ((2, 3), (3,))):
        add(FILE, "broadcast_to", f"{shape} to {target}", [np.zeros(shape, np.float32)],
            attrs={"shape": target}, error="[broadcast_to]")
    x = numbers("in_dim", (2, 3))
    out = np.broadcast_to(x.T.reshape(3, 1, 2), (3, 4, 2))
    add(FILE, "broadcast_in_dim", "dims out of order", [x.T.copy()],
        np.broadcast_to(x.T.reshape(3, 1, 2), (3, 4, 2)), {"shape": [3, 4, 2], "dims": [0, 2]})
    add(FILE, "broadcast_in_dim", "a scalar", [array(2)], np.full((2, 2), 2, np.float32),
        {"shape": [2, 2], "dims": []})
    add(FILE, "broadcast_in_dim", "sizes differ", [x], attrs={"shape": [2, 4], "dims": [0, 1]},
        error="[broadcast_in_dim]")
    for count, axis in ((2, 0), (3, 1), (0, 0), (1, -1)):
        add(FILE, "repeat", f"{count} times, axis {axis}", [x], np.repeat(x, count, axis),
            {"count": count, "axis": axis})
    add(FILE, "repeat", "a negative count", [x], attrs={"count": -1, "axis": 0},
        error="[repeat] the count is -1, expected at least 0")


def add_joins():
    for dtype in ("float32", "int4", "bool", "bfloat16", "float8_e4m3fn", "uint64"):
        x, y = numbers("x", (2, 3), dtype), numbers("y", (2, 2), dtype)
        add(FILE, "concatenate", dtype, [x, y], np.concatenate([x, y], 1), {"axis": 1})
        z = numbers("z", (2, 3), dtype)
        for axis in (0, 1, 2, -1):
            add(FILE, "stack", f"{dtype}, axis {axis}", [x, z], np.stack([x, z], axis),
                {"axis": axis})
    x, y = numbers("x", (2, 3)), numbers("e", (0, 3))
    add(FILE, "concatenate", "with nothing", [x, y], x, {"axis": 0})
    add(FILE, "concatenate", "one array", [x], x, {"axis": -1})
    add(FILE, "concatenate", "sizes differ", [x, numbers("w", (2, 4))], attrs={"axis": 0},
        error="[concatenate] float32(2,4) does not fit float32(2,3) along axis 0")
    add(FILE, "concatenate", "dtypes differ", [x, array(x, "int32")], attrs={"axis": 0},
        error="[concatenate] int32(2,3) does not fit float32(2,3)")
    add(FILE, "concatenate", "no arrays", [], error="[concatenate]")
    add(FILE, "stack", "shapes differ", [x, numbers("w", (2, 4))], attrs={"axis": 0}, error="[")
    x = numbers("split", (4, 6))
    for parts, axis in ((2, 0), (3, 1), (1, 0), (6, -1)):
        add(FILE, "split", f"{parts} parts, axis {axis}", [x], np.split(x, parts, axis),
            {"parts": parts, "axis": axis})
    add(FILE, "split", "no equal parts", [x], attrs={"parts": 4, "axis": 1},
        error="[split] axis 1 of float32(4,6) does not divide into 4 equal parts")
    add(FILE, "split_sizes", "three", [x], np.split(x, [1, 1, 4], 1)[0:1] +
        [x[:, 1:1], x[:, 1:4], x[:, 4:]], {"sizes": [1, 0, 3, 2], "axis": 1})
    add(FILE, "split_sizes", "a wrong sum", [x], attrs={"sizes": [1, 2], "axis": 1},
        error="[split] sizes [1, 2] add up to 3, not to axis 1 of float32(4,6)")


def padded(x, low, high, interior, value):
    """XLA's pad: interior padding first, then the edges, which may be negative."""
    for axis, (a, b, gap) in enumerate(zip(low, high, interior)):
        x = np.moveaxis(x, axis, 0)
        n = len(x)
        wide = np.full((n + max(n - 1, 0) * gap, *x.shape[1:]), value, x.dtype)
        wide[::gap + 1] = x
        edges = [(max(a, 0), max(b, 0))] + [(0, 0)] * (x.ndim - 1)
        wide = np.pad(wide, edges, constant_values=value)
        wide = wide[max(-a, 0):len(wide) - max(-b, 0)]
        x = np.moveaxis(wide, 0, axis)
    return x


def add_pads():
    for dtype in ("float32", "int32", "bool", "bfloat16", "int4", "float8_e5m2", "uint64"):
        x = numbers("pad", (2, 3), dtype)
        value = 1
        for low, high, interior in (([1, 0], [0, 2], [0, 0]), ([0, 1], [1, 0], [1, 2]),
                                    ([-1, 2], [1, -2], [0, 1]), ([0, 0], [0, 0], [0, 0])):
            add(FILE, "pad", f"{dtype}, {low} {high} {interior}", [x],
                padded(x, low, high, interior, value),
                {"low": low, "high": high, "interior": interior, "value": value})
    add(FILE, "pad", "-inf", [array([1, 2])], array([-np.inf, 1, 2]),
        {"low": [1], "high": [0], "value": "-inf"})
    add(FILE, "pad", "negative size", [array([1, 2])], attrs={"low": [-3], "high": [0]},
        error="[pad] dimension 0 of float32(2) would get size -1")
    add(FILE, "pad", "entries missing", [numbers("pad", (2, 3))], attrs={"low": [1], "high": [0]},
        error="[pad] low, high and interior need one entry a dimension of float32(2,3)")
    add(FILE, "pad", "nothing", [array([])], array([0, 0, 0]), {"low": [1], "high": [2]})


def add_slices():
    x = numbers("slice", (5, 7))
    for starts, limits, strides in (([1, 2], [4, 7], []), ([0, 0], [5, 7], [2, 3]),
                                    ([2, 3], [2, 3], []), ([4, 6], [5, 7], [3, 1])):
        cut = tuple(slice(a, b, c) for a, b, c in zip(starts, limits, strides or [1, 1]))
        add(FILE, "slice", f"{starts} {limits} {strides}", [x], x[cut],
            {"starts": starts, "limits": limits, "strides": strides})
    for dtype in ("int4", "bool", "float8_e4m3fn", "uint64", "bfloat16"):
        y = numbers("slice" + dtype, (6,), dtype)
        add(FILE, "slice", dtype, [y], y[1:6:2], {"starts": [1], "limits": [6], "strides": [2]})
    for starts, limits, strides in (([0, 0], [6, 7], []), ([3, 0], [2, 7], []), ([-1, 0], [5, 7], []),
                                    ([0, 0], [5, 7], [0, 1])):
        add(FILE, "slice", f"{starts} {limits} {strides}", [x],
            attrs={"starts": starts, "limits": limits, "strides": strides},
            error="is no range of dimension 0 of float32(5,7)")
    for axis, start, limit in ((0, 1, 3), (1, -3, 7), (-1, 0, -2), (0, 2, 2)):
        cut = [slice(None)] * 2
        cut[axis] = slice(start, limit)
        add(FILE, "slice_axis", f"axis {axis}, {start} to {limit}", [x], x[tuple(cut)],
            {"axis": axis, "start": start, "limit": limit})
    for axes in ([0], [1], [0, 1], [-1]):
        add(FILE, "flip", f"axes {axes}", [x], np.flip(x, axes), {"axes": axes})


def add_rolls():
    """Also the shapes on which an update of a shifted slice goes wrong (openxla/xla#49176)."""
    for shape in ((5,), (3, 4), (2, 3, 4), (2, 2, 3, 2), (0, 3), (1, 4)):
        x = numbers(f"roll{shape}", shape)
        for axis in range(len(shape)):
            for shift in (1, -1, 2, 7, 0):
                add(FILE, "roll", f"{shape}, axis {axis}, by {shift}", [x],
                    np.roll(x, shift, axis), {"shift": shift, "axis": axis})


def add_cases():
    add_creation()
    add_reshapes()
    add_broadcasts()
    add_joins()
    add_pads()
    add_slices()
    add_rolls()
