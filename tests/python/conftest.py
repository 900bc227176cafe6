"""What the end-to-end tests share: the program, and how to ask it."""

import json
import os
import pathlib
import subprocess

import pytest
from safetensors.numpy import load_file

ROOT = pathlib.Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/e2e"
SHARED = ROOT.parent / "shared/reference"  # wider references, where they stand beside the checkout
EXACT = ["--precision", "f32", "--kv-cache-dtype", "f32"]


class Program:
    """build/release/xylem, or what XYLEM names: build/asan/xylem, say."""

    def __init__(self):
        self.path = os.environ.get("XYLEM", str(ROOT / "build/release/xylem"))
        self.sanitized = pathlib.Path(self.path).parent.name in ("asan", "tsan")

    def run(self, *arguments, stdin=None, env=None, timeout=300):
        return subprocess.run(
            [self.path, *map(str, arguments)], input=stdin, capture_output=True, text=True,
            env={**os.environ, **(env or {})}, timeout=timeout)

    def ok(self, *arguments, **options):
        result = self.run(*arguments, **options)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def jsonl(self, *arguments, **options):
        # Only "\n" ends a line: JSON strings may hold other separators that splitlines() knows.
        return [json.loads(line) for line in self.ok(*arguments, **options).split("\n") if line]

    def logits(self, model, ids, folder, *arguments, **options):
        output = folder / "logits.safetensors"
        self.ok("logits", model, "--ids", ",".join(map(str, ids)), "--output", output, *arguments,
                **options)
        return load_file(output)["logits"]


@pytest.fixture(scope="session")
def xylem():
    return Program()


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes more than a few seconds")
