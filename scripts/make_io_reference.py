#!/usr/bin/env python3
"""Writes small good files with the official `safetensors` and `gguf` packages, and what they hold
as JSON, to tests/data/io. Run by hand with a Python that has torch, safetensors and gguf; the
results are committed. Tests of xylem/io read them back."""
import json
import pathlib

import gguf
import numpy as np
import torch
from safetensors.torch import save_file

ROOT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "io"


def tensor_json(name, kind, shape, data):
    return {"name": name, "type": kind, "shape": list(shape), "hex": bytes(data).hex()}


def torch_bytes(tensor):
    if tensor.numel() == 0:
        return b""
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def safetensors_tensors():
    ramp = torch.arange(-6, 6, dtype=torch.float32).reshape(3, 4) / 4
    return {
        "linear.weight": ("F32", ramp),
        "linear.bias": ("F16", ramp[0].to(torch.float16)),
        "norm.weight": ("BF16", ramp[1].to(torch.bfloat16)),
        "scale": ("F64", torch.tensor(0.1, dtype=torch.float64)),
        "fp8.e4m3": ("F8_E4M3", ramp.to(torch.float8_e4m3fn)),
        "fp8.e5m2": ("F8_E5M2", ramp.to(torch.float8_e5m2)),
        "mask": ("BOOL", ramp > 0),
        "bytes": ("U8", torch.arange(5, dtype=torch.uint8)),
        "signed": ("I8", torch.arange(-2, 3, dtype=torch.int8)),
        "ids": ("I64", torch.tensor([[1, -1], [2**40, 0]])),
        "short": ("I16", torch.tensor([-(2**15), 2**15 - 1], dtype=torch.int16)),
        "word": ("I32", torch.tensor([-(2**31), 2**31 - 1], dtype=torch.int32)),
        "empty": ("F32", torch.zeros(0, 4)),
        "naïve \"名前\"\n": ("F32", torch.tensor([1.5])),
    }


def write_safetensors():
    tensors = safetensors_tensors()
    save_file({k: v for k, (_, v) in tensors.items()}, ROOT / "sample.safetensors",
              metadata={"format": "pt"})
    expected = [tensor_json(k, kind, v.shape, torch_bytes(v)) for k, (kind, v) in tensors.items()]
    (ROOT / "sample.safetensors.json").write_text(
        json.dumps({"metadata": {"format": "pt"}, "tensors": expected}, indent=1) + "\n")


def write_sharded():
    folder = ROOT / "sharded"
    folder.mkdir(exist_ok=True)
    shards = {
        "model-00001-of-00002.safetensors": {"a.weight": torch.arange(6.0).reshape(2, 3)},
        "model-00002-of-00002.safetensors": {"b.weight": torch.arange(4.0),
                                             "c.weight": torch.ones(1, dtype=torch.bfloat16)},
    }
    weight_map = {}
    for name, tensors in shards.items():
        save_file(tensors, folder / name, metadata={"format": "pt"})
        weight_map.update({tensor: name for tensor in tensors})
    (folder / "model.safetensors.index.json").write_text(
        json.dumps({"metadata": {"total_size": 42}, "weight_map": weight_map}, indent=1) + "\n")
    (folder / "config.json").write_text(
        json.dumps({"model_type": "llama", "hidden_size": 3, "layer_types": ["full"] * 12}) + "\n")


def gguf_tensors():
    rng = np.random.default_rng(7)
    blocks = rng.standard_normal((2, 256)).astype(np.float32)
    out = {"plain.f32": (gguf.GGMLQuantizationType.F32, (3, 4),
                         np.arange(12, dtype=np.float32).reshape(3, 4)),
           "plain.f16": (gguf.GGMLQuantizationType.F16, (4,), np.arange(4, dtype=np.float16)),
           "plain.i8": (gguf.GGMLQuantizationType.I8, (2, 1, 3),
                        np.arange(6, dtype=np.int8).reshape(2, 1, 3)),
           "plain.i32": (gguf.GGMLQuantizationType.I32, (1,), np.array([-7], dtype=np.int32))}
    for name in ("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "BF16"):
        kind = gguf.GGMLQuantizationType[name]
        out["block." + name] = (kind, (2, 256), gguf.quants.quantize(blocks, kind))
    # The package has no quantiser for these: bytes of the right size serve the reader's test.
    for name in ("Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS", "MXFP4", "IQ2_XXS"):
        kind = gguf.GGMLQuantizationType[name]
        elements, size = gguf.GGML_QUANT_SIZES[kind]
        raw = rng.integers(0, 256, (2, 256 // elements * size), dtype=np.uint8)
        out["block." + name] = (kind, (2, 256), raw)
    return out


METADATA = {
    "test.u8": ("uint8", 255), "test.i8": ("int8", -128), "test.u16": ("uint16", 65535),
    "test.i16": ("int16", -32768), "test.u32": ("uint32", 2**32 - 1),
    "test.i32": ("int32", -(2**31)), "test.u64": ("uint64", 2**64 - 1),
    "test.i64": ("int64", -(2**63)), "test.f32": ("float32", 0.5), "test.f64": ("float64", 0.1),
    "test.bool": ("bool", True), "test.string": ("string", "xylem ξύλον"),
    "test.ints": ("array", [1, -2, 3]), "test.floats": ("array", [0.5, -1.5]),
    "test.bools": ("array", [True, False, True]),
    "test.strings": ("array", ["a", "", "名前", "d", "e", "f", "g", "h", "i", "j"]),
}


def add_metadata(writer):
    for key, (kind, value) in METADATA.items():
        getattr(writer, "add_" + kind)(key, value)


def write_gguf():
    writer = gguf.GGUFWriter(ROOT / "sample.gguf", "llama")
    add_metadata(writer)
    expected = []
    for name, (kind, shape, data) in gguf_tensors().items():
        writer.add_tensor(name, data, raw_dtype=kind)
        expected.append(tensor_json(name, kind.name, shape, data.tobytes()))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    metadata = {"general.architecture": "llama", **{k: v for k, (_, v) in METADATA.items()}}
    (ROOT / "sample.gguf.json").write_text(
        json.dumps({"metadata": metadata, "tensors": expected}, indent=1) + "\n")


def write_split_gguf():
    writer = gguf.GGUFWriter(ROOT / "split.gguf", "llama", split_max_tensors=2)
    writer.add_custom_alignment(64)
    for i in range(5):
        writer.add_tensor(f"t{i}", np.full((i + 1, 2), i, dtype=np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    ROOT.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(0)
    write_safetensors()
    write_sharded()
    write_gguf()
    write_split_gguf()
