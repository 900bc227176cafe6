"""SmolLM2-135M-Instruct Q4_1 against llama.cpp (same file) and transformers (dequantised, f32).

The references come from scripts/make_smollm2_reference.py. llama.cpp rounds activations to int8, as
our fast kernels do: where its best logit leads by less than its own distance from exact arithmetic
(the quantisation noise, recorded with the references), either token is right, and the continuations
part there. Such near-ties are printed (pytest -rP)."""

import json

import numpy as np
import pytest
from conftest import DATA, EXACT
from safetensors.numpy import load_file

PROMPTS = json.loads((DATA / "prompts.json").read_text())
CASES = {case["name"]: case for case in json.loads((DATA / "smollm2.json").read_text())}
NEW = 64
# Float32 sums in another order differ by this much; only a lead below it excuses another token.
F32_NOISE = 2e-3


def generate(xylem, names, folder, *arguments, env=None):
    """Greedy continuations of the prompts, run as one batch."""
    file = folder / "prompts.txt"
    file.write_text("".join(json.dumps(PROMPTS[name]) + "\n" for name in names))
    answers = xylem.jsonl("generate", "smollm2", "-f", file, "--raw", "--json", "--ignore-eos",
                          "--temperature", "0", "--max-tokens", NEW, *arguments, env=env)
    return dict(zip(names, answers, strict=True))


def first_difference(ours, theirs):
    return next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=True)) if a != b), None)


def check(answers, their_ids, leads, noise_of):
    parted = []
    for name, answer in answers.items():
        case = CASES[name]
        assert answer["prompt_token_ids"] == case["prompt_ids"], name
        at = first_difference(answer["token_ids"], case[their_ids])
        if at is None:
            continue
        lead, noise = case[leads][at], noise_of(case)
        parted.append(f"{name}: token {at}, lead {lead:.3f}, noise {noise:.3f}")
        assert lead < noise, parted[-1]
    print("\n".join(["near-ties:", *parted]))
    return len(answers) - len(parted)


def test_llama_cpp_agrees(xylem, tmp_path):
    answers = generate(xylem, list(CASES), tmp_path)
    # Both sides round: each may be as far from exact arithmetic as llama.cpp is.
    check(answers, "llama_cpp_ids", "llama_cpp_leads", lambda case: case["noise"])


VARIANTS = {
    "batch": ([], {}),
    "chunks_of_64": (["--max-num-batched-tokens", "64"], {}),
    "chunks_of_7": (["--max-num-batched-tokens", "7", "--max-num-seqs", "4"], {}),
    "avx2": ([], {"XYLEM_CPU_LEVEL": "avx2"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_exact_continuations(xylem, tmp_path, variant):
    arguments, env = VARIANTS[variant]
    answers = generate(xylem, list(CASES), tmp_path, *EXACT, *arguments, env=env)
    assert check(answers, "exact_ids", "exact_leads", lambda case: F32_NOISE) >= 10


SHORT = [name for name, case in CASES.items() if len(case["prompt_ids"]) < 100]
ALONE = {
    "one_by_one": (["--max-num-seqs", "1"], {}),
    "chunks_of_1": (["--max-num-seqs", "1", "--max-num-batched-tokens", "1"], {}),
    "reference_kernels": (["--max-model-len", "256"], {"XYLEM_KERNELS": "reference"}),
}


@pytest.mark.slow
@pytest.mark.parametrize("variant", ALONE)
def test_exact_continuations_of_seven(xylem, tmp_path, variant):
    arguments, env = ALONE[variant]
    answers = generate(xylem, SHORT[:7], tmp_path, *EXACT, *arguments, env=env)
    assert check(answers, "exact_ids", "exact_leads", lambda case: F32_NOISE) >= 6


def test_exact_logits(xylem, tmp_path):
    expected = load_file(DATA / "smollm2.safetensors")
    for row, case in enumerate(CASES.values()):
        ours = xylem.logits("smollm2", case["prompt_ids"], tmp_path, *EXACT)[-1]
        ids, logits = expected["ids"][row], expected["logits"][row]
        difference = np.abs(ours[ids] - logits).max() / np.abs(logits).max()
        assert difference <= 1e-3, (case["name"], difference)
        assert ours.argmax() == ids[31] or case["exact_leads"][0] < F32_NOISE


def test_fast_is_no_noisier_than_llama_cpp(xylem, tmp_path):
    expected = load_file(DATA / "smollm2.safetensors")
    worst = []
    for row, case in enumerate(CASES.values()):
        ours = xylem.logits("smollm2", case["prompt_ids"], tmp_path)[-1]
        noise = float(np.abs(ours[expected["ids"][row]] - expected["logits"][row]).max())
        print(f"{case['name']}: ours {noise:.3f}, llama.cpp {case['noise']:.3f}")
        worst.append((noise, case["noise"]))
    ours, theirs = np.median(np.array(worst), axis=0)
    assert ours <= theirs
