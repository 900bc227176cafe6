"""Prefill and decode speed of llama.cpp on random prompts, as one JSON object.

    llama_cpp_peer.py FILE.gguf --threads 2 --batch 16 --prompt-tokens 512 --max-tokens 64

The AMX repacking of llama.cpp is off: at the measured version it crashes on this kind of model
where the processor has AMX (ggml_backend_amx_mul_mat). Its other repacking goes with it only
there; elsewhere extra buffer types stay on, as by default.
"""

import argparse
import json
import pathlib
import resource
import statistics
import time

import llama_cpp as L


SILENT = L.llama_log_callback(lambda *_: None)


def open_context(options):
    L.llama_log_set(SILENT, None)
    L.llama_backend_init()
    params = L.llama_model_default_params()
    params.use_extra_bufts = " amx_tile" not in pathlib.Path("/proc/cpuinfo").read_text()
    model = L.llama_model_load_from_file(options.model.encode(), params)
    params = L.llama_context_default_params()
    params.n_ctx = options.batch * (options.prompt_tokens + options.max_tokens + 64)
    params.n_batch, params.n_ubatch = 2048, 512
    params.n_threads = params.n_threads_batch = options.threads
    params.n_seq_max = options.batch
    params.kv_unified = False
    return L.llama_init_from_model(model, params)


class Batch:
    """Rows (token, position, sequence, logits) as llama.cpp takes them."""

    def __init__(self, rows):
        self.batch = L.llama_batch_init(len(rows), 0, 1)
        self.batch.n_tokens = len(rows)
        for i, (token, position, sequence, logits) in enumerate(rows):
            self.batch.token[i], self.batch.pos[i], self.batch.n_seq_id[i] = token, position, 1
            self.batch.seq_id[i][0], self.batch.logits[i] = sequence, logits

    def run(self, context):
        assert L.llama_decode(context, self.batch) == 0
        L.llama_synchronize(context)
        L.llama_batch_free(self.batch)


def measure(context, options):
    """Seconds of prefill and of decode; making the batches is not counted."""
    L.llama_memory_clear(L.llama_get_memory(context), True)
    n = options.prompt_tokens
    prompts = [
        Batch([((7919 * (s + 1) + 31 * p) % 40000 + 100, p, s, p == n - 1) for p in range(n)])
        for s in range(options.batch)
    ]
    start = time.perf_counter()
    for prompt in prompts:
        prompt.run(context)
    prefill = time.perf_counter() - start
    steps = [
        Batch([(1000 + k, n + k, s, True) for s in range(options.batch)])
        for k in range(options.max_tokens - 1)
    ]
    start = time.perf_counter()
    for step in steps:
        step.run(context)
    return prefill, time.perf_counter() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--prompt-tokens", type=int, default=512)
    parser.add_argument("--max-tokens", type=int, default=64)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    context = open_context(options)
    measure(context, options)
    prefill, decode = zip(*(measure(context, options) for _ in range(options.repeat)))
    report = {
        "prefill_tokens_per_s": options.batch * options.prompt_tokens / statistics.median(prefill),
        "decode_tokens_per_s": options.batch * (options.max_tokens - 1) / statistics.median(decode),
        "peak_resident_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
