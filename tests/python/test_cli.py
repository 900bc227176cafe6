"""The program's commands as people and scripts use them, with good input and bad."""

import json
import os
import pty
import shutil
import struct
import subprocess
import time

import pytest
from conftest import DATA, ROOT, SHARED

MODEL = ROOT / ".deps/models/smollm2.gguf"


def fails(result, code, *words):
    """One line on standard error that says what and the cure."""
    assert result.returncode == code, (result.returncode, result.stderr)
    assert result.stderr.startswith("xylem: ")
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1 or (code == 2 and lines[1].startswith("Try ")), result.stderr
    for word in words:
        assert word in lines[0], lines[0]


# ---------------------------------------------------------------- good input


def test_devices(xylem):
    report = json.loads(xylem.ok("devices", "--json"))
    assert report["chosen"].endswith("pjrt_cpu.so")
    cpu = [p for p in report["plugins"] if p["path"] == report["chosen"]][0]
    assert cpu["platform"] == "cpu" and cpu["pjrt_api"] == "0.115" and cpu["devices"]
    assert "pjrt_cpu.so" in xylem.ok("devices")


def test_inspect(xylem):
    report = json.loads(xylem.ok("inspect", "smollm2", "--json"))
    assert len(report["tensors"]) == 272
    assert report["metadata"]["general.architecture"] == "llama"
    assert "token_embd.weight" in xylem.ok("inspect", "smollm2")


def test_generate_many_prompts_in_one_batch(xylem, tmp_path):
    file = tmp_path / "prompts"
    file.write_text('Name a tree.\n"Two\\nlines"\n')
    answers = xylem.jsonl("generate", "smollm2", "-f", file, "--json", "--max-tokens", "5")
    assert len(answers) == 2
    for answer in answers:
        assert set(answer) >= {"prompt_token_ids", "token_ids", "text", "finish_reason", "timings"}
        assert set(answer["timings"]) == {"load_s", "ttft_s", "prefill_tokens_per_s",
                                          "decode_tokens_per_s"}


def one(xylem, *arguments):
    return xylem.jsonl("generate", "smollm2", "-p", "Once upon a time", "--raw", "--json",
                       *arguments)[0]


def test_sampling_parameters(xylem):
    greedy = one(xylem, "--temperature", "0", "--max-tokens", "12")
    assert one(xylem, "--temperature", "1", "--top-k", "1", "--max-tokens", "12")[
        "token_ids"] == greedy["token_ids"]
    hot = ["--temperature", "1.5", "--max-tokens", "12", "--seed"]
    assert one(xylem, *hot, "7")["token_ids"] == one(xylem, *hot, "7")["token_ids"]
    assert one(xylem, *hot, "7")["token_ids"] != one(xylem, *hot, "8")["token_ids"]
    forced = one(xylem, "--temperature", "0", "--max-tokens", "3", "--logit-bias", "42:100")
    assert forced["token_ids"] == [42, 42, 42] and forced["finish_reason"] == "length"


def test_stop_strings_cut_before_the_match(xylem):
    text = one(xylem, "--temperature", "0", "--max-tokens", "30")["text"]
    stop = text[20:27]
    answer = one(xylem, "--temperature", "0", "--max-tokens", "30", "--stop", stop)
    assert answer["text"] == text[: text.index(stop)]
    assert answer["finish_reason"] == "stop"


def test_tokenize_reference(xylem):
    file = SHARED / "tokenizers/smollm2.jsonl"
    if not file.exists():  # the C++ tests hold our own cases
        file = None
    strings = ["Hello world", "  two  spaces", "<|im_start|>user\n", "日本語", ""]
    expected = None
    if file:
        rows = [json.loads(line) for line in file.read_text().splitlines()]
        rows = [row for row in rows if "ids" in row]
        strings, expected = [row["text"] for row in rows], rows
    answers = xylem.jsonl("tokenize", "smollm2", "--jsonl",
                          stdin="".join(json.dumps(s) + "\n" for s in strings))
    assert len(answers) == len(strings)
    for text, answer in zip(strings, answers):
        assert answer["decoded"] == text
    for row, answer in zip(expected or [], answers):
        assert answer["ids"] == row["ids"], row["text"]


@pytest.mark.skipif(not SHARED.exists(), reason="covered by the C++ tests of tests/data/jinja")
def test_chat_templates(xylem):
    files = sorted((SHARED / "chat").glob("*.jsonl"))
    assert len(files) == 27
    for file in files:
        head, *cases = [json.loads(line) for line in file.read_text().splitlines()]
        requests = [{"tokens": head["tokens"], "now": head["now"], **case} for case in cases]
        answers = xylem.jsonl("template", SHARED / "chat/templates" / f"{head['name']}.jinja",
                              "--jsonl", stdin="".join(json.dumps(r) + "\n" for r in requests))
        for case, answer in zip(cases, answers, strict=True):
            assert answer.get("rendered") == case.get("rendered"), (head["name"], case["case"])
            assert ("error" in answer) == ("rendered" not in case)


# ---------------------------------------------------------------- chat


def test_chat_piped(xylem):
    result = xylem.run("chat", "smollm2", "--temperature", "0", "--max-tokens", "24",
                       stdin="What is 2+2?\n/reset\nWhat is 2+2?\n")
    assert result.returncode == 0, result.stderr
    answers = [line for line in result.stdout.strip().split("\n") if line]
    assert answers[: len(answers) // 2] == answers[len(answers) // 2 :]


def read_until(terminal, text, seconds=60):
    seen, end = "", time.time() + seconds
    while text not in seen and time.time() < end:
        try:
            seen += os.read(terminal, 4096).decode(errors="replace")
        except OSError:
            break
    assert text in seen, seen
    return seen


def test_ctrl_c_stops_the_answer_and_not_the_program(xylem):
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "dumb"
        os.execv(xylem.path, [xylem.path, "chat", "smollm2", "--temperature", "0",
                              "--max-tokens", "2000"])
    read_until(terminal, "ready in")
    os.write(terminal, b"Tell a very long story about the sea.\n")
    time.sleep(1.5)
    os.write(terminal, b"\x03")
    read_until(terminal, "[stopped]")
    os.write(terminal, b"/reset\n")
    read_until(terminal, "forgotten")
    os.write(terminal, b"/exit\n")
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


# ---------------------------------------------------------------- bad input


def test_usage(xylem):
    fails(xylem.run(), 2, "subcommand")
    fails(xylem.run("fly"), 2, "fly")
    fails(xylem.run("generate"), 2, "MODEL")
    fails(xylem.run("generate", "smollm2", "--nonsense"), 2, "--nonsense")
    fails(xylem.run("generate", "smollm2"), 1, "-p TEXT")
    fails(xylem.run("generate", "smollm2", "-p", "x", "--temperature", "-1"), 1, "temperature")


def broken(folder, name, data):
    path = folder / f"{name}.gguf"
    path.write_bytes(data)
    return path


def test_broken_files(xylem, tmp_path):
    data = MODEL.read_bytes()
    for name, contents, word in [
        ("truncated", data[: len(data) // 2], "truncated.gguf"),
        ("header", data[:100], "header.gguf"),
        ("empty", b"", "empty.gguf"),
        ("magic", b"NOPE" + data[4:4096], "magic.gguf"),
        ("length", data[:24] + struct.pack("<Q", 1 << 62) + data[32:4096], "length.gguf"),
        ("count", data[:8] + struct.pack("<Q", 1 << 60) + data[16:4096], "count.gguf"),
        ("architecture", data.replace(b"\x05\0\0\0\0\0\0\0llama", b"\x05\0\0\0\0\0\0\0lamax", 1),
         "lamax"),
    ]:
        fails(xylem.run("generate", broken(tmp_path, name, contents), "-p", "x"), 1, word)


def test_names_and_folders(xylem, tmp_path):
    fails(xylem.run("generate", "no-such-model", "-p", "x"), 1, "no-such-model", "smollm2")
    fails(xylem.run("generate", tmp_path, "-p", "x"), 1, str(tmp_path))
    folder = tmp_path / "model"
    shutil.copytree(DATA / "llama", folder)
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    del tokenizer["model"]["merges"]
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer))
    fails(xylem.run("generate", folder, "-p", "x", "--raw"), 1, "merges")
    (folder / "config.json").write_text('{"model_type": "unheard_of"}')
    shutil.copy(DATA / "llama/tokenizer.json", folder)
    fails(xylem.run("generate", folder, "-p", "x", "--raw"), 1, "unheard_of", "llama")


def test_templates_that_misbehave(xylem, tmp_path):
    for text, word in [
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "recurs"),
        ("{{ raise_exception('not today') }}", "not today"),
        ("{% for x in %}", "default:1: "),
        ("{% for i in range(1000000000) %}{{ i }}{% endfor %}", "t.jinja"),
    ]:
        file = tmp_path / "t.jinja"
        file.write_text(text)
        fails(xylem.run("template", file, "-p", "x"), 1, word)


def test_limits(xylem):
    long = "word " * 300
    fails(xylem.run("generate", "smollm2", "-p", long, "--raw", "--max-model-len", "128"), 1,
          "--max-model-len")
    fails(xylem.run("generate", "smollm2", "-p", "x", "--max-model-len", "100000"), 1,
          "max_model_len")
    fails(xylem.run("generate", "smollm2", "-p", "x", "--kv-cache-memory-bytes", "1000"), 1,
          "kv_cache_memory_bytes")


def test_no_free_memory(xylem):
    if xylem.sanitized:
        pytest.skip("a sanitizer reserves address space without bound")
    limit = 'ulimit -v 900000; exec "$0" "$@"'
    result = subprocess.run(["bash", "-c", limit, xylem.path, "generate", "smollm2", "-p", "x"],
                            capture_output=True, text=True, timeout=120)
    assert result.returncode == 1, (result.returncode, result.stderr)
    assert result.stderr.startswith("xylem: "), result.stderr


def test_devices_that_are_none(xylem):
    for device in ("/etc/hostname", "toaster", "/no/such/file.so"):
        fails(xylem.run("generate", "smollm2", "-p", "x", env={"XYLEM_DEVICE": device}), 1, device)


def test_a_cache_that_cannot_be_written_is_a_warning(xylem, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    result = xylem.run("generate", "smollm2", "-p", "Hi", "--max-tokens", "2",
                       env={"XYLEM_CACHE_DIR": str(file / "cache")})
    assert result.returncode == 0
    assert result.stderr.count("XYLEM_CACHE_DIR") == 1


def test_plugins_install_names_the_choices(xylem):
    fails(xylem.run("plugins", "install", "abacus"), 1, "abacus", "cpu, cuda13, tpu")


def test_compile_without_the_compiler_says_how_to_get_it(xylem, tmp_path):
    result = xylem.run("compile", "smollm2", "--topology", "v6e:1x1",
                       env={"XDG_DATA_HOME": str(tmp_path), "XYLEM_PLUGIN_PATH": ""})
    fails(result, 1, "xylem plugins install tpu")
