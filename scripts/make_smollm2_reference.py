#!/usr/bin/env python3
"""What llama.cpp and transformers say about SmolLM2-135M-Instruct Q4_1, for the end-to-end tests.

    PYTHON scripts/make_smollm2_reference.py     (needs llama-cpp-python, torch,
                                                 transformers, accelerate, gguf)

Reads tests/data/e2e/prompts.json and writes beside it, for each prompt:
  smollm2.json         its ids; 64 greedy ids of llama.cpp with, for each, llama.cpp's lead of the
                       best logit over the second; 64 greedy ids of transformers in float32 on the
                       dequantised weights with the same leads; the largest difference between both
                       programs' logits at the prompt's last position (the quantisation noise)
  smollm2.safetensors  transformers' float32 logits of the last position for the 32 best tokens and
                       1,024 spread over the vocabulary: ids and logits [prompts, 1056]
"""

import json
import pathlib

import llama_cpp as L
import numpy as np
import torch
from safetensors.numpy import save_file
from transformers import AutoModelForCausalLM

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "tests/data/e2e"
FILE = (ROOT / ".deps/models/smollm2.gguf").resolve()
NEW = 64
SILENT = L.llama_log_callback(lambda *_: None)


class LlamaCpp:
    def __init__(self):
        L.llama_log_set(SILENT, None)
        params = L.llama_model_default_params()
        params.use_extra_bufts = False  # its AMX path crashes on this model
        self.model = L.llama_model_load_from_file(str(FILE).encode(), params)
        self.vocab = L.llama_model_get_vocab(self.model)
        params = L.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = 2048, 2048, 512
        self.context = L.llama_init_from_model(self.model, params)
        self.size = L.llama_vocab_n_tokens(self.vocab)

    def tokenize(self, text):
        data = text.encode()
        ids = (L.llama_token * (len(data) + 8))()
        count = L.llama_tokenize(self.vocab, data, len(data), ids, len(ids), True, True)
        return list(ids[:count])

    def step(self, ids):
        array = (L.llama_token * len(ids))(*ids)  # the batch only points to it
        assert L.llama_decode(self.context, L.llama_batch_get_one(array, len(ids))) == 0
        return np.ctypeslib.as_array(L.llama_get_logits_ith(self.context, -1), (self.size,)).copy()

    def greedy(self, ids):
        L.llama_memory_clear(L.llama_get_memory(self.context), True)
        return greedy(self.step, ids)


class Transformers:
    def __init__(self):
        self.model = AutoModelForCausalLM.from_pretrained(
            FILE.parent, gguf_file=FILE.name, dtype=torch.float32, attn_implementation="eager")
        self.model.eval()

    def greedy(self, ids):
        self.cache = None
        return greedy(self.step, ids)

    def step(self, ids):
        with torch.no_grad():
            out = self.model(torch.tensor([ids]), past_key_values=self.cache, use_cache=True)
        self.cache = out.past_key_values
        return out.logits[0, -1].numpy().copy()


def greedy(step, ids):
    """New ids, the lead of each over the second best, and the logits after the prompt."""
    logits = first = step(ids)
    chosen, leads = [], []
    for _ in range(NEW):
        second, best = np.sort(np.partition(logits, -2)[-2:])
        chosen.append(int(logits.argmax()))
        leads.append(round(float(best - second), 4))
        logits = step(chosen[-1:])
    return chosen, leads, first


def main():
    peer, exact = LlamaCpp(), Transformers()
    results, rows, logits = [], [], []
    for name, prompt in json.loads((DATA / "prompts.json").read_text()).items():
        ids = peer.tokenize(prompt)
        their_ids, their_leads, their_logits = peer.greedy(ids)
        exact_ids, exact_leads, exact_logits = exact.greedy(ids)
        noise = float(np.abs(their_logits - exact_logits).max())
        print(f"{name:16} {len(ids):5} tokens, noise {noise:.3f}, "
              f"agreement {sum(a == b for a, b in zip(their_ids, exact_ids))}/{NEW}", flush=True)
        results.append({"name": name, "prompt_ids": ids, "llama_cpp_ids": their_ids,
                        "llama_cpp_leads": their_leads, "exact_ids": exact_ids,
                        "exact_leads": exact_leads, "noise": round(noise, 4)})
        rows.append(np.concatenate([np.argsort(exact_logits)[-32:],
                                    np.linspace(0, exact_logits.size - 1, 1024).astype(np.int64)]))
        logits.append(exact_logits[rows[-1]])
    (DATA / "smollm2.json").write_text(
        "[\n" + ",\n".join(json.dumps(r) for r in results) + "\n]\n")
    save_file({"ids": np.stack(rows), "logits": np.stack(logits)}, DATA / "smollm2.safetensors")


main()
