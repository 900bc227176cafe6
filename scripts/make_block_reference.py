#!/usr/bin/env python3
"""Writes tests/data/blocks.safetensors: random blocks of every GGUF type, and the values that the
PyPI package gguf (numpy) decodes them to. Needs gguf, numpy and safetensors.

  scripts/make_block_reference.py tests/data/blocks.safetensors
"""

import sys

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Type
from gguf.quants import dequantize
from safetensors.numpy import save_file

# Where the f16 scales and minimums lie in a block; the other bytes may be anything.
F16_FIELDS = {
    Type.Q4_0: [0], Type.Q4_1: [0, 2], Type.Q5_0: [0], Type.Q5_1: [0, 2], Type.Q8_0: [0],
    Type.Q2_K: [80, 82], Type.Q3_K: [108], Type.Q4_K: [0, 2], Type.Q5_K: [0, 2], Type.Q6_K: [208],
    Type.Q8_K: [], Type.IQ4_NL: [0], Type.IQ4_XS: [0], Type.MXFP4: [],
}


def random_blocks(rng, kind, count):
    _, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    for at in F16_FIELDS[kind]:
        blocks[:, at:at + 2] = rng.normal(0, 0.1, (count, 1)).astype(np.float16).view(np.uint8)
    if kind == Type.Q8_K:
        blocks[:, :4] = rng.normal(0, 0.1, (count, 1)).astype(np.float32).view(np.uint8)
    if kind == Type.MXFP4:
        blocks[:, 0] = rng.integers(100, 140, count)
        blocks[:3, 0] = [0, 1, 2]  # the subnormal scales and the first normal one
    return blocks


def decode(kind, blocks):
    if kind == Type.Q8_K:  # not in the package: f32 scale, then int8 codes
        return blocks[:, :4].copy().view(np.float32) * blocks[:, 4:260].view(np.int8)
    return dequantize(blocks, kind)


def main():
    rng = np.random.default_rng(1)
    tensors = {}
    for kind in F16_FIELDS:
        elements, _ = GGML_QUANT_SIZES[kind]
        blocks = random_blocks(rng, kind, 768 // elements)
        tensors[f"{kind.name}.blocks"] = blocks.reshape(-1)
        tensors[f"{kind.name}.values"] = decode(kind, blocks).astype(np.float32).reshape(-1)
    save_file(tensors, sys.argv[1])


if __name__ == "__main__":
    main()
