#!/usr/bin/env python3
"""Writes tests/data/text: small tokenizers and what the tokenizers library makes of tricky texts.

    python scripts/make_tokenizer_cases.py [SMOLLM2.gguf]

Needs: tokenizers, gguf. Three files, one JSON object a line:
  tokenizers.jsonl  {"name", "tokenizer" (a tokenizer.json), "cases": [[text, ids, ids_special, ids_plain, decoded,
                    decoded_skip]]}; ids_special has the post-processor's tokens, ids_plain does not parse special
                    tokens, decoded_skip leaves special tokens out (both decode ids_special)
  splits.jsonl      {"rule" (a name in tokenizer.ggml.pre), "cuts": [[text, ends of the words in bytes]]}
  smollm2.jsonl     {"text", "ids"} with the vocabulary of SmolLM2's GGUF file
"""

import json
import pathlib
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

OUT = pathlib.Path(__file__).resolve().parent.parent / "tests" / "data" / "text"

CORPUS = """The quick brown fox jumps over the lazy dog. Don't panic: we'll say that they've been there, and I'm sure he'd agree.
In 2024 there were 1234567 readers, and 42 of them wrote HelloWorld programs in camelCase or snake_case style.
def add(first, second):\n    return first + second\n\n\nprint(add(1, 22))\n
Größe, café, naïve, Zürich; Привет, мир! 你好，世界。今天天气很好。日本語のテキスト 한국어 텍스트 नमस्ते दुनिया
"""

TEXTS = ["", " ", "  ", "   a", "\n", "\n\n", " \n ", "\t\tx", "\r\n", "a \r\n\r\n b", "Hello, world!", " Hello  world ", "HelloWorld HTTPServer iPhone ABCdef",
         "don't DON'T we'll they'VE I'm he'd '\u017f", "1", "12", "1234", "12345 1,234.5 3\u00bd \u0661\u0662\u0663", "x=1;y=2 // ok", "....!!?", "--- ==>", "user@example.com/a?b=c#d",
         "def f(x):\n\treturn x ** 2\n", "    indented\n        more\n", "caf\u00e9", "cafe\u0301", "\u1e9b\u0323 \ufb01 \u212b", "\u0130stanbul'da", "\u4f60\u597d\uff0c\u4e16\u754c\uff01",
         "\u4e2d\u6587English\u6df7\u5408 text", "\u3072\u3089\u30ab\u30bf\u6f22", "\ud55c\uad6d\uc5b4", "\u0928\u092e\u0938\u094d\u0924\u0947", "\u0645\u0631\u062d\u0628\u0627", "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440!",
         "\U0001f600", "a\U0001f44d\U0001f3fdb \U0001f468\u200d\U0001f469\u200d\U0001f467", "\u00a0a\u3000b\u2003c\u180ed\u0085e\u2028f", "\u200b\ufeff\u00ad", "\x00\x01\x7f", "\ufffd", "\u2581a \u2581", "\u0120hello \u010a", "<0x0A> <0xE4>",
         "<s>", "<s>hi</s>", "a<s>b", " <s> a <mask> b", "<mask>", "x <mask>\t\n<s>", "word wordy sword word", "Token TOKEN \u00e9token", "<tool>x</tool>", "<too", "<|end|><|end|>", "<|end",
         "the the the", "a" * 60, "ab" * 40, " " * 20, "=" * 40, "1" * 20, "\u4f60" * 20, "\u00e9" * 30, "\U0001f600" * 10,
         "The year is 2026; \u03c0\u22483.14159 \u2014 and 100% of 7/8 isn't 1.", "line one\n  line two\n\n\tline three   \n"]

CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
GPT2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
LLAMA3 = CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
QWEN2 = LLAMA3.replace(r"\p{N}{1,3}", r"\p{N}")
CASED = (r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+@|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+"
         r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]*@|\p{N}#| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+")
GPT4O = CASED.replace("@", CONTRACTIONS + "?").replace("#", "{1,3}")
TEKKEN = CASED.replace("@", "").replace("#", "")
DEEPSEEK_V3 = [r"\p{N}{1,3}", "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+",
               r"""[!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"""]
BAILING = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
QWEN35 = (CONTRACTIONS + r"|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")

RULES = {"gpt-2": [GPT2], "smollm": [r"\p{N}", GPT2], "llama-bpe": [LLAMA3], "qwen2": [QWEN2], "qwen35": [QWEN35], "tekken": [TEKKEN], "gpt-4o": [GPT4O],
         "deepseek-v3": DEEPSEEK_V3, "deepseek-coder": [r"[\r\n]", r"\s?\p{L}+", r"\s?\p{P}+", "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", r"\p{N}"],
         "bailingmoe": [BAILING], "falcon": [r"[\p{P}\$\+<=>\^~\|`]+", GPT2, "[0-9][0-9][0-9]"]}


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def byte_level(prefix=False, regex=False):
    return pre_tokenizers.ByteLevel(add_prefix_space=prefix, use_regex=regex)


def bos(token="<s>", end=None):
    return processors.TemplateProcessing(single=f"{token} $A" + (f" {end}" if end else ""), special_tokens=[(t, i) for i, t in enumerate(["<s>", "</s>"])])


def train(pre, normalizer=None, decoder=decoders.ByteLevel(), post=None, size=420, alphabet=True, added=(), **options):
    tok = Tokenizer(models.BPE(**options))
    if normalizer:
        tok.normalizer = normalizer
    if pre:
        tok.pre_tokenizer = pre
    special = ["<s>", "</s>"] + ([options["unk_token"]] if options.get("unk_token") else [])
    if options.get("byte_fallback"):
        special += [f"<0x{b:02X}>" for b in range(256)]
    tok.train_from_iterator(CORPUS.split("\n\n"), trainers.BpeTrainer(
        vocab_size=size, special_tokens=special, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet() if alphabet else []))
    if options.get("byte_fallback"):  # byte tokens belong to the model, they are not added tokens
        data = json.loads(tok.to_str())
        data["added_tokens"] = [t for t in data["added_tokens"] if not t["content"].startswith("<0x")]
        tok = Tokenizer.from_str(json.dumps(data))
    tok.add_tokens(list(added))
    if decoder:
        tok.decoder = decoder
    if post:
        tok.post_processor = post
    return tok


def sequence(*parts):
    return pre_tokenizers.Sequence(list(parts))


def tokenizers():
    flags = [AddedToken("<mask>", lstrip=True, rstrip=True, special=True, normalized=False), AddedToken("<tool>", special=False, normalized=False),
             AddedToken("word", single_word=True, normalized=True), AddedToken("<|end|>", special=True, normalized=False), AddedToken("<|end", normalized=False)]
    metaspace_decoder = decoders.Sequence([decoders.Replace("\u2581", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)])
    yield "gpt2_flags", train(byte_level(regex=True), added=flags, post=processors.ByteLevel(trim_offsets=False))
    yield "llama3", train(sequence(split(LLAMA3), byte_level()), post=processors.Sequence([processors.ByteLevel(), bos()]), ignore_merges=True, added=flags[3:])
    yield "qwen_nfc", train(sequence(split(QWEN2), byte_level()), normalizer=normalizers.NFC(), post=processors.ByteLevel(),
                            added=[AddedToken("\u00e9token", normalized=True), AddedToken("cafe\u0301", normalized=True)])
    yield "gpt4o_removed", train(sequence(split(GPT4O, "removed", True), byte_level()), post=bos(end="</s>"))
    yield "deepseek", train(sequence(*[split(p) for p in DEEPSEEK_V3], byte_level()), normalizer=normalizers.Sequence([]))
    yield "smollm_holes", train(sequence(pre_tokenizers.Digits(individual_digits=True), byte_level(regex=True)), alphabet=False, size=300)
    yield "falcon_mapped", train(sequence(pre_tokenizers.Punctuation("contiguous"), byte_level(regex=True), pre_tokenizers.Digits(individual_digits=False),
                                          split("[0-9][0-9][0-9]")))
    yield "prefix_space", train(byte_level(prefix=True, regex=True), added=flags[:2])
    yield "llama2_sp", train(None, normalizer=normalizers.Sequence([normalizers.Prepend("\u2581"), normalizers.Replace(" ", "\u2581")]),
                             decoder=metaspace_decoder, post=bos(), alphabet=False, size=450, unk_token="<unk>", fuse_unk=True, byte_fallback=True)
    yield "characters_unk", train(sequence(split(" ", "merged_with_next"), split("[,.]", "merged_with_previous"), split("o", "contiguous")),
                                  normalizer=normalizers.NFKC(), decoder=None, alphabet=False, size=200, unk_token="<unk>")
    yield "characters_fused", train(split(r"\s", "removed"), normalizer=normalizers.Replace(Regex(r"\d+|\s\s"), "#"), decoder=decoders.Fuse(),
                                    alphabet=False, size=150, unk_token="<unk>", fuse_unk=True)


def write(name, rows):
    with open(OUT / name, "w", encoding="utf-8") as f:
        for row in rows:
            f.write(json.dumps(row, ensure_ascii=True, separators=(",", ":")) + "\n")


def tokenizer_rows():
    for name, tok in tokenizers():
        cases = []
        for text in TEXTS:
            tok.encode_special_tokens = False
            ids = tok.encode(text, add_special_tokens=False).ids
            special = tok.encode(text, add_special_tokens=True).ids
            tok.encode_special_tokens = True
            plain = tok.encode(text, add_special_tokens=False).ids
            cases.append([text, ids, special, plain, tok.decode(special, skip_special_tokens=False), tok.decode(special, skip_special_tokens=True)])
        yield {"name": name, "tokenizer": json.loads(tok.to_str()), "cases": cases}


def split_rows():
    for rule, patterns in RULES.items():
        pre = sequence(*[split(p) for p in patterns])
        cuts = []
        for text in TEXTS:
            ends = [len(text[:end].encode()) for _, (_, end) in pre.pre_tokenize_str(text)]
            cuts.append([text, ends])
        yield {"rule": rule, "cuts": cuts}


def smollm2_rows(file):
    import gguf
    fields = {k: f.contents() for k, f in gguf.GGUFReader(file).fields.items() if k.startswith("tokenizer.ggml.")}
    tok = Tokenizer(models.BPE({t: i for i, t in enumerate(fields["tokenizer.ggml.tokens"])}, [tuple(m.split(" ")) for m in fields["tokenizer.ggml.merges"]]))
    tok.pre_tokenizer = sequence(pre_tokenizers.Digits(individual_digits=True), byte_level(regex=True))
    tok.add_tokens([AddedToken(t, special=True, normalized=False) for t, kind in zip(fields["tokenizer.ggml.tokens"], fields["tokenizer.ggml.token_type"]) if kind == 3])
    for text in TEXTS + ["<|im_start|>user\nHi there<|im_end|>\n<|im_start|>assistant\n", "a<|endoftext|>b", CORPUS]:
        yield {"text": text, "ids": tok.encode(text, add_special_tokens=False).ids}


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    write("tokenizers.jsonl", tokenizer_rows())
    write("splits.jsonl", split_rows())
    if len(sys.argv) > 1:
        write("smollm2.jsonl", smollm2_rows(sys.argv[1]))


if __name__ == "__main__":
    main()
