#!/usr/bin/env python3
"""Writes the seeds of tokenizer_fuzz: the tests' tokenizers with a few tokens left of each, so that
mutations hit the parts rather than the vocabulary.

    scripts/tokenizer_seeds.py FOLDER
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared/reference/tiny"  # more of them, where they stand beside the checkout
LETTERS = set("Helo wrdaĠ▁42Ċ")
MERGES = 4
ADDED = 8


def pair(merge):
    return merge.split(" ") if isinstance(merge, str) else merge


def shrink(tokenizer):
    model = tokenizer["model"]
    model["merges"] = model["merges"][:MERGES]
    tokenizer["added_tokens"] = tokenizer["added_tokens"][:ADDED]
    kept = LETTERS | {token["content"] for token in tokenizer["added_tokens"]}
    kept |= {model.get("unk_token"), "<0x0A>", "<0xC3>"}
    for left, right in map(pair, model["merges"]):
        kept |= {left, right, left + right}
    model["vocab"] = {token: id for token, id in model["vocab"].items() if token in kept}
    return tokenizer


def tokenizers():
    for line in (ROOT / "tests/data/text/tokenizers.jsonl").read_text().splitlines():
        case = json.loads(line)
        if "tokenizer" in case:
            yield case["name"], case["tokenizer"]
    for file in [*ROOT.glob("tests/data/e2e/*/tokenizer.json"), *SHARED.glob("*/tokenizer.json")]:
        yield file.parent.name, json.loads(file.read_text())


def main():
    folder = pathlib.Path(sys.argv[1])
    for name, tokenizer in tokenizers():
        text = json.dumps(shrink(tokenizer), ensure_ascii=False, separators=(",", ":"))
        (folder / f"seed-{name}.json").write_text(text)


if __name__ == "__main__":
    main()
