#!/usr/bin/env python3
"""Writes tests/data/attention_sdpa.bin: PyTorch's scaled_dot_product_attention on random input.

The file is little-endian: int32 [sequences, heads, kv_heads, head_dim, lengths...], then for each
sequence the f32 arrays q [length, heads, head_dim], k and v [length, kv_heads, head_dim] and the
causal attention's output, in the shape of q, computed in float64.

    python scripts/make_attention_reference.py      (needs torch and numpy)
"""
from pathlib import Path

import numpy as np
import torch

LENGTHS = (9, 37)
HEADS, KV_HEADS, HEAD_DIM = 6, 2, 16


def attention(q, k, v):
    """Causal grouped-query attention of [length, heads, head_dim] arrays."""
    q, k, v = (torch.from_numpy(x).double().transpose(0, 1)[None] for x in (q, k, v))
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, is_causal=True, enable_gqa=True)
    return out[0].transpose(0, 1).float().numpy()


def main():
    random = np.random.default_rng(7)
    parts = [np.array([len(LENGTHS), HEADS, KV_HEADS, HEAD_DIM, *LENGTHS], np.int32)]
    for length in LENGTHS:
        q, k, v = (
            random.normal(size=(length, heads, HEAD_DIM)).astype(np.float32)
            for heads in (HEADS, KV_HEADS, KV_HEADS))
        parts += [2 * q, k, v, attention(2 * q, k, v)]
    path = Path(__file__).parent.parent / "tests" / "data" / "attention_sdpa.bin"
    path.write_bytes(b"".join(np.ascontiguousarray(part).tobytes() for part in parts))


if __name__ == "__main__":
    main()
