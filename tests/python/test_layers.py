"""A layer includes only from the layers below it."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[2]
LAYERS = [
    "base", "runtime", "core", "kernels", "nn", "io", "text", "models", "serve/engine", "cli",
]
INCLUDE = re.compile(r'^\s*#\s*include\s+"xylem/([^"]+)"', re.MULTILINE)


def layer_of(path):
    for index, layer in enumerate(LAYERS):
        if path.startswith(layer + "/"):
            return index
    raise AssertionError(f"{path} belongs to no layer of {LAYERS}")


def breaches(path, text):
    own = layer_of(path)
    return [f"{path} includes {name}" for name in INCLUDE.findall(text) if layer_of(name) > own]


def test_layer_order():
    sources = [p for end in ("h", "cc", "inc") for p in (ROOT / "xylem").rglob(f"*.{end}")]
    assert len(sources) > 100
    found = []
    for source in sources:
        found += breaches(str(source.relative_to(ROOT / "xylem")), source.read_text())
    assert found == []


def test_a_breach_is_seen():
    assert breaches("core/array.h", '#include "xylem/kernels/ffi.h"\n') == [
        "core/array.h includes kernels/ffi.h"
    ]
