"""Tiny random models of the Llama family: logits and continuations as transformers gives them."""

import json
import shutil

import numpy as np
import pytest
from conftest import DATA, EXACT, SHARED
from safetensors.numpy import load_file

TOLERANCE = 1e-4
OWN = ["llama", "mistral", "smollm3"]
VARIANTS = {
    "plain": ([], {}),
    "chunks_of_1": (["--max-num-batched-tokens", "1", "--max-num-seqs", "1"], {}),
    "chunks_of_7": (["--max-num-batched-tokens", "7", "--max-num-seqs", "1"], {}),
    "pages_of_8": (["--block-size", "8"], {}),
    "reference_kernels": ([], {"XYLEM_KERNELS": "reference"}),
    "avx2": ([], {"XYLEM_CPU_LEVEL": "avx2"}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("family", OWN)
def test_logits(xylem, tmp_path, family, variant):
    reference = load_file(DATA / family / "reference.safetensors")
    arguments, env = VARIANTS[variant]
    logits = xylem.logits(DATA / family, reference["ids"], tmp_path, *EXACT, *arguments, env=env)
    assert np.abs(logits - reference["logits"]).max() <= TOLERANCE


def shared_families():
    return [f for f in OWN
            if (SHARED / "tiny" / f / "config.json").exists()]


@pytest.mark.parametrize("config", ["config.json", "config_legacy.json"])
@pytest.mark.parametrize("family", shared_families())
def test_shared_references(xylem, tmp_path, family, config):
    source = SHARED / "tiny" / family
    folder = tmp_path / family
    shutil.copytree(source, folder)
    shutil.copy(source / config, folder / "config.json")
    expected = load_file(source / "reference.safetensors")
    cases = json.loads((source / "reference.json").read_text())["cases"]
    for i, case in enumerate(cases):
        ids = case["prompt_ids"] + case["continuation_ids"]
        logits = xylem.logits(folder, ids, tmp_path, *EXACT)
        assert np.abs(logits - expected[f"logits_{i}"]).max() <= TOLERANCE
        answer, = xylem.jsonl("generate", folder, "-p", case["text"], "--raw", "--json",
                              "--temperature", "0", "--max-tokens",
                              str(len(case["continuation_ids"])), "--ignore-eos", *EXACT)
        assert answer["prompt_token_ids"] == case["prompt_ids"]
        assert answer["token_ids"] == case["continuation_ids"]
