"""Prefill, decode and memory against llama.cpp, same file, in turn in the same run.

    PYTHON benchmarks/generate.py [--rounds 3] [--threads 1,2]

PYTHON is an interpreter that has llama-cpp-python.
"""

import argparse
import json
import statistics
import subprocess
import sys

from report import ROOT, heading, record

PEER = "llama.cpp (llama-cpp-python 0.3.36)"
MODEL = ROOT / ".deps/models/smollm2.gguf"


def run(command):
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def both(arguments, rounds):
    """Medians over rounds of what each side measures."""
    ours, peer = [], []
    for _ in range(rounds):
        program = [ROOT / "build/release/xylem", "bench", "generate", MODEL, "--json"]
        ours.append(run([*program, *arguments]))
        peer.append(run([sys.executable, ROOT / "benchmarks/llama_cpp_peer.py", MODEL, *arguments]))

    def median(side, key):
        return statistics.median(r[key] for r in side)

    return ours[0]["cpu"], lambda key: (median(ours, key), median(peer, key)), ours


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", default="1,2")
    options = parser.parse_args()
    heading("tokens/s; MiB; microseconds")
    for threads in options.threads.split(","):
        for batch, tokens in ((1, "64"), (16, "32")):
            arguments = ["--threads", threads, "--batch", str(batch), "--prompt-tokens", "512"]
            arguments += ["--max-tokens", tokens, "--repeat", "3"]
            cpu, median, ours = both(arguments, options.rounds)
            suffix = f"512_b{batch}_{threads}t"
            for what in ("prefill", "decode"):
                pair = median(f"{what}_tokens_per_s")
                record(f"smollm2_{what}_{suffix}", *pair, PEER, "tokens/s", cpu)
            record(f"smollm2_memory_{suffix}", *median("peak_resident_mib"), PEER, "MiB", cpu,
                   lower_is_better=True)
            overhead = statistics.median(r["step_overhead_us"] for r in ours)
            record(f"smollm2_step_overhead_{suffix}", overhead, None, None, "us", cpu)


if __name__ == "__main__":
    main()
