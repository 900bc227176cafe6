"""Reductions, cumulative operations, sorting and searching."""

import numpy as np
import scipy.special as sp

from cases import (FLOATS, INTEGERS, SIGNED, TOLERANCE, add, array, extremes, is_float, numbers)

FILE = "reductions"
AXES = [[], [0], [1], [-1], [0, 2], [1, 0], [0, 1, 2]]


def over(axes):
    return tuple(axes) if axes else None


def reduced(function, x, axes, keepdims, wide):
    out = function(x.astype(wide), axis=over(axes), keepdims=keepdims)
    return np.asarray(out)


def add_sums():
    for op, function in (("sum", np.sum), ("prod", np.prod), ("mean", np.mean), ("max", np.max),
                         ("min", np.min)):
        for axes in AXES:
            for keepdims in (False, True):
                x = numbers(f"{op}{axes}", (2, 3, 4), "float32", -2, 2)
                out = reduced(function, x, axes, keepdims, np.float64).astype(np.float32)
                add(FILE, op, f"axes {axes}, keepdims {keepdims}", [x], out,
                    {"axes": axes, "keepdims": keepdims, "tol_by_largest": True}, tol=4e-6)
        for dtype in FLOATS:
            x = numbers(op + dtype, (3, 40), dtype, -1, 1)
            out = reduced(function, x, [1], False, np.float64).astype(x.dtype)
            add(FILE, op, dtype, [x], out, {"axes": [1], "tol_by_largest": True},
                tol=TOLERANCE[dtype] * 4 if op not in ("max", "min") else 0)
            x = array([[1, np.inf, 2], [-np.inf, np.inf, 1], [np.nan, 1, 2]], dtype)
            with np.errstate(all="ignore"):
                out = reduced(function, x, [1], False, np.float64).astype(x.dtype)
            add(FILE, op, f"{dtype}, special values", [x], out, {"axes": [1]})
        for dtype in INTEGERS:
            low, high = extremes(dtype)
            x = array([[1, 2, 3], [high, 1, 1], [low, high, 2]], dtype)
            if op == "mean":
                x = array([[1, 2, 4], [100, 1, 1]], dtype)
                out = np.mean(x.astype(np.float64), axis=1).astype(np.float32)
                add(FILE, op, dtype, [x], out, {"axes": [1]}, tol=4e-6)
            elif op in ("max", "min"):
                add(FILE, op, dtype, [x], function(x, axis=1), {"axes": [1]})
            else:
                with np.errstate(all="ignore"):
                    add(FILE, op, dtype, [x], function(x, axis=1, dtype=x.dtype), {"axes": [1]})
        add(FILE, op, "a scalar", [array(3.5)], array(3.5))
        add(FILE, op, "an axis twice", [np.zeros((2, 3), np.float32)], attrs={"axes": [1, -1]},
            error=f"[{op}] an axis is given twice")
        add(FILE, op, "an axis out of range", [np.zeros((2, 3), np.float32)], attrs={"axes": [2]},
            error=f"[{op}] axis 2 is out of range for an array of 2 dimensions")
        empty = np.zeros((2, 0), np.float32)
        if op in ("max", "min"):
            add(FILE, op, "nothing", [empty], attrs={"axes": [1]},
                error=f"[{op}] axis 1 of float32(2,0) is empty and has no {op}")
            add(FILE, op, "no rows", [np.zeros((0, 3), np.float32)], np.zeros(0, np.float32),
                {"axes": [1]})
            b = array([[0, 0], [0, 1], [1, 1]], "bool")
            add(FILE, op, "bool", [b], function(b, axis=1), {"axes": [1]})
        else:
            value = {"sum": 0, "prod": 1, "mean": np.nan}[op]
            add(FILE, op, "nothing", [empty], array([value, value]), {"axes": [1]})
    # 16-bit sums accumulate in float32: bf16 additions would stop at 256.
    for dtype in ("bfloat16", "float16"):
        x = np.ones((1, 1000), array(0, dtype).dtype)
        add(FILE, "sum", f"{dtype}, a thousand ones", [x], array([1000], dtype), {"axes": [1]})
        add(FILE, "mean", f"{dtype}, a thousand ones", [x], array([1], dtype), {"axes": [1]})
    b = array([[1, 1, 0], [1, 1, 1]], "bool")
    add(FILE, "sum", "bool", [b], array([2, 3], "int32"), {"axes": [1]})
    for op, function in (("all", np.all), ("any", np.any)):
        for axes in ([], [0], [1]):
            x = numbers(f"b{axes}", (3, 2), "bool")
            add(FILE, op, f"axes {axes}", [x], np.asarray(function(x, axis=over(axes))),
                {"axes": axes})
        add(FILE, op, "nothing", [np.zeros((2, 0), bool)], array([op == "all"] * 2, "bool"),
            {"axes": [1]})
        add(FILE, op, "int32", [array([1], "int32")], error=f"[{op}] int32(1), expected bool")


def softmax(x, axis):
    top = x.max(axis=axis, keepdims=True)
    e = np.exp(x - np.where(np.isfinite(top), top, 0))
    total = e.sum(axis=axis, keepdims=True)
    return e / np.where(total > 0, total, 1)


def add_softmax():
    for dtype in FLOATS:
        for axis in (0, 1, -1):
            x = numbers(f"soft{axis}", (3, 5), dtype, -9, 9)
            out = softmax(x.astype(np.float64), axis).astype(x.dtype)
            add(FILE, "softmax", f"{dtype}, axis {axis}", [x], out,
                {"axis": axis, "tol_by_largest": True}, tol=TOLERANCE[dtype])
        x = numbers("log", (3, 5), dtype, -9, 9)
        out = sp.logsumexp(x.astype(np.float64), axis=1).astype(x.dtype)
        add(FILE, "logsumexp", dtype, [x], out, {"axes": [1]}, tol=TOLERANCE[dtype])
    inf = np.inf
    x = array([[-inf, -inf, -inf], [1000, 1000, -inf], [-1e30, 0, 0]])
    add(FILE, "softmax", "masked rows", [x], softmax(x.astype(np.float64), 1).astype(np.float32),
        tol=4e-6)
    x = array([[-inf, -inf], [1000, 1000], [inf, 1], [np.nan, 0]])
    add(FILE, "logsumexp", "special values", [x],
        array([-inf, 1000 + np.log(2), inf, np.nan]), {"axes": [1]}, tol=4e-6)
    x = numbers("keep", (2, 3, 2))
    add(FILE, "logsumexp", "keepdims", [x],
        sp.logsumexp(x.astype(np.float64), axis=(0, 2), keepdims=True).astype(np.float32),
        {"axes": [0, 2], "keepdims": True}, tol=4e-6)
    add(FILE, "softmax", "int32", [array([1], "int32")], error="[softmax] int32(1), expected floats")


SCANS = {"cumsum": np.cumsum, "cumprod": np.cumprod, "cummax": np.maximum.accumulate,
         "cummin": np.minimum.accumulate, "cumlogsumexp": np.logaddexp.accumulate}


def scan(function, x, axis, reverse):
    if reverse:
        return np.flip(function(np.flip(x, axis), axis=axis), axis)
    return function(x, axis=axis)


def add_scans():
    for op, function in SCANS.items():
        for n in (0, 1, 2, 3, 7, 8, 21):
            for reverse in (False, True):
                x = numbers(f"{op}{n}", (2, n), "float32", -1.5, 1.5)
                out = scan(function, x.astype(np.float64), 1, reverse) if n else x
                add(FILE, op, f"{n} elements, reverse {reverse}", [x], out.astype(np.float32),
                    {"axis": 1, "reverse": reverse, "tol_by_largest": True}, tol=4e-6)
        for axis in (0, 1, -3):
            x = numbers(f"{op}{axis}", (3, 4, 2), "float32", -1.5, 1.5)
            add(FILE, op, f"axis {axis}", [x],
                scan(function, x.astype(np.float64), axis, False).astype(np.float32),
                {"axis": axis, "tol_by_largest": True}, tol=4e-6)
        for dtype in ("bfloat16", "float16", "float64"):
            x = numbers(op + dtype, (9,), dtype, -1.5, 1.5)
            out = scan(function, x.astype(np.float64), 0, False).astype(x.dtype)
            add(FILE, op, dtype, [x], out, {"tol_by_largest": True}, tol=TOLERANCE[dtype])
        if op == "cumlogsumexp":
            x = array([-np.inf, -np.inf, 1, np.inf, 0])
            add(FILE, op, "infinities", [x], function(x.astype(np.float64)).astype(np.float32),
                tol=4e-6)
            add(FILE, op, "int32", [array([1], "int32")], error="[cumlogsumexp] int32(1)")
            continue
        for dtype in INTEGERS:
            x = numbers(op + dtype, (9,), dtype, -3, 3)
            with np.errstate(all="ignore"):
                out = function(x.astype(np.int64), axis=0).astype(x.dtype)
            add(FILE, op, dtype, [x], out)
        x = array([1, np.inf, 2, -np.inf, np.nan, 1])
        with np.errstate(all="ignore"):
            add(FILE, op, "special values", [x], function(x))
    add(FILE, "cumsum", "bool", [array([1, 0, 1, 1], "bool")], array([1, 1, 2, 3], "int32"))
    add(FILE, "cumsum", "bfloat16 past 256", [np.ones(300, array(0, "bfloat16").dtype)],
        array(np.arange(1, 301), "bfloat16"))


def add_sorting():
    file = "sorting"
    for dtype in FLOATS + INTEGERS + ["bool", "int4", "float8_e5m2"]:
        x = numbers("sort" + dtype, (3, 7), dtype)
        if is_float(dtype):
            x[0, 1], x[0, 4], x[1, 0], x[1, 3] = np.nan, -np.inf, np.inf, np.nan
        wide = x.astype(np.float64)
        for axis in (0, 1):
            order = np.argsort(wide, axis=axis, kind="stable")
            add(file, "sort", f"{dtype}, axis {axis}", [x], np.take_along_axis(x, order, axis),
                {"axis": axis})
            add(file, "argsort", f"{dtype}, axis {axis}", [x], order.astype(np.int32),
                {"axis": axis})
            key = np.where(np.isnan(wide), np.inf, wide)  # NaN first, then downwards
            down = np.lexsort((-key, ~np.isnan(wide)), axis=axis)
            add(file, "argsort", f"{dtype}, axis {axis}, descending", [x], down.astype(np.int32),
                {"axis": axis, "descending": True})
            add(file, "sort", f"{dtype}, axis {axis}, descending", [x],
                np.take_along_axis(x, down, axis), {"axis": axis, "descending": True})
        for op, function in (("argmax", np.argmax), ("argmin", np.argmin)):
            for axis in (0, -1):
                add(file, op, f"{dtype}, axis {axis}", [x],
                    function(wide, axis=axis).astype(np.int32), {"axis": axis})
        if dtype in ("bool", "int4"):
            continue
        down = np.lexsort((-key, ~np.isnan(wide)), axis=1)[:, :3]
        add(file, "top_k", dtype, [x],
            [np.take_along_axis(x, down, 1), down.astype(np.int32)], {"k": 3})
    ties = array([[2, 1, 2, 1, 2, 1]])
    add(file, "argsort", "ties", [ties], array([[1, 3, 5, 0, 2, 4]], "int32"))
    add(file, "argsort", "ties, descending", [ties], array([[0, 2, 4, 1, 3, 5]], "int32"),
        {"descending": True})
    add(file, "top_k", "ties", [ties], [array([[2, 2, 2, 1]]), array([[0, 2, 4, 1]], "int32")],
        {"k": 4})
    add(file, "top_k", "k is 0", [ties], [np.zeros((1, 0), np.float32), np.zeros((1, 0), np.int32)],
        {"k": 0})
    add(file, "top_k", "k too large", [ties], attrs={"k": 7},
        error="[top_k] k is 7 for the last axis of float32(1,6), expected 0 to 6")
    x, y = array([[2, 1, 2, 1, 0]]), array([[1, 9, 0, 8, 5]], "int32")
    order = np.lexsort((y[0], x[0]))
    z = array([[10, 20, 30, 40, 50]], "int64")
    add(file, "sort_together", "two keys", [x, y, z], [x[:, order], y[:, order], z[:, order]],
        {"num_keys": 2})
    order = np.lexsort((-y[0], -x[0]))
    add(file, "sort_together", "two keys, descending", [x, y, z],
        [x[:, order], y[:, order], z[:, order]], {"num_keys": 2, "descending": True})
    order = np.argsort(x[0], kind="stable")
    add(file, "sort_together", "one key", [x, z], [x[:, order], z[:, order]])
    add(file, "sort_together", "shapes differ", [x, array([1.0])],
        error="[sort] float32(1,5) and float32(1) are sorted together")
    for op in ("argmax", "argmin"):
        add(file, op, "keepdims", [ties], array([[0]] if op == "argmax" else [[1]], "int32"),
            {"keepdims": True})
        add(file, op, "nothing", [np.zeros((2, 0), np.float32)],
            error=f"[{op}] axis 1 of float32(2,0) is empty and has no {op}")
        add(file, op, "no rows", [np.zeros((0, 2), np.float32)], np.zeros(0, np.int32))
    for name, values in (("argsort", 0), ("sort", 0)):
        add(file, name, "empty", [np.zeros((2, 0), np.float32)],
            np.zeros((2, 0), np.int32 if name == "argsort" else np.float32))
    for right in (False, True):
        side = "right" if right else "left"
        for dtype in ("float32", "int32", "bfloat16", "int64"):
            edges = array([-2, 0, 0, 1, 3, 3, 7], dtype)
            values = array([[-3, -2, 0, 1], [2, 3, 7, 9]], dtype)
            add(file, "searchsorted", f"{dtype}, {side}", [edges, values],
                np.searchsorted(edges.astype(np.float64), values.astype(np.float64),
                                side).astype(np.int32), {"right": right})
        add(file, "searchsorted", f"nothing, {side}", [array([]), array([1, 2])],
            array([0, 0], "int32"), {"right": right})
        edges, values = array([1, 2, np.inf, np.nan]), array([np.nan, np.inf, -np.inf])
        add(file, "searchsorted", f"NaN, {side}", [edges, values],
            np.searchsorted(edges, values, side).astype(np.int32), {"right": right})


def add_cases():
    add_sums()
    add_softmax()
    add_scans()
    add_sorting()
