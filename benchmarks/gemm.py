"""GEMM against PyTorch on the same machine in the same run.

    PYTHON benchmarks/gemm.py [--binary FILE] [--sizes 512,1024] [--rounds 5]

PYTHON is an interpreter that has torch. Square f32 and bf16 matrices, row-major, with 1 and 2
threads: both sides run in turn, several times, and the median of each is reported.
"""

import argparse
import os
import statistics
import subprocess
import time

import torch

from report import ROOT, heading, record

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


class Ours:
    """The benchmark program, asked line by line."""

    def __init__(self, binary):
        self.process = subprocess.Popen(
            [binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if not answer:
            raise SystemExit(f"the benchmark program ended at: {line}")
        return answer

    def seconds(self, dtype, size, threads, repetitions):
        return float(self.ask(f"{dtype} {size} {threads} {repetitions}"))


class Torch:
    def __init__(self, dtype, size):
        generator = torch.Generator().manual_seed(1)
        self.a, self.b = (
            torch.randn(size, size, generator=generator).to(TYPES[dtype]) for _ in range(2)
        )
        self.c = torch.empty_like(self.a)

    def seconds(self, threads, repetitions):
        torch.set_num_threads(threads)
        torch.mm(self.a, self.b, out=self.c)
        taken = []
        for _ in range(repetitions):
            begin = time.perf_counter()
            torch.mm(self.a, self.b, out=self.c)
            taken.append(time.perf_counter() - begin)
        return statistics.median(taken)


def measure(ours, dtype, size, threads, rounds):
    """Median GFLOP/s of both sides, in turn so that a busy machine disturbs both alike."""
    flops = 2 * size**3
    repetitions = max(2, min(20, int(2e10 / flops)))
    peer = Torch(dtype, size)
    our_seconds, peer_seconds = [], []
    for _ in range(rounds):
        our_seconds.append(ours.seconds(dtype, size, threads, repetitions))
        peer_seconds.append(peer.seconds(threads, repetitions))
    return (flops / statistics.median(s) / 1e9 for s in (our_seconds, peer_seconds))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=ROOT / "build/release/benchmarks/gemm_benchmark")
    parser.add_argument("--sizes", default="512,1024,2048,4096")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--types", default="f32,bf16")
    parser.add_argument("--rounds", default=5, type=int)
    options = parser.parse_args()

    ours = Ours(os.fspath(options.binary))
    cpu = ours.ask("cpu")
    heading("GFLOP/s")
    for dtype in options.types.split(","):
        for threads in map(int, options.threads.split(",")):
            for size in map(int, options.sizes.split(",")):
                mine, peer = measure(ours, dtype, size, threads, options.rounds)
                name = f"gemm_{dtype}_{size}_{threads}t"
                record(name, mine, peer, f"PyTorch {torch.__version__}", "GFLOP/s", cpu)


if __name__ == "__main__":
    main()
