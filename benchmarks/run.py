"""Every benchmark, one after the other; results in build/bench/*.json."""

import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent

for script in ("generate.py", "gemm.py"):
    subprocess.run([sys.executable, FOLDER / script], check=True)
