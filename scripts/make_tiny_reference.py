#!/usr/bin/env python3
"""Tiny random models of the Llama family with transformers' logits, for the end-to-end tests.

    PYTHON scripts/make_tiny_reference.py     (needs torch, transformers, tokenizers)

Writes tests/data/e2e/FAMILY/: a Hugging Face folder with a byte-level tokenizer without merges, and
reference.safetensors with the token ids and the float32 logits of every position.
"""

import pathlib

import torch
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM,
                          SmolLM3Config, SmolLM3ForCausalLM)

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests/data/e2e"
SIZES = dict(vocab_size=256, hidden_size=32, intermediate_size=48, num_hidden_layers=4,
             num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=256,
             bos_token_id=0, eos_token_id=255, pad_token_id=None)
LLAMA3 = {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 8.0, "low_freq_factor": 1.0,
          "high_freq_factor": 4.0, "original_max_position_embeddings": 64}
FAMILIES = {
    "llama": (LlamaForCausalLM, LlamaConfig(**SIZES, head_dim=16, rope_parameters=LLAMA3)),
    "mistral": (MistralForCausalLM, MistralConfig(**SIZES, head_dim=8, sliding_window=16)),
    "smollm3": (SmolLM3ForCausalLM, SmolLM3Config(**SIZES)),
}
LENGTH = 48


def save_tokenizer(folder):
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({c: i for i, c in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.save(str(folder / "tokenizer.json"))


for seed, (name, (model_class, config)) in enumerate(FAMILIES.items()):
    torch.manual_seed(seed)
    config._attn_implementation = "eager"
    model = model_class(config).float().eval()
    with torch.no_grad():
        for parameter in model.parameters():  # large enough that rounding cannot hide a mistake
            parameter.copy_(torch.randn_like(parameter) * (0.2 if parameter.dim() > 1 else 0.1)
                            + (0 if parameter.dim() > 1 else 1))
        ids = torch.randint(0, 254, (1, LENGTH))
        logits = model(ids).logits[0]
        exact = model.double()(ids).logits[0]
    print(name, "largest logit", logits.abs().max().item(), "against float64",
          (logits - exact).abs().max().item())
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    model.float().save_pretrained(folder)
    save_tokenizer(folder)
    save_file({"ids": ids[0].int(), "logits": logits.float().contiguous()},
              folder / "reference.safetensors")
