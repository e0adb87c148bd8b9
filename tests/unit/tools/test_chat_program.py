"""`mlc compile model.gguf -o chat --chat`: a program that answers as `mlc chat` does."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("gguf")
pytest.importorskip("jinja2")
pytest.importorskip("tokenizers")

from mlc.tests.numeric.gguf.real_models import smollm2
from mlc.tests.numeric.gguf.tiny_models import CONTEXT, write_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_LONG = 160
_TEMPLATE = "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>{% endfor %}<|im_start|>"


def _written(path: Path, name: str = "llama", template: str = _TEMPLATE, context: int = _LONG) -> Path:
    write_model(path, name, "Q4_0", with_texts=template, context=context)
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _written(tmp_path_factory.mktemp("models") / "model.gguf")


@pytest.fixture(scope="module")
def program(model: Path) -> Path:
    from mlc.tools.mlc import main

    output = model.with_name("a chat")
    assert main(["compile", str(model), "-o", str(output), "--chat"]) == 0
    return output


def _ran(program: Path, *options: str, lines: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([program, *options], input=lines, capture_output=True, timeout=60, check=False)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "options",
    [
        ("-n", "6", "--temperature", "0"),
        ("-n", "9", "--seed", "7"),
        ("-n", "9", "--temperature", "3", "--top-k", "0", "--top-p", "1", "--min-p", "0", "--seed", "2"),
        ("-n", "8", "--system", " be brief ", "--repetition-penalty", "1.5", "--frequency-penalty", "0.25"),
        ("-n", "0"),
        (
            "-n",
            "30",
            "--temperature",
            "9",
            "--seed",
            "4",
            "--stop",
            "ab",
            "--stop",
            "Z+",
            "--stop",
            "h",
            "--stop",
            "\u3042",
        ),
    ],
)
def test_answers_are_those_of_the_command(
    mlc: CommandLine, model: Path, program: Path, options: tuple[str, ...]
) -> None:
    lines = "hello <|im_end|> world\r\nhe\tllo  \n wä\u3042\U000f0000 1234\nx\n\nnot read\n"
    expected = mlc("chat", str(model), *options, stdin=lines.replace("\r\n", "\n"))
    found = _ran(program, *options, lines=lines.encode())
    assert expected.status == found.returncode == 0 and not found.stderr
    assert found.stdout.decode() == expected.out and len(expected.out.split("\n")) >= 5


@pytest.mark.slow
def test_a_context_without_chunks(mlc: CommandLine, tmp_path: Path) -> None:
    """A model for one token at a time; the answer ends with the context."""
    path, output = _written(tmp_path / "model.gguf", "gemma3", "{{ messages[0].content }}", 12), tmp_path / "chat"
    result = mlc("compile", str(path), "-o", str(output), "--chat")
    assert result.status == 1 and "it leaves out or changes what a message" in result.err and not output.exists()
    path = _written(path, "gemma3", "{% for m in messages %}{{ m.content }}{% endfor %}", 12)
    assert mlc("compile", str(path), "-o", str(output), "--chat").status == 0
    expected = mlc("chat", str(path), "--temperature", "9", stdin="hello\n")
    found = _ran(output, "--temperature", "9", lines=b"hello")
    assert found.stdout.decode() == expected.out and not found.returncode
    found = _ran(output, lines=b"o" * 13)
    assert found.returncode == 1
    assert found.stderr == b"error: found 13 tokens to read; required: 1 to 12, which the context has left\n"
    found = _ran(output, lines=b"o" * 100_000)
    assert found.returncode == 1
    assert found.stderr == b"error: the conversation has more characters than the context can hold\n"


@pytest.mark.slow
@pytest.mark.parametrize("start", ["", "<|im_start|>"])
def test_a_token_that_all_texts_start_with(mlc: CommandLine, start: str, tmp_path: Path) -> None:
    """Once, whether the template has it or not."""
    path, output = tmp_path / "model.gguf", tmp_path / "chat"
    template = start + "{% for m in messages %}{{ m.content }}{% endfor %}"
    write_model(path, "gpt2", "Q8_0", with_texts=template, has_start=True)
    assert mlc("compile", str(path), "-o", str(output), "--chat").status == 0
    expected = mlc("chat", str(path), "--temperature", "9", stdin="hello\nx\n")
    assert _ran(output, "--temperature", "9", lines=b"hello\nx\n").stdout.decode() == expected.out
    found = _ran(output, lines=b"o" * 30)
    assert b"found 31 tokens to read" in found.stderr


@pytest.mark.slow
def test_what_a_program_says(program: Path) -> None:
    """Its size is for `docs/language-models.md`; bytes that are not UTF-8 are replacement characters."""
    assert program.stat().st_size < 600_000, "the weights are a tenth of that, and the rest is tables and code"
    helped = _ran(program, "--help")
    assert helped.returncode == 0 and b"--repetition-penalty" in helped.stdout
    for options, words in (
        (("--what", "1"), "error: found --what; required: one of these options\nusage: "),
        (("--seed",), "error: found --seed; required: one of these options, with its value\nusage: "),
    ):
        found = _ran(program, *options)
        assert found.returncode == 2 and found.stderr.decode().startswith(words)
    for options, words in (
        (("--top-p", "2"), "found --top-p 2; required: a number in the range that --help says"),
        (("--temperature", "-1"), "found --temperature -1; required: a number in the range"),
        (("--temperature", "a"), "found --temperature a; required: a decimal number"),
        (("--min-p", "0.1234567890123456"), "required: a number of at most 15 digits"),
        (("-n", "1x"), "found -n 1x; required: a whole number below 10^18"),
        (("--stop", ""), "error: found an empty --stop; required: a text"),
    ):
        found = _ran(program, *options)
        assert found.returncode == 1 and words in found.stderr.decode()
    shown = _ran(program, "-n", "2", "--speed", lines=b"\xff\xc3(\n")
    assert shown.stdout == _ran(program, "-n", "2", lines="\ufffd\ufffd(\n".encode()).stdout
    assert b"read: " in shown.stderr and b"written: 1 tokens" in shown.stderr


def test_user_errors(mlc: CommandLine, tmp_path: Path) -> None:
    path = _written(tmp_path / "model.gguf", context=CONTEXT)
    text = tmp_path / "model.mlir"
    text.write_text("func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }")
    output = str(tmp_path / "chat")
    for arguments, words in (
        ((str(text), "-o", output), f"found --chat with '{text}'; required: a language model in a file of GGUF"),
        ((str(path), "-o", "m.so"), "found --chat with -o m.so; required: one program, whose name has no suffix"),
        ((str(path), "-o", output, "-o", "m.so"), "found --chat with 2 outputs; required: one program"),
        ((str(path), "-o", output, "--shape", "n=4"), "required: --shape context=N at most"),
        ((str(path), "-o", output, "--shape", "context=99"), f"found a context of 99 tokens; required: 1 to {CONTEXT}"),
    ):
        result = mlc("compile", *arguments, "--chat")
        assert result.status == 1 and words in result.err


@pytest.mark.slow
def test_a_real_chat(mlc: CommandLine, tmp_path: Path) -> None:
    path, output = smollm2(), tmp_path / "chat"
    assert mlc("compile", str(path), "-o", str(output), "--chat", "--shape", "context=256").status == 0
    lines = "What is the capital of France?\nWrite a line\U000f0000 about crème brûlée.\n"
    for options in (("-n", "20", "--temperature", "0"), ("-n", "30", "--seed", "5", "--temperature", "1.1")):
        expected = mlc("chat", str(path), "--context", "256", *options, stdin=lines)
        assert _ran(output, *options, lines=lines.encode()).stdout.decode() == expected.out
