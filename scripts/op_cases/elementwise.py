"""Element-wise operations, comparisons, casts."""

import itertools

import jax.numpy as jnp
import numpy as np
import scipy.special as sp
from jax import lax

from cases import (DTYPES, FLOATS, INTEGERS, SIGNED, TOLERANCE, UNSIGNED, add, array, extremes,
                   in_double, is_float, numbers)

FILE = "elementwise"
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0]
WIDE = [0.1, -0.4, 0.9, -2.25, 3.5, 7.0, -7.5, 30.0]
# Functions on floats: the reference and the ordinary inputs.
UNARY = {
    "exp": (np.exp, WIDE), "expm1": (np.expm1, WIDE + [1e-4]), "log": (np.log, WIDE),
    "log1p": (np.log1p, WIDE + [1e-4]), "sqrt": (np.sqrt, WIDE),
    "rsqrt": (lambda x: 1 / np.sqrt(x), WIDE), "cbrt": (np.cbrt, WIDE), "sin": (np.sin, WIDE),
    "cos": (np.cos, WIDE), "tan": (np.tan, WIDE), "tanh": (np.tanh, WIDE),
    "logistic": (sp.expit, WIDE), "erf": (sp.erf, WIDE), "erfc": (sp.erfc, WIDE[:-1]),
    "erf_inv": (sp.erfinv, [0.1, -0.4, 0.9, -0.99, 0.5]), "lgamma": (sp.gammaln, WIDE),
    "digamma": (sp.digamma, WIDE), "asin": (np.arcsin, [0.1, -0.4, 0.9, -0.999, 2.0]),
    "acos": (np.arccos, [0.1, -0.4, 0.9, -0.999, 2.0]), "atan": (np.arctan, WIDE),
    "sinh": (np.sinh, WIDE[:-1]), "cosh": (np.cosh, WIDE[:-1]), "asinh": (np.arcsinh, WIDE),
    "acosh": (np.arccosh, [1.5, 2.0, 30.0, 0.5]),
    "atanh": (np.arctanh, [0.1, -0.4, 0.9, -0.999, 2.0]),
    "square": (np.square, WIDE), "reciprocal": (np.reciprocal, WIDE), "exp2": (np.exp2, WIDE),
    "log2": (np.log2, WIDE), "log10": (np.log10, WIDE),
}
EXACT = {"floor": np.floor, "ceil": np.ceil, "round": np.round,
         "sign": lambda x: np.copysign(np.sign(x), x), "abs": np.abs,
         "negative": np.negative}


def add_unary():
    for op, (function, values) in UNARY.items():
        for dtype in FLOATS:
            x = array(values, dtype)
            # Near a zero of the function the result has few exact digits: relative to the largest.
            add(FILE, op, f"{dtype}", [x], in_double(function, x),
                {"tol_by_largest": True if op in ("lgamma", "digamma", "tan", "sin", "cos") else None},
                tol=TOLERANCE[dtype])
        for dtype in ("bfloat16", "float32"):
            # At its poles digamma is -inf, inf or NaN, as compilers like; lgamma(-inf) is inf in C.
            skip = {"digamma": [0.0], "lgamma": [-np.inf, 1.0]}.get(op, [])
            x = array([v for v in SPECIAL if v not in skip], dtype)
            add(FILE, op, f"{dtype}, special values", [x], in_double(function, x),
                tol=TOLERANCE[dtype])
        add(FILE, op, "empty", [array(np.zeros((2, 0)))], array(np.zeros((2, 0))))
        add(FILE, op, "no floats", [array([1, 2], "int32")],
            error="expected a floating dtype (use astype)" if op != "square" else None,
            outputs=array([1, 4], "int32") if op == "square" else None) \
            if op not in ("reciprocal", "log2", "log10") else None
    for op, function in EXACT.items():
        for dtype in FLOATS + ["float8_e5m2", "float8_e4m3fn"]:
            special = SPECIAL if dtype != "float8_e4m3fn" else [0.0, -0.0, np.nan]
            x = array(special + [0.5, -0.5, 1.5, 2.5, -2.5, 7.0, 0.25], dtype)
            add(FILE, op, dtype, [x], in_double(function, x))
    for op in ("abs", "negative", "sign"):
        for dtype in SIGNED + ["int4"]:
            low, high = extremes(dtype)
            x = array([0, 1, -1, 5, -7, high, low + 1], dtype)
            add(FILE, op, dtype, [x], array({**EXACT, "sign": np.sign}[op](x.astype(np.int64)), dtype))
        for dtype in UNSIGNED:
            x = array([0, 1, 5, extremes(dtype)[1]], dtype)
            y = x if op == "abs" else np.minimum(x, 1).astype(x.dtype) if op == "sign" else (0 - x).astype(x.dtype)
            add(FILE, op, dtype, [x], y)
        add(FILE, op, "bool", [array([1, 0], "bool")], error="bool is not supported")
    for op, function in (("isnan", np.isnan), ("isinf", np.isinf), ("is_finite", np.isfinite)):
        for dtype in FLOATS + ["float8_e5m2"]:
            x = array(SPECIAL, dtype)
            add(FILE, op, dtype, [x], function(x.astype(np.float64)))
    add(FILE, "isinf", "float8_e4m3fn", [array([1, np.nan], "float8_e4m3fn")],
        array([0, 0], "bool"))
    add(FILE, "isnan", "int32", [array([1, 2], "int32")], array([0, 0], "bool"))
    add(FILE, "is_finite", "int32", [array([1, 2], "int32")], error="[is_finite] int32")


def add_bits():
    for dtype in INTEGERS + ["int4", "uint4"]:
        low, high = extremes(dtype)
        x, y = array([0, 1, 6, high, low], dtype), array([3, 1, 5, 2, high], dtype)
        wide, other = x.astype(object).astype("O"), y.astype("O")
        wide = np.array([int(v) for v in x], dtype=object)
        other = np.array([int(v) for v in y], dtype=object)
        for op, function in (("bitwise_and", lambda a, b: a & b),
                             ("bitwise_or", lambda a, b: a | b),
                             ("bitwise_xor", lambda a, b: a ^ b)):
            values = np.array([int(v) for v in function(wide, other)], dtype=object)
            add(FILE, op, dtype, [x, y], values.astype(x.dtype))
        bits = {"int4": 4, "uint4": 4}.get(dtype, np.dtype(DTYPES[dtype]).itemsize * 8)
        flipped = [~int(v) if low < 0 else high - int(v) for v in x]
        add(FILE, "bitwise_not", dtype, [x], np.array(flipped, dtype=object).astype(x.dtype))
        counts = [bin(int(v) & (2**bits - 1)).count("1") for v in x]
        if bits > 4:
            add(FILE, "population_count", dtype, [x], array(counts, dtype))
            x, s = array([1, 3, high, low, high], dtype), array([0, 1, 2, bits - 1, 3], dtype)
            left = [(int(v) << int(n)) & (2**bits - 1) for v, n in zip(x, s)]
            left = [v - 2**bits if low < 0 and v >= 2**(bits - 1) else v for v in left]
            right = [int(v) >> int(n) for v, n in zip(x, s)]
            add(FILE, "left_shift", dtype, [x, s], np.array(left, dtype=object).astype(x.dtype))
            add(FILE, "right_shift", dtype, [x, s], np.array(right, dtype=object).astype(x.dtype))
    # Shifts by the width or more empty the word, and keep the sign.
    for dtype in ("int32", "uint32", "int64", "uint8"):
        bits = np.dtype(DTYPES[dtype]).itemsize * 8
        x = array([5, 200 if dtype == "uint8" else -8 if dtype[0] == "i" else 8], dtype)
        sign = np.where(x.astype(np.int64) < 0, -1, 0)
        add(FILE, "left_shift", f"{dtype} by its width", [x, array([bits, bits + 3], dtype)],
            array([0, 0], dtype))
        add(FILE, "right_shift", f"{dtype} by its width", [x, array([bits, bits + 3], dtype)],
            array(sign, dtype))
    b, c = array([0, 0, 1, 1], "bool"), array([0, 1, 0, 1], "bool")
    for op, function in (("bitwise_and", np.logical_and), ("bitwise_or", np.logical_or),
                         ("bitwise_xor", np.logical_xor)):
        add(FILE, op, "bool", [b, c], function(b, c))
        logical = op.replace("bitwise", "logical")
        add(FILE, logical, "bool", [b, c], function(b, c))
        x, y = array([0, 2.5, np.nan, -0.0]), array([1, 0, 0, 3], "int32")
        add(FILE, logical, "numbers", [x, y], function(x, y))
        add(FILE, op, "floats", [x, x], error=f"[{op.split('_')[1]}] float32 is not supported")
    add(FILE, "bitwise_not", "bool", [b], ~b)
    add(FILE, "logical_not", "bool", [b], ~b)
    add(FILE, "logical_not", "floats", [array([0, 2, np.nan])], array([1, 0, 0], "bool"))


ARITHMETIC = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply}


def wrapped(function, x, y):
    """Integer arithmetic modulo the width."""
    with np.errstate(all="ignore"):
        return function(x.astype(np.int64), y.astype(np.int64)).astype(x.dtype)


def add_arithmetic():
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    for op, function in {**ARITHMETIC, "divide": np.divide, "maximum": np.maximum,
                         "minimum": np.minimum}.items():
        for dtype in FLOATS:
            x, y = numbers(op + dtype, (3, 5), dtype), numbers(dtype + op, (3, 5), dtype)
            add(FILE, op, dtype, [x, y], in_double(function, x, y),
                tol=0 if op != "divide" else TOLERANCE[dtype])
        for dtype in ("float32", "bfloat16", "float64"):
            x, y = array([p[0] for p in pairs], dtype), array([p[1] for p in pairs], dtype)
            if op in ("maximum", "minimum"):  # which zero is not said
                keep = ~((x == 0) & (y == 0))
                x, y = x[keep], y[keep]
            add(FILE, op, f"{dtype}, special values", [x, y], in_double(function, x, y))
        for dtype in ("float8_e4m3fn", "float8_e5m2"):
            x, y = array([0.5, 1.5, -2, 3], dtype), array([2, 0.25, 1, -1], dtype)
            add(FILE, op, dtype, [x, y], in_double(function, x, y))
        if op == "divide":
            continue
        for dtype in INTEGERS:
            low, high = extremes(dtype)
            x = array([0, 1, 7, high, low, high, 3], dtype)
            y = array([5, high, 3, 1, 1, high, low], dtype)
            if dtype == "uint64" and op in ("maximum", "minimum"):
                add(FILE, op, dtype, [x, y], function(x, y))
            else:
                add(FILE, op, dtype, [x, y], wrapped(function, x, y))
        for dtype in ("int4", "uint4"):
            x, y = array([0, 1, 3, 2], dtype), array([2, 1, 2, 3], dtype)
            if op == "subtract" and dtype == "uint4":
                x, y = array([7, 5, 3], dtype), array([2, 1, 3], dtype)
            add(FILE, op, dtype, [x, y], wrapped(function, x, y))
    add(FILE, "maximum", "bool", [array([0, 0, 1, 1], "bool"), array([0, 1, 0, 1], "bool")],
        array([0, 1, 1, 1], "bool"))
    add(FILE, "add", "bool", [array([0, 1], "bool"), array([1, 1], "bool")],
        error="[add] bool is not supported")
    for a, b in (((2, 3), (3,)), ((2, 1), (1, 3)), ((), (2, 2)), ((0, 3), (3,)), ((4, 1, 2), (3, 1)),
                 ((1, 0), (5, 1))):
        x, y = numbers("left", a, "float32"), numbers("right", b, "float32")
        add(FILE, "add", f"shapes {a} and {b}", [x, y], x + y)
    for a, b in (((2, 3), (2,)), ((4, 2), (3, 2))):
        sizes = f"({','.join(map(str, a))}) and ({','.join(map(str, b))}) do not broadcast"
        add(FILE, "multiply", f"shapes {a} and {b}", [np.zeros(a, np.float32),
                                                     np.zeros(b, np.float32)], error=sizes)


def add_division():
    for dtype in SIGNED + UNSIGNED:
        low, high = extremes(dtype)
        x = array([7, 7, -7, -7, 6, 0, high], dtype) if low < 0 else array([7, 6, 0, high], dtype)
        y = array([2, -2, 2, -2, 3, 5, 2], dtype) if low < 0 else array([2, 3, 5, 3], dtype)
        add(FILE, "truncated_divide", dtype, [x, y], np.asarray(lax.div(x, y)))
        add(FILE, "remainder", dtype, [x, y], np.asarray(lax.rem(x, y)))
        add(FILE, "floor_divide", dtype, [x, y], x // y)
        add(FILE, "mod", dtype, [x, y], x % y)
    # What XLA defines for undefined quotients: -1 (all ones), the remainder is the dividend.
    for dtype in ("int32", "int8", "int64", "uint32"):
        low, high = extremes(dtype)
        x, y = array([7, low, low], dtype), array([0, 0, high if low == 0 else -1], dtype)
        quotient = [-1 if low < 0 else high, -1 if low < 0 else high, low]
        add(FILE, "truncated_divide", f"{dtype} by zero", [x, y], array(quotient, dtype))
        add(FILE, "remainder", f"{dtype} by zero", [x, y], array([7, low, 0], dtype))
    for dtype in FLOATS:
        x = array([7, 7, -7, -7, 6, 0.5, -0.25, 5.5], dtype)
        y = array([2, -2, 2, -2, 3, 0.75, 1, -0.5], dtype)
        add(FILE, "remainder", dtype, [x, y], in_double(np.fmod, x, y))
        add(FILE, "floor_divide", dtype, [x, y], in_double(np.floor_divide, x, y))
        # NumPy's zero remainder has the divisor's sign; JAX's has the dividend's.
        add(FILE, "mod", dtype, [x, y], np.asarray(jnp.mod(x, y)))
    x, y = array([1, -1, np.inf, 3, np.nan, 0]), array([0, 0, 2, np.inf, 1, 0])
    add(FILE, "remainder", "special values", [x, y], in_double(np.fmod, x, y))
    add(FILE, "truncated_divide", "float32", [array([7, -7.5]), array([2, 2])],
        array([3.5, -3.75]))
    for dtype in ("int8", "uint16", "int32", "int64"):
        x, y = array([1, 7, 0, 9], dtype), array([2, 2, 3, 0], dtype)
        with np.errstate(all="ignore"):
            out = (x.astype(np.float64) / y.astype(np.float64)).astype(np.float32)
        add(FILE, "divide", dtype, [x, y], out, tol=TOLERANCE["float32"])


def add_other_binary():
    for dtype in FLOATS:
        x = numbers("base" + dtype, (9,), dtype, 0.125, 4)
        y = numbers("exponent" + dtype, (9,), dtype, -3, 3)
        add(FILE, "power", dtype, [x, y], in_double(np.power, x, y), tol=TOLERANCE[dtype] * 4)
        x = numbers("y" + dtype, (9,), dtype)
        add(FILE, "atan2", dtype, [x, y], in_double(np.arctan2, x, y), tol=TOLERANCE[dtype])
        add(FILE, "logaddexp", dtype, [x, y], in_double(np.logaddexp, x, y),
            {"tol_by_largest": True}, tol=TOLERANCE[dtype])
    x = array([0, 0, -2, -2, 2, np.inf, -np.inf, 1, np.nan, np.inf, 0, -8])
    y = array([0, -1, 2, 3, 0.5, 2, 3, np.nan, 0, -1, 2, 1 / 3])
    add(FILE, "power", "special values", [x, y], in_double(np.power, x, y), tol=4e-6)
    x = array([0.0, -0.0, 0.0, -0.0, 1, -1, np.inf, -np.inf, np.nan])
    y = array([1, 1, -1, -1, 0, 0, np.inf, -np.inf, 1])
    add(FILE, "atan2", "special values", [x, y], in_double(np.arctan2, x, y), tol=4e-6)
    x = array([np.inf, -np.inf, -np.inf, np.inf, 1000, -1000, np.nan])
    y = array([1, 1, -np.inf, np.inf, 1000, -1001, 1])
    add(FILE, "logaddexp", "special values", [x, y], in_double(np.logaddexp, x, y), tol=4e-6)
    for dtype in INTEGERS:
        x, y = array([2, 3, 5, 0, 1], dtype), array([5, 4, 0, 0, 7], dtype)
        add(FILE, "power", dtype, [x, y], x ** y)
    for dtype in FLOATS + ["int32", "uint8"]:
        x = array([-3, -1, 0, 1, 3], dtype) if dtype != "uint8" else array([0, 1, 2, 3, 9], dtype)
        add(FILE, "clip", dtype, [x, 1, 2], np.clip(x, array(1, dtype), array(2, dtype)).astype(x.dtype))
    x = array([np.nan, -np.inf, np.inf])
    add(FILE, "clip", "special values", [x, -1.5, 1.5], array([np.nan, -1.5, 1.5]))


COMPARISONS = {"equal": np.equal, "not_equal": np.not_equal, "less": np.less,
               "less_equal": np.less_equal, "greater": np.greater,
               "greater_equal": np.greater_equal}


def add_comparisons():
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    for op, function in COMPARISONS.items():
        for dtype in FLOATS + ["float8_e5m2"]:
            x, y = array([p[0] for p in pairs], dtype), array([p[1] for p in pairs], dtype)
            add(FILE, op, dtype, [x, y], function(x.astype(np.float64), y.astype(np.float64)))
        for dtype in INTEGERS + ["bool", "int4", "uint4"]:
            low, high = (0, 1) if dtype == "bool" else extremes(dtype)
            x, y = array([low, high, 1, low, high], dtype), array([high, low, 1, low, 1], dtype)
            wide = (lambda v: np.array([int(i) for i in v], dtype=object))
            add(FILE, op, dtype, [x, y], function(wide(x), wide(y)).astype(bool))
        add(FILE, op, "a scalar", [array([1, 2, 3], "int32"), 2],
            function(np.array([1, 2, 3]), 2))


def add_scalars():
    """C++ scalars keep an array's dtype; a fraction makes integers float32."""
    for dtype in FLOATS + INTEGERS + ["int4", "float8_e5m2"]:
        x = array([1, 2, 3], dtype)
        add(FILE, "add", f"{dtype} and 2", [x, 2], array([3, 4, 5], dtype))
        add(FILE, "subtract", f"5 and {dtype}", [5, x], array([4, 3, 2], dtype))
        if is_float(dtype):
            add(FILE, "multiply", f"{dtype} and 0.5", [x, 0.5], array([0.5, 1, 1.5], dtype))
        else:
            add(FILE, "multiply", f"{dtype} and 0.5", [x, 0.5], array([0.5, 1, 1.5]))
            add(FILE, "maximum", f"{dtype} and 2.0", [x, 2.0], array([2, 2, 3]))
    add(FILE, "add", "bool and 2", [array([0, 1], "bool"), 2], array([2, 3], "int32"))
    add(FILE, "add", "int64 and a large scalar", [array([1, -1], "int64"), 2**62 + 1],
        array([2**62 + 2, 2**62], "int64"))
    add(FILE, "add", "int8 and a scalar out of range", [array([1], "int8"), 300],
        error="300 is no value of int8")
    add(FILE, "subtract", "uint8 and -1", [array([1], "uint8"), -1],
        error="-1 is no value of uint8")
    add(FILE, "where", "scalars", [array([1, 0], "bool"), 1, 2.5], array([1, 2.5]))
    add(FILE, "where", "integer scalars", [array([1, 0], "bool"), 1, 2], array([1, 2], "int32"))


def add_where():
    for dtype in FLOATS + INTEGERS + ["bool", "int4", "float8_e4m3fn"]:
        m = numbers("mask", (2, 3), "bool")
        x, y = numbers("x", (2, 3), dtype), numbers("y", (2, 3), dtype)
        add(FILE, "where", dtype, [m, x, y], np.where(m, x, y))
    m = array([[1], [0]], "bool")
    x, y = numbers("wide", (3,)), numbers("rows", (2, 1))
    add(FILE, "where", "broadcast", [m, x, y], np.where(m, x, y))
    add(FILE, "where", "condition of another dtype", [array([1, 0]), x, y],
        error="[where] the condition is float32(2), expected bool")
    add(FILE, "where", "promotion", [array([1, 0], "bool"), array([1, 2], "int32"),
                                     array([0.5, 1.5], "bfloat16")], array([1, 1.5], "bfloat16"))


def representable(dtype):
    if dtype == "bool":
        return [0, 1]
    if is_float(dtype):
        return [0, 1, 2, 1.5, 3.25, 6]
    return [0, 1, 2, 3, 6] if dtype != "uint4" else [0, 1, 2, 3, 6, 9]


def add_casts():
    for source, target in itertools.product(DTYPES, DTYPES):
        x = array(representable(source), source)
        if source[0] in "fb" and source != "bool" or source.startswith("int"):
            x = np.concatenate([x, array([-1, -2], source)])
        if target.startswith("u"):
            x = x[:len(representable(source))]
        wide = np.array([float(v) for v in x])
        if target == "bool":
            out = wide != 0
        elif is_float(target):
            out = wide.astype(DTYPES[target])
        else:
            out = np.trunc(wide).astype(np.int64).astype(DTYPES[target])
        add("casts", "astype", f"{source} to {target}", [x], out, {"dtype": target})
    # Beyond the range: floats saturate and NaN is 0; integers wrap.
    for target in INTEGERS:
        low, high = extremes(target)
        x = array([1e30, -1e30, np.inf, -np.inf, np.nan])
        out = np.array([high, low, high, low, 0], dtype=object).astype(DTYPES[target])
        add("casts", "astype", f"float32 beyond {target}", [x], out, {"dtype": target})
    for source, target in (("int32", "int8"), ("int32", "uint8"), ("int64", "int32"),
                           ("int64", "uint16"), ("uint32", "int32"), ("int8", "uint8"),
                           ("uint64", "int64")):
        low, high = extremes(source)
        x = np.array([low, high, 300 % high, 77], dtype=object).astype(DTYPES[source])
        add("casts", "astype", f"{source} wraps in {target}", [x], x.astype(DTYPES[target]),
            {"dtype": target})
    ties = [1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-11, 1 + 3 * 2**-11, 65519.0, 65520.0, 3.4e38, np.nan,
            np.inf, -np.inf, -0.0, 1e-7]
    for target in ("bfloat16", "float16"):
        x = array(ties)
        add("casts", "astype", f"float32 rounds to {target}", [x], x.astype(DTYPES[target]),
            {"dtype": target})
    for target in ("float8_e4m3fn", "float8_e5m2"):
        x = array([1.0625, 1.1875, 1.125, 1.375, 300, 440, 0.001953125, 0.0029, -0.0, np.nan])
        add("casts", "astype", f"float32 rounds to {target}", [x], x.astype(DTYPES[target]),
            {"dtype": target})
    for source, target in (("float64", "float32"), ("float64", "bfloat16"),
                           ("float32", "float64")):
        x = array([1 + 2**-30, 1e300 if source == "float64" else 1e30, -0.1, np.nan], source)
        with np.errstate(all="ignore"):
            out = x.astype(DTYPES[target])
        add("casts", "astype", f"{source} to {target}, rounding", [x], out, {"dtype": target})
    x = np.array([2**53 + 1, 2**24 + 1, -2**63, 2**62 + 1], np.int64)
    for target in ("float32", "float64"):
        add("casts", "astype", f"large int64 to {target}", [x], x.astype(DTYPES[target]),
            {"dtype": target})
    for source, target in (("float32", "int32"), ("float32", "uint32"), ("bfloat16", "uint16"),
                           ("float16", "int16"), ("float64", "int64"), ("int8", "uint8"),
                           ("float8_e5m2", "uint8")):
        x = array([1, -2.5 if is_float(source) else -2, 0, 3], source)
        add("casts", "bitcast", f"{source} to {target}", [x], x.view(DTYPES[target]),
            {"dtype": target})
    x = array([[1, -2], [3, 4]], "float32")
    add("casts", "bitcast", "to a narrower dtype", [x], x.view(np.uint8).reshape(2, 2, 4),
        {"dtype": "uint8"})
    y = np.arange(16, dtype=np.uint8).reshape(2, 2, 4)
    add("casts", "bitcast", "to a wider dtype", [y], y.view(np.uint32).reshape(2, 2),
        {"dtype": "uint32"})
    add("casts", "bitcast", "bool", [array([1, 0], "bool")], attrs={"dtype": "uint8"},
        error="[bitcast] bool has no bits")
    add("casts", "bitcast", "a last dimension that does not fit", [y], attrs={"dtype": "uint64"},
        error="[bitcast] the last dimension of uint8(2,2,4) must be 8")
    x = array([1.2345678, 3.1415927, -1e-3, np.inf, np.nan])
    for target in ("bfloat16", "float16"):
        add("casts", "reduce_precision", target, [x],
            x.astype(DTYPES[target]).astype(np.float32), {"format": target})
    add("casts", "reduce_precision", "e5m2", [x], np.asarray(lax.reduce_precision(x, 5, 2)),
        {"exponent": 5, "mantissa": 2})
    add("casts", "reduce_precision", "integers", [array([1], "int32")],
        error="[reduce_precision] int32")


def add_promotion():
    """The result dtypes of JAX's lattice, by adding empty arrays."""
    for a, b in itertools.product(DTYPES, DTYPES):
        if a == b == "bool":
            continue
        try:
            kind = jnp.promote_types(DTYPES[a], DTYPES[b])
        except Exception:  # JAX wants casts written out; below is what we promise
            continue
        if "uint64" in (a, b) and {a, b} & set(SIGNED):
            kind = np.dtype(np.float32)  # what JAX gives with 64-bit types off
        add("promotion", "add", f"{a} and {b}", [array([], a), array([], b)], np.zeros(0, kind))
    for a, b, kind in (("int4", "int8", "int8"), ("int4", "uint4", "int8"), ("uint4", "int8", "int8"),
                       ("uint8", "int4", "int16"), ("int4", "float16", "float16"),
                       ("float8_e5m2", "bfloat16", "bfloat16"), ("float8_e4m3fn", "int32", "float8_e4m3fn"),
                       ("float8_e4m3fn", "float8_e5m2", "bfloat16"),
                       ("float8_e4m3fn", "float32", "float32")):
        for left, right in ((a, b), (b, a)):
            add("promotion", "add", f"{left} and {right}", [array([], left), array([], right)],
                np.zeros(0, DTYPES[kind]))


def add_cases():
    add_unary()
    add_bits()
    add_arithmetic()
    add_division()
    add_other_binary()
    add_comparisons()
    add_scalars()
    add_where()
    add_casts()
    add_promotion()
