"""Matrix products, einsum, convolution, pooling and random numbers."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from cases import DTYPES, FLOATS, INTEGERS, TOLERANCE, add, array, is_float, numbers

FILE = "linear"


def close(dtype):
    """Sums of some products: relative to the largest element."""
    return {"tol_by_largest": True}, (4 * TOLERANCE[dtype] if is_float(dtype) else 0)


def product(function, *inputs):
    kind = inputs[0].dtype
    wide = np.float64 if kind.name in TOLERANCE else np.int64
    return np.asarray(function(*[x.astype(wide) for x in inputs])).astype(kind)


def add_products():
    shapes = [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)),
              ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)), ((5, 1, 2, 3), (4, 3, 2)),
              ((2, 0), (0, 3)), ((0, 3), (3, 2)), ((4, 2, 3), (3,)), ((3,), (4, 3, 2))]
    attrs, tol = close("float32")
    for a, b in shapes:
        x, y = numbers(f"a{a}", a), numbers(f"b{b}", b)
        add(FILE, "matmul", f"{a} by {b}", [x, y], product(np.matmul, x, y), attrs, tol=tol)
    for dtype in FLOATS + INTEGERS + ["float8_e5m2"]:
        x, y = numbers("a" + dtype, (3, 20), dtype, -2, 2), numbers("b" + dtype, (20, 2), dtype, -2, 2)
        attrs, tol = close(dtype)
        add(FILE, "matmul", dtype, [x, y], product(np.matmul, x, y), attrs, tol=tol)
    x, y = numbers("bf", (3, 20), "bfloat16"), numbers("f", (20, 2))
    attrs, tol = close("float32")
    add(FILE, "matmul", "promotion", [x, y],
        (x.astype(np.float64) @ y.astype(np.float64)).astype(np.float32), attrs, tol=tol)
    for a, b, error in (((2, 3), (4, 3), "float32(2,3) x float32(4,3): inner sizes 3 and 4 differ"),
                        ((), (3,), "float32() x float32(3): scalars have no matrix product"),
                        ((2, 2, 3), (3, 3, 4), "(2) and (3) do not broadcast")):
        add(FILE, "matmul", f"{a} by {b}", [np.zeros(a, np.float32), np.zeros(b, np.float32)],
            error=error)
    dots = [
        ("no batch", (2, 3, 4), (4, 5), {"a_contract": [2], "b_contract": [0]}),
        ("batch", (2, 3, 4), (4, 2, 5),
         {"a_contract": [2], "b_contract": [0], "a_batch": [0], "b_batch": [1]}),
        ("two of each", (2, 3, 4, 5), (5, 3, 4, 2, 6),
         {"a_contract": [3, 2], "b_contract": [0, 2], "a_batch": [0, 1], "b_batch": [3, 1]}),
        ("outer", (2, 3), (4,), {}),
        ("negative axes", (2, 3, 4), (4, 5), {"a_contract": [-1], "b_contract": [-2]}),
    ]
    for name, a, b, dims in dots:
        x, y = numbers(name + "a", a), numbers(name + "b", b)
        positive = {k: [d % len(a if k[0] == "a" else b) for d in v] for k, v in dims.items()}
        out = lax.dot_general(x.astype(np.float64), y.astype(np.float64), (
            (positive.get("a_contract", []), positive.get("b_contract", [])),
            (positive.get("a_batch", []), positive.get("b_batch", []))))
        attrs, tol = close("float32")
        add(FILE, "dot_general", name, [x, y], np.asarray(out).astype(np.float32),
            {**attrs, **dims, "dtype": "float32"}, tol=tol)
    for dtype, result in (("bfloat16", "float32"), ("float16", "float32"), ("int8", "int32"),
                          ("uint8", "int32"), ("float8_e4m3fn", "float32"),
                          ("float8_e5m2", "float32"), ("int4", "int32"), ("float32", "float64")):
        x, y = numbers("wide" + dtype, (3, 40), dtype), numbers("right" + dtype, (40, 2), dtype)
        wide = np.float64 if is_float(dtype) else np.int64
        attrs, tol = close(result)
        add(FILE, "dot_general", f"{dtype} to {result}", [x, y],
            (x.astype(wide) @ y.astype(wide)).astype(DTYPES[result]),
            {**attrs, "a_contract": [1], "b_contract": [0], "dtype": result}, tol=tol)
    x, y = np.zeros((2, 3), np.float32), np.zeros((4, 2), np.float32)
    add(FILE, "dot_general", "sizes differ", [x, y],
        attrs={"a_contract": [1], "b_contract": [0], "dtype": "float32"},
        error="[dot_general] contracting axes [1] of float32(2,3) and [0] of float32(4,2) differ")


def add_einsums():
    attrs, tol = close("float32")
    cases = [
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ji,jk", (3, 2), (3, 4)),
        ("ij->ji", (2, 3)), ("ij", (2, 3)), ("ba", (2, 3)), ("ii->i", (3, 3)), ("ii", (3, 3)),
        ("iji->j", (3, 2, 3)), ("iij->ij", (3, 3, 2)), ("ij->", (2, 3)), ("ij->i", (2, 3)),
        ("i,j->ij", (2,), (3,)), ("i,i", (3,), (3,)), ("i,i->i", (3,), (3,)),
        ("bqhd,bkhd->bhqk", (2, 3, 2, 4), (2, 5, 2, 4)), ("...ij,...jk->...ik", (2, 1, 2, 3), (4, 3, 2)),
        ("...ij,jk", (5, 2, 3), (3, 4)), ("i...->...i", (2, 3, 4)), ("...->...", (2, 3)),
        ("...i->...", (2, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 2)),
        ("ij,ik,il->jkl", (2, 3), (2, 2), (2, 4)), ("ij,j,i->", (2, 3), (3,), (2,)),
        ("ij,ij->ij", (2, 3), (1, 3)), ("ij,kl->il", (2, 3), (4, 2)), ("aB,Bc->ca", (2, 3), (3, 2)),
        ("ij , jk -> ik", (2, 3), (3, 4)), ("...,...->...", (3, 1), (4,)), (",ij", (), (2, 3)),
        ("ii,ij->j", (3, 3), (3, 2)), ("ij,jk->ik", (2, 0), (0, 3)), ("iij,jk->ik", (0, 0, 2), (2, 3)),
    ]
    for spec, *shapes in cases:
        inputs = [numbers(f"{spec}{i}", s) for i, s in enumerate(shapes)]
        out = np.einsum(spec, *[x.astype(np.float64) for x in inputs]).astype(np.float32)
        add(FILE, "einsum", f"{spec} {shapes}", inputs, out, {**attrs, "spec": spec}, tol=tol)
    for dtype in FLOATS + ["int32", "uint8"]:
        x, y = numbers("x" + dtype, (2, 3), dtype, -2, 2), numbers("y" + dtype, (3, 2), dtype, -2, 2)
        keys, tol = close(dtype)
        add(FILE, "einsum", dtype, [x, y], product(lambda a, b: np.einsum("ij,jk->ki", a, b), x, y),
            {**keys, "spec": "ij,jk->ki"}, tol=tol)
    x = np.zeros((2, 3), np.float32)
    for spec, inputs, error in (
            ("ij,jk->ik", [x], "\"ij,jk->ik\" has 2 operands, 1 arrays are given"),
            ("ijk", [x], "\"ijk\" of \"ijk\" names 3 axes, but operand 0 is float32(2,3)"),
            ("ij->ik", [x], "names an axis twice, or one no operand has"),
            ("ij->ii", [x], "names an axis twice, or one no operand has"),
            ("i1", [x], "\"i1\": "), ("ij,jk", [x, x], "one axis has the sizes 3 and 2"),
            ("ii", [x], "takes the diagonal of float32(2,3), whose sizes 2 and 3 differ")):
        add(FILE, "einsum", f"error {spec}", inputs, attrs={"spec": spec}, error=error)


def flat(pairs):
    return [v for pair in pairs for v in pair]


def add_windows():
    cases = [
        ("1-d", (2, 3, 8), (4, 3, 3), {}),
        ("2-d", (1, 2, 5, 6), (3, 2, 2, 3), {}),
        ("3-d", (1, 2, 4, 3, 5), (2, 2, 2, 2, 2), {}),
        ("strides", (1, 2, 7, 8), (3, 2, 2, 3), {"strides": [2, 3]}),
        ("padding", (1, 2, 4, 5), (3, 2, 3, 2), {"padding": [(1, 0), (0, 2)]}),
        ("negative padding", (1, 2, 6, 5), (3, 2, 3, 2), {"padding": [(-1, 0), (1, -2)]}),
        ("dilated x", (1, 2, 3, 4), (3, 2, 2, 3), {"x_dilation": [2, 3]}),
        ("dilated kernel", (1, 2, 7, 9), (3, 2, 2, 3), {"kernel_dilation": [3, 2]}),
        ("everything", (2, 4, 7, 6), (6, 2, 3, 2),
         {"strides": [2, 1], "padding": [(2, 1), (0, 3)], "x_dilation": [1, 2],
          "kernel_dilation": [2, 3], "groups": 2}),
        ("depthwise", (1, 4, 8), (4, 1, 4), {"groups": 4, "padding": [(3, 0)]}),
        ("batch groups", (4, 3, 5), (2, 3, 2), {"batch_groups": 2}),
        ("a point", (2, 3), (4, 3), {}),
        ("a kernel larger than x", (1, 1, 2), (1, 1, 3), {}),
    ]
    for name, a, b, keys in cases:
        for dtype in ("float32",) if name != "2-d" else FLOATS + ["int32"]:
            x, w = numbers(name, a, dtype, -2, 2), numbers(name + "k", b, dtype, -2, 2)
            n = len(a) - 2
            wide = np.float64 if is_float(dtype) else np.int32
            out = lax.conv_general_dilated(
                x.astype(wide), w.astype(wide), keys.get("strides", [1] * n),
                keys.get("padding", [(0, 0)] * n), keys.get("x_dilation"),
                keys.get("kernel_dilation"), feature_group_count=keys.get("groups", 1),
                batch_group_count=keys.get("batch_groups", 1))
            attrs, tol = close(dtype)
            written = {**keys, "padding": flat(keys["padding"])} if "padding" in keys else keys
            add(FILE, "conv_general", f"{name}, {dtype}", [x, w], np.asarray(out).astype(x.dtype),
                {**attrs, **written}, tol=tol)
    x = np.zeros((1, 3, 5), np.float32)
    for w, keys, error in ((np.zeros((2, 2, 2), np.float32), {}, "channels do not fit"),
                           (np.zeros((2, 3), np.float32), {}, "expected as many dimensions"),
                           (np.zeros((2, 3, 2), np.float32), {"strides": [0]},
                            "the strides are [0], expected 1 positive numbers"),
                           (np.zeros((2, 3, 2), np.float32), {"padding": [1, 1, 1, 1]},
                            "2 pairs of padding are given, expected 1")):
        add(FILE, "conv_general", error, [x, w], attrs=keys, error=f"[conv_general] ")
    pools = [("plain", [2, 3], {}), ("strides", [2, 2], {"strides": [2, 3]}),
             ("padding", [2, 3], {"padding": [(1, 0), (0, 2)]}),
             ("dilated x", [2, 2], {"x_dilation": [2, 3]}),
             ("dilated window", [2, 2], {"window_dilation": [3, 2]}),
             ("everything", [3, 2], {"strides": [2, 1], "padding": [(0, 1), (2, 0)],
                                     "x_dilation": [1, 2], "window_dilation": [1, 3]})]
    combine = {"add": (lax.add, 0), "multiply": (lax.mul, 1), "max": (lax.max, -np.inf),
               "min": (lax.min, np.inf)}
    for name, window, keys in pools:
        for combiner, (function, start) in combine.items():
            x = numbers(name + combiner, (5, 7), "float32", -2, 2)
            out = lax.reduce_window(
                x.astype(np.float64), np.float64(start), function, window,
                keys.get("strides", [1, 1]), keys.get("padding", [(0, 0)] * 2),
                keys.get("x_dilation"), keys.get("window_dilation"))
            attrs, tol = close("float32")
            written = {**keys, "padding": flat(keys["padding"])} if "padding" in keys else keys
            add(FILE, "reduce_window", f"{name}, {combiner}", [x],
                np.asarray(out).astype(np.float32),
                {**attrs, "window": window, "combiner": combiner, **written}, tol=tol)
    for dtype in ("int8", "uint16", "bfloat16"):
        x = numbers("pool" + dtype, (6,), dtype)
        out = np.maximum(x[:-1], x[1:])
        add(FILE, "reduce_window", f"max of {dtype}", [x], out[::2],
            {"window": [2], "strides": [2], "combiner": "max"})
    add(FILE, "reduce_window", "rank", [x], attrs={"window": [2, 2], "combiner": "max"},
        error="[reduce_window] the sizes of the window are [2, 2], expected 1 positive numbers")


def add_random():
    file = "random"
    keys = {seed: np.asarray(jax.random.PRNGKey(seed)) for seed in (0, 42, 2**40 + 7, -1)}
    for seed, key in keys.items():
        add(file, "random_key", f"seed {seed}", [], key, {"seed": seed})
    for seed in (0, 42, 2**40 + 7):
        key = keys[seed]
        for n in (1, 2, 5):
            add(file, "random_split", f"seed {seed}, {n}", [key], np.asarray(jax.random.split(key, n)),
                {"n": n})
        for data in (0, 1, 2**31 + 5):
            out = np.asarray(jax.random.fold_in(key, np.uint32(data)))
            add(file, "random_fold_in", f"seed {seed}, {data}", [key], out, {"data": data})
            add(file, "random_fold_in", f"seed {seed}, an array {data}", [key, np.uint32(data)], out)
    key = keys[42]
    for shape in ((), (7,), (2, 3), (2, 1, 4), (0, 3)):
        for dtype in ("uint8", "uint16", "uint32", "uint64"):
            add(file, "random_bits", f"{dtype} {shape}", [key],
                np.asarray(jax.random.bits(key, shape, DTYPES[dtype])),
                {"shape": shape, "dtype": dtype})
    for dtype in FLOATS:
        kind = DTYPES[dtype]
        add(file, "random_uniform", dtype, [key], np.asarray(jax.random.uniform(key, (3, 5), kind)),
            {"shape": [3, 5], "dtype": dtype})
        add(file, "random_uniform", f"{dtype} of [-2, 3)", [key],
            np.asarray(jax.random.uniform(key, (9,), kind, -2, 3)),
            {"shape": [9], "dtype": dtype, "low": -2, "high": 3, "tol_by_largest": True},
            tol=TOLERANCE[dtype])
        add(file, "random_normal", dtype, [key], np.asarray(jax.random.normal(key, (3, 5), kind)),
            {"shape": [3, 5], "dtype": dtype, "tol_by_largest": True}, tol=4 * TOLERANCE[dtype])
        add(file, "random_gumbel", dtype, [key], np.asarray(jax.random.gumbel(key, (3, 5), kind)),
            {"shape": [3, 5], "dtype": dtype, "tol_by_largest": True}, tol=4 * TOLERANCE[dtype])
    for p in (0.0, 0.25, 0.9, 1.0):
        add(file, "random_bernoulli", f"{p}", [key],
            np.asarray(jax.random.bernoulli(key, np.float32(p), (20,))), {"shape": [20], "p": p})
    logits = numbers("logits", (6, 10))
    add(file, "random_categorical", "rows", [key, logits],
        np.asarray(jax.random.categorical(key, logits)).astype(np.int32))
    for low, high in ((0, 10), (-5, 5), (-2**31, 2**31 - 1), (0, 1), (0, 70000)):
        add(file, "random_randint", f"{low} to {high}", [key],
            np.asarray(jax.random.randint(key, (8,), low, high, np.int32)),
            {"shape": [8], "low": low, "high": high})
    add(file, "random_bits", "no key", [array([1, 2], "int32")],
        attrs={"shape": [2], "dtype": "uint32"},
        error="[bits] the key is int32(2), expected uint32(2)")
    add(file, "random_uniform", "int32", [key], attrs={"shape": [2], "dtype": "int32"},
        error="[uniform] int32 is not supported, expected float16")
    add(file, "random_randint", "empty", [key], attrs={"shape": [2], "low": 3, "high": 3},
        error="[randint] [3, 3) is empty")


def add_cases():
    add_products()
    add_einsums()
    add_windows()
    add_random()
