"""The list of cases, and how they are written."""

import os
import zlib

import jax
import ml_dtypes
import numpy as np

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

DTYPES = {
    "bool": np.bool_, "int4": ml_dtypes.int4, "int8": np.int8, "int16": np.int16,
    "int32": np.int32, "int64": np.int64, "uint4": ml_dtypes.uint4, "uint8": np.uint8,
    "uint16": np.uint16, "uint32": np.uint32, "uint64": np.uint64,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn, "float8_e5m2": ml_dtypes.float8_e5m2,
    "bfloat16": ml_dtypes.bfloat16, "float16": np.float16, "float32": np.float32,
    "float64": np.float64,
}
FLOATS = ["bfloat16", "float16", "float32", "float64"]
SIGNED = ["int8", "int16", "int32", "int64"]
UNSIGNED = ["uint8", "uint16", "uint32", "uint64"]
INTEGERS = SIGNED + UNSIGNED
# A few units in the last place, for functions that a compiler may compute in its own way.
TOLERANCE = {"float8_e4m3fn": 2**-3, "float8_e5m2": 2**-2, "bfloat16": 2**-7, "float16": 2**-9,
             "float32": 4e-6, "float64": 2e-14}

files = {}  # name -> list of texts


def is_float(dtype):
    return dtype.startswith(("float", "bfloat"))


def name_of(array):
    return np.asarray(array).dtype.name


def array(values, dtype="float32"):
    return np.asarray(values).astype(DTYPES[dtype])


def rng(seed):
    return np.random.default_rng(zlib.crc32(seed.encode()))


def numbers(seed, shape, dtype="float32", low=-4, high=4):
    """Random values, exact in the dtype."""
    if dtype == "bool":
        return rng(seed).integers(0, 2, shape).astype(bool)
    if is_float(dtype):
        return array(rng(seed).uniform(low, high, shape), dtype)
    if dtype.startswith("u"):
        low = max(low, 0)
    return rng(seed).integers(low, high + 1, shape).astype(DTYPES[dtype])


def extremes(dtype):
    """Lowest and highest integer of a dtype."""
    info = ml_dtypes.iinfo(DTYPES[dtype])
    return int(info.min), int(info.max)


def value_text(value, dtype):
    if not is_float(dtype):
        return str(int(value))
    value = float(value)
    if value != value:
        return "nan"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return f"{value:.9g}" if dtype == "float32" else repr(value)


def operand_text(operand):
    if isinstance(operand, (bool, int, float)):
        if isinstance(operand, float) and operand == int(operand):
            return f"scalar {operand:.1f}"
        return f"scalar {str(operand).lower()}"
    operand = np.asarray(operand)
    name = operand.dtype.name
    shape = ",".join(map(str, operand.shape))
    values = "".join(" " + value_text(v, name) for v in operand.reshape(-1))
    return f"{name}({shape}){values}"


def attr_text(value):
    if isinstance(value, (list, tuple)):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return str(int(value))
    return str(value)


def add(file, op, name, inputs, outputs=None, attrs=None, tol=0.0, error=None):
    lines = [f"case {op}: {name}"]
    lines += ["in " + operand_text(i) for i in inputs]
    for key, value in (attrs or {}).items():
        if value is not None:
            lines.append(f"attr {key} {attr_text(value)}".rstrip())
    if tol:
        lines.append(f"tol {tol:g}")
    if error:
        lines.append(f"error {error}")
    else:
        if not isinstance(outputs, (list, tuple)):
            outputs = [outputs]
        lines += ["out " + operand_text(np.asarray(o)) for o in outputs]
    files.setdefault(file, []).append("\n".join(lines) + "\n")


def in_double(function, *inputs):
    """function of the inputs as float64, rounded once to the first input's dtype."""
    with np.errstate(all="ignore"):
        wide = [np.asarray(x).astype(np.float64) for x in inputs]
        return np.asarray(function(*wide)).astype(np.asarray(inputs[0]).dtype)


def write_files(folder):
    os.makedirs(folder, exist_ok=True)
    for name, cases in files.items():
        with open(os.path.join(folder, name + ".txt"), "w") as out:
            out.write("# Made by scripts/make_op_cases.py.\n\n" + "\n".join(cases))
        print(f"{name}: {len(cases)} cases")
