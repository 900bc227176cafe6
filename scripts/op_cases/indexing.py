"""take, gather, scatter, dynamic slices and NumPy-like indexing."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from cases import DTYPES, FLOATS, add, array, name_of, numbers

FILE = "indexing"
NARROW = ["bool", "int4", "int8", "uint16", "int64", "uint64", "bfloat16", "float16", "float64",
          "float8_e4m3fn"]


def taken(x, indices, axis, mode):
    """Negative indices wrap once; then outside is clipped, or filled with zeros."""
    n = x.shape[axis]
    wide = indices.astype(np.int64)
    wide = np.where(wide < 0, wide + n, wide)
    out = np.take(x, np.clip(wide, 0, n - 1), axis)
    if mode == "fill":
        inside = (wide >= 0) & (wide < n)
        shape = [1] * axis + list(indices.shape) + [1] * (x.ndim - axis - 1)
        out = np.where(inside.reshape(shape), out, np.zeros((), x.dtype))
    return out


def add_takes():
    x = numbers("take", (4, 3, 2))
    for axis in (0, 1, 2):
        for name, values in (("inside", [[0, 1], [1, 0]]), ("outside", [5, -1, -9, 1])):
            for mode in ("clip", "fill"):
                i = array(values, "int32")
                add(FILE, "take", f"axis {axis}, {name}, {mode}", [x, i], taken(x, i, axis, mode),
                    {"axis": axis, "mode": mode})
    for dtype in ("int8", "uint8", "int16", "uint32", "int64", "uint64"):
        i = array([0, 3, 200 if dtype == "uint8" else 7], dtype)
        for mode in ("clip", "fill"):
            add(FILE, "take", f"{dtype} indices, {mode}", [x, i], taken(x, i, 0, mode),
                {"mode": mode})
    # An int8 index cannot hold the axis' size.
    long = np.arange(300, dtype=np.int32)
    i = array([-1, 127, -128], "int8")
    add(FILE, "take", "a long axis and int8", [long, i], array([299, 127, 172], "int32"))
    far = np.array([2**32 + 1, -2**40, 2], np.int64)
    add(FILE, "take", "int64 indices beyond int32", [x, far], taken(x, far, 0, "clip"))
    for dtype in NARROW:
        y = numbers("take" + dtype, (5, 2), dtype)
        i = array([4, 0, -2], "int32")
        add(FILE, "take", dtype, [y, i], y[i])
    add(FILE, "take", "one index", [x, array(1, "int32")], x[1])
    add(FILE, "take", "no indices", [x, array([], "int32")], x[:0])
    add(FILE, "take", "float indices", [x, array([1.0])],
        error="[take] the indices are float32(1), expected integers")
    add(FILE, "take", "an empty axis", [np.zeros((0, 2), np.float32), array([0], "int32")],
        error="[take] axis 0 of float32(0,2) is empty")
    add(FILE, "take", "axis out of range", [x, array([0], "int32")], attrs={"axis": 3},
        error="[take] axis 3 is out of range")


def add_dynamic():
    x = numbers("dynamic", (5, 6))
    for starts in ([1, 2], [-3, 9], [4, -1], [0, 0]):
        cut = [min(max(s, 0), n - k) for s, n, k in zip(starts, (5, 6), (2, 3))]
        for dtype in ("int32", "int64", "int8"):
            s = [array(v, dtype) for v in starts]
            add(FILE, "dynamic_slice", f"{starts} {dtype}", [x, *s],
                x[cut[0]:cut[0] + 2, cut[1]:cut[1] + 3], {"sizes": [2, 3]})
        update = numbers("update", (2, 3))
        out = x.copy()
        out[cut[0]:cut[0] + 2, cut[1]:cut[1] + 3] = update
        add(FILE, "dynamic_update_slice", f"{starts}", [x, update, *map(lambda v: array(v, "int32"),
                                                                       starts)], out)
    big = np.array(2**63 + 5, np.uint64)
    add(FILE, "dynamic_slice", "a huge unsigned start", [x, big, np.array(2, np.uint64)],
        x[3:5, 2:5], {"sizes": [2, 3]})
    for dtype in NARROW:
        y = numbers("d" + dtype, (6,), dtype)
        u = numbers("u" + dtype, (2,), dtype)
        add(FILE, "dynamic_slice", dtype, [y, array(3, "int32")], y[3:5], {"sizes": [2]})
        out = y.copy()
        out[3:5] = u
        add(FILE, "dynamic_update_slice", dtype, [y, u, array(3, "int32")], out)
    zero = array(0, "int32")
    add(FILE, "dynamic_slice", "too few starts", [x, zero], attrs={"sizes": [2, 3]},
        error="[dynamic_slice] 1 starts and 2 sizes given for float32(5,6)")
    add(FILE, "dynamic_slice", "too large", [x, zero, zero], attrs={"sizes": [6, 3]},
        error="[dynamic_slice] size 6 of dimension 0 does not fit float32(5,6)")
    add(FILE, "dynamic_slice", "a float start", [x, array(0.0), zero], attrs={"sizes": [2, 3]},
        error="[dynamic_slice] start 0 is float32(), expected an integer scalar")
    add(FILE, "dynamic_update_slice", "dtypes differ", [x, array([[1]], "int32"), zero, zero],
        error="[dynamic_update_slice] the update is int32(1,1) for float32(5,6)")


def gather(x, indices, dims, sizes, mode):
    d = lax.GatherDimensionNumbers(
        offset_dims=tuple(dims["offset_axes"]), collapsed_slice_dims=tuple(dims["collapsed_axes"]),
        start_index_map=tuple(dims["start_axes"]),
        operand_batching_dims=tuple(dims.get("x_batch", [])),
        start_indices_batching_dims=tuple(dims.get("index_batch", [])))
    kind = {"clip": lax.GatherScatterMode.CLIP, "fill": lax.GatherScatterMode.FILL_OR_DROP}[mode]
    return np.asarray(lax.gather(x, indices, d, sizes, mode=kind, fill_value=0))


def scatter(x, indices, updates, dims, combiner, mode):
    d = lax.ScatterDimensionNumbers(
        update_window_dims=tuple(dims["offset_axes"]),
        inserted_window_dims=tuple(dims["collapsed_axes"]),
        scatter_dims_to_operand_dims=tuple(dims["start_axes"]),
        operand_batching_dims=tuple(dims.get("x_batch", [])),
        scatter_indices_batching_dims=tuple(dims.get("index_batch", [])))
    function = {"set": lax.scatter, "add": lax.scatter_add, "multiply": lax.scatter_mul,
                "min": lax.scatter_min, "max": lax.scatter_max}[combiner]
    kind = {"clip": lax.GatherScatterMode.CLIP, "fill": lax.GatherScatterMode.FILL_OR_DROP}[mode]
    return np.asarray(function(x, indices, updates, d, mode=kind))


GATHERS = [
    ("rows", (5, 3), [[1], [4], [1]], [1, 3],
     {"offset_axes": [1], "collapsed_axes": [0], "start_axes": [0]}),
    ("columns", (5, 3), [[2], [0]], [5, 1],
     {"offset_axes": [0], "collapsed_axes": [1], "start_axes": [1]}),
    ("points", (5, 3), [[1, 2], [4, 0], [3, 3]], [1, 1],
     {"offset_axes": [], "collapsed_axes": [0, 1], "start_axes": [0, 1]}),
    ("windows", (5, 6), [[1, 2], [-2, 0], [4, 9]], [2, 3],
     {"offset_axes": [1, 2], "collapsed_axes": [], "start_axes": [0, 1]}),
    ("swapped starts", (5, 6), [[[2, 1], [0, 3]]], [2, 3],
     {"offset_axes": [1, 3], "collapsed_axes": [], "start_axes": [1, 0]}),
    ("batched", (2, 4, 3), [[[1], [3]], [[0], [9]]], [1, 1, 3],
     {"offset_axes": [2], "collapsed_axes": [1], "start_axes": [1], "x_batch": [0],
      "index_batch": [0]}),
]


def add_gathers():
    for name, shape, indices, sizes, dims in GATHERS:
        for mode in ("clip", "fill"):
            for dtype in ("float32", "int32", "bfloat16"):
                x, i = numbers(name, shape, dtype), array(indices, "int32")
                attrs = {**dims, "sizes": sizes, "mode": mode}
                out = gather(x, i, dims, sizes, mode)
                add(FILE, "gather", f"{name}, {mode}, {dtype}", [x, i], out, attrs)
                for combiner in ("set", "add", "multiply", "min", "max"):
                    # Equal places written twice have no order for "set": leave them out.
                    j = array([[1], [4], [0]], "int32") if name == "rows" and combiner == "set" else i
                    if name == "windows" and combiner == "set":
                        j = array([[0, 0], [2, 3], [-9, 0]], "int32")
                        if mode == "clip":
                            j = array([[0, 0], [2, 3], [-9, 3]], "int32")
                    if name == "swapped starts":
                        j = array([[[3, 0], [0, 3]]], "int32")
                    updates = numbers(name + combiner, out.shape, dtype, 1, 3)
                    add(FILE, "scatter", f"{name}, {mode}, {combiner}, {dtype}", [x, j, updates],
                        scatter(x, j, updates, dims, combiner, mode),
                        {**dims, "combiner": combiner, "mode": mode},
                        tol=0 if dtype == "int32" else 4e-6 if dtype == "float32" else 2**-6)
    x, i = numbers("rows", (5, 3)), array([[1], [4]], "int32")
    dims = GATHERS[0][4]
    add(FILE, "gather", "a slice too large", [x, i], attrs={**dims, "sizes": [1, 4]},
        error="[gather] a slice of size 4 does not fit dimension 1 of float32(5,3)")
    add(FILE, "gather", "float indices", [x, array([[1.0]])], attrs={**dims, "sizes": [1, 3]},
        error="[gather] the indices are float32(1,1), expected integers")
    add(FILE, "gather", "start axes", [x, array([[1, 2]], "int32")],
        attrs={**dims, "sizes": [1, 3]},
        error="[gather] 1 start axes but the last axis of the indices int32(1,2) has size 2")
    add(FILE, "scatter", "the updates' shape", [x, i, np.zeros((3, 3), np.float32)],
        attrs={**dims, "combiner": "add"},
        error="[scatter] the updates are float32(3,3), expected the shape (2,3)")
    add(FILE, "scatter", "the updates' dtype", [x, i, np.zeros((2, 3), np.int32)],
        attrs={**dims, "combiner": "add"},
        error="[scatter] the updates are int32(2,3) for float32(5,3): dtypes must be equal")


def add_along_axis():
    x = numbers("along", (3, 4))
    for axis in (0, 1, -1):
        shape = (2, 4) if axis == 0 else (3, 2)
        i = numbers(f"along{axis}", shape, "int32", -3, 2)
        add(FILE, "take_along_axis", f"axis {axis}", [x, i], np.take_along_axis(x, i, axis),
            {"axis": axis})
        for combiner in ("add", "multiply", "min", "max"):
            v = numbers("values", shape, "float32", 1, 3)
            out = x.copy()
            rows, cols = np.indices(shape)
            where = (i, cols) if axis == 0 else (rows, i)
            {"add": np.add, "multiply": np.multiply, "min": np.minimum,
             "max": np.maximum}[combiner].at(out, where, v)
            add(FILE, "put_along_axis", f"axis {axis}, {combiner}", [x, i, v], out,
                {"axis": axis, "combiner": combiner}, tol=4e-6)
    i = array([[0, 9], [-9, 1], [2, 3]], "int32")
    for mode, out in (("clip", np.take_along_axis(x, np.array([[0, 3], [0, 1], [2, 3]]), 1)),
                      ("fill", np.take_along_axis(x, np.array([[0, 3], [0, 1], [2, 3]]), 1) *
                       array([[1, 0], [0, 1], [1, 1]]))):
        add(FILE, "take_along_axis", f"outside, {mode}", [x, i], out + 0.0,
            {"axis": 1, "mode": mode})
    i = array([[0], [3], [1]], "int32")
    out = x.copy()
    np.put_along_axis(out, i, 7, 1)
    add(FILE, "put_along_axis", "set", [x, i, array([[7]])], out, {"axis": 1, "combiner": "set"})
    add(FILE, "take_along_axis", "ranks differ", [x, array([1], "int32")], attrs={"axis": 0},
        error="[take_along_axis] the indices int32(1) and float32(3,4) have different numbers of")


def entry_text(entry):
    """An entry of an index as the cases write it; arrays are #k, input k."""
    if entry is None:
        return "new"
    if entry is Ellipsis:
        return "..."
    if isinstance(entry, slice):
        parts = [entry.start, entry.stop, entry.step]
        return ":".join("" if p is None else str(p) for p in parts)
    return str(entry)


def add_index(name, x, where, op="index", **keys):
    arrays = [w for w in where if isinstance(w, np.ndarray)]
    texts, next_array = [], 1
    for w in where:
        if isinstance(w, np.ndarray):
            texts.append(f"#{next_array}")
            next_array += 1
        else:
            texts.append(entry_text(w))
    add(FILE, op, name, [x, *arrays, *keys.pop("values", [])],
        attrs={"where": " ".join(texts), **keys.pop("attrs", {})}, **keys)


def add_indices():
    x = numbers("index", (4, 5, 6))
    a, b = array([0, 3, -1], "int32"), array([[1], [4]], "int32")
    mask = array([1, 0, 1, 1], "bool")
    plane = numbers("plane", (4, 5), "bool")
    cases = [
        ("an integer", (2,)), ("a negative integer", (-1, 0)), ("all integers", (1, 2, 3)),
        ("slices", (slice(1, 3), slice(None, None, 2))), ("a negative step", (slice(None, None, -1),)),
        ("a negative step with bounds", (slice(3, 0, -2), slice(-1, -4, -1))),
        ("clipped bounds", (slice(-9, 99), slice(3, 2))), ("the end", (Ellipsis, -1)),
        ("the middle", (1, Ellipsis, slice(2))), ("new axes", (None, 2, Ellipsis, None)),
        ("nothing", ()), ("an array", (a,)), ("an array behind", (Ellipsis, a)),
        ("an array between", (slice(1, 3), a)), ("two arrays", (a, a)),
        ("arrays that broadcast", (a, b)), ("arrays apart", (a, slice(None), a)),
        ("arrays apart in the middle", (slice(None), a, None, a)),
        ("an integer and an array apart", (1, slice(None), a)),
        ("an array and an integer", (slice(None), a, 2)),
        ("a mask", (mask,)), ("a mask of two axes", (plane,)), ("a mask and a slice", (mask, 1)),
        ("a mask behind", (slice(2), array([1, 0, 0, 1, 1], "bool"), slice(1, 3))),
        ("an array with steps", (a, slice(4, None, -2), slice(0, 5, 3))),
        ("a matrix of indices", (slice(None), array([[0, 1], [2, 3]], "int64"))),
        ("an empty array", (array([], "int32"),)), ("an index array of 0 dimensions",
                                                    (array(2, "int32"), slice(1))),
    ]
    for name, where in cases:
        add_index(name, x, where, outputs=x[where])
        for op, change in (("at_set", lambda y, v: y.at[where].set(v)),
                           ("at_add", lambda y, v: y.at[where].add(v))):
            shape = x[where].shape
            if op == "at_set" and any(isinstance(w, np.ndarray) for w in where) and \
                    name != "a mask":
                values = array(2.5)  # places may be hit twice
            else:
                values = numbers(name, shape)
            add_index(name, x, where, op=op, outputs=np.asarray(change(jnp.asarray(x), values)),
                      values=[values], tol=0 if op == "at_set" else 4e-6)
    i = array([1, 9, -9, 3], "int32")
    add_index("outside, clip", x, (i,), outputs=x[[1, 3, 0, 3]], attrs={"mode": "clip"})
    filled = x[[1, 3, 0, 3]].copy()
    filled[1:3] = 0
    add_index("outside, fill", x, (i,), outputs=filled, attrs={"mode": "fill"})
    for op, function in (("at_multiply", "multiply"), ("at_min", "min"), ("at_max", "max")):
        v = numbers(op, (3, 6), "float32", 1, 2)
        j = array([1, 1, 7], "int32")
        y = getattr(jnp.asarray(x).at[2, j], function)(v, mode="drop")
        add_index("duplicates and outside", x, (2, j), op=op, outputs=np.asarray(y), values=[v],
                  tol=4e-6)
    add_index("outside, clip", x, (i,), op="at_add", attrs={"mode": "clip"}, tol=4e-6, values=[array(1)],
              outputs=np.asarray(jnp.asarray(x).at[jnp.array([1, 3, 0, 3])].add(1.0)))
    add_index("a value of another dtype", array([1, 2], "int32"), (0,), op="at_set",
              values=[array(2.75)], outputs=array([2, 2], "int32"))
    for dtype in NARROW:
        y = numbers("index" + dtype, (4, 3), dtype)
        add_index(dtype, y, (slice(None, None, -1), a), outputs=np.take(y[::-1], [0, 2, 2], 1),
                  attrs={"mode": "clip"})
    for name, where, error in (
            ("too many", (0, 0, 0, 0), "[index] 4 indices for float32(4,5,6)"),
            ("out of range", (0, 5), "[index] 5 is out of range for dimension 1 of float32(4,5,6)"),
            ("two ellipses", (Ellipsis, 0, Ellipsis), "[index] two ellipses"),
            ("a step of 0", (slice(None, None, 0),), "[index] a slice's step is 0"),
            ("a float array", (array([1.0]),), "[index] float32(1) cannot index"),
            ("a mask that does not fit", (array([1, 0], "bool"),),
             "[index] the mask bool(2) does not fit dimension 0 of float32(4,5,6)")):
        add_index(name, x, where, error=error)
    add_index("shapes differ", x, (0,), op="at_set", values=[array([1, 2])],
              error="[at] ")


def add_cases():
    add_takes()
    add_dynamic()
    add_gathers()
    add_along_axis()
    add_indices()
