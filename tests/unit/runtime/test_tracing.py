"""Traces: which kernels ran when, on which threads, in Python and from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.compiler.traced_calls import trace_calls
from mlc.support.errors import UserError
from mlc.syntax import parse_module

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MODEL = """
func.func @main(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %x, %x : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %1 = graph.softmax %0 axis 1 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}
"""
KERNELS = {"main", "matmul", "softmax"}
X = np.random.default_rng(0).uniform(-1, 1, (64, 64)).astype(np.float32)


@pytest.fixture(scope="module")
def traced() -> mlc.Model:
    """A model that can record its kernels, whose loops run on two threads."""
    return mlc.compile(MODEL, instrument="kernels", threads=2, opt_level=1)


def test_kernels_run_inside_of_the_model_and_one_after_the_other(traced: mlc.Model) -> None:
    with mlc.trace(traced) as recorded:
        first, second = traced(X), traced(X)
    assert np.array_equal(first, second)
    assert np.array_equal(first, mlc.compile(MODEL, threads=2, opt_level=1)(X))  # what it computes is the same
    assert recorded.lost == 0
    runs = {name: [s for s in recorded.spans if s.name == name] for name in KERNELS}
    assert [len(runs[name]) for name in ("main", "matmul", "softmax")] == [2, 2, 2]
    for main, matmul, softmax in zip(runs["main"], runs["matmul"], runs["softmax"], strict=True):
        ends = [span.start + span.seconds for span in (matmul, softmax, main)]
        assert 0 <= main.start <= matmul.start <= ends[0] <= softmax.start <= ends[1] <= ends[2]
        assert main.seconds < 10
        assert main.thread == matmul.thread == softmax.thread
    others = {span.name for span in recorded.spans} - KERNELS
    assert others <= {"share of a loop", "wait for threads"}


def test_nothing_is_recorded_when_nobody_asks(traced: mlc.Model) -> None:
    with mlc.trace(traced) as recorded:
        pass
    traced(X)
    assert recorded.spans == []


def test_events_without_room_are_counted(traced: mlc.Model) -> None:
    with mlc.trace(traced, most=2) as recorded:
        traced(X)
    assert len(recorded.spans) == 2
    assert recorded.lost >= 1


def test_the_file_is_that_of_chrome(traced: mlc.Model, tmp_path: Path) -> None:
    with mlc.trace(traced) as recorded:
        traced(X)
    recorded.about = {"matmul": {"flops": 12}}
    recorded.save(tmp_path / "t.json")
    events = json.loads((tmp_path / "t.json").read_text())["traceEvents"]
    (matmul,) = (each for each in events if each["name"] == "matmul")
    assert matmul["ph"] == "X" and matmul["args"] == {"flops": 12} and matmul["dur"] > 0


def test_a_model_that_is_not_traced_has_nothing_of_it() -> None:
    plain = mlc.compile(MODEL, opt_level=1)
    assert b"mlc_trace" not in plain.path.read_bytes()
    with pytest.raises(ValueError, match=r"records nothing; required: a model compiled with --instrument kernels"):
        mlc.trace(plain).__enter__()
    with pytest.raises(ValueError, match=r"found a str; required: a model of one shape"):
        mlc.trace("model").__enter__()  # pyright: ignore[reportArgumentType]


def test_calls_of_kernels_are_enclosed() -> None:
    text = """
    llvm.func @outside()
    llvm.func weak_odr hidden @kernel() {
      llvm.return
    }
    llvm.func @mlc_main() {
      llvm.call @kernel() : () -> ()
      llvm.call @outside() : () -> ()
      llvm.return
    }
    """
    ctx = new_context()
    module = parse_module(text, "m.mlir", ctx)
    assert trace_calls(module, "mlc_main") == ("main", "kernel")
    called = [op.callee.string_value() for op in module.walk() if op.name == "llvm.call"]  # pyright: ignore
    start, end = "mlc_trace_start", "mlc_trace_end"
    assert called == [start, start, "kernel", end, "outside", end]
    with pytest.raises(UserError, match="for a target whose code is not made by LLVM; leave it out"):
        trace_calls(module, "mlc_other")


def test_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mlc: CommandLine) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MODEL)
    np.savez("in.npz", x=X)
    found = mlc("run", "m.mlir", "--inputs=in.npz", "-O2", "--repeat=1", "--trace=t.json", "-o", "m.so")
    assert found.status == 0, found.err
    assert "trace: t.json, 3 events of 1 call\n" in found.out
    events = json.loads(Path("t.json").read_text())["traceEvents"]
    (matmul,) = (each["args"] for each in events if each["name"] == "matmul")
    assert matmul["flops"] == 2 * 64**3 and matmul["bytes"] == 2 * 64 * 64 * 4 and matmul["estimated_us"] > 0
    assert mlc("run", "m.so", "--inputs=in.npz", "--repeat=1", "--trace=again.json").status == 0
    assert {e["name"] for e in json.loads(Path("again.json").read_text())["traceEvents"]} == KERNELS


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--compare=m.mlir"],
            "'m.mlir' is not a trace; required: a file that 'mlc run --trace' or mlc.trace has written",
        ),
        (["--compare=words.json"], "'words.json' is not a trace"),
        (["--compare=no.json"], "cannot read 'no.json': No such file or directory"),
        (["--compare=other.json"], "found 'else' in the trace; required: one of the model's kernels, matmul, softmax"),
        (
            ["--compare=larger.json"],
            "the trace is of another model, or of other options: it has a kernel 'matmul' with 1,000 flops; the model "
            "has one with 524,288 flops",
        ),
        (["--compare=more.json"], "it has a kernel 'conv' with 7 flops; the model has none of that name"),
        (["--compare=other.json", "matmul"], "found --compare with a kernel or --estimates; required: --compare alone"),
    ],
)
def test_what_is_no_trace_of_the_model(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mlc: CommandLine
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MODEL)
    Path("other.json").write_text('{"traceEvents": [{"ph": "X", "name": "else", "dur": 1}]}')
    of = '{{"ph": "X", "name": "{}", "dur": 1, "args": {{"flops": {}}}}}'
    for name, kernels in (("larger", [("matmul", 1000)]), ("more", [("matmul", 2 * 64**3), ("conv", 7)])):
        events = ", ".join(of.format(*each) for each in kernels)
        Path(f"{name}.json").write_text(f'{{"traceEvents": [{events}]}}')
    event = of.format("matmul", '"12"')
    Path("words.json").write_text(f'{{"traceEvents": [{event}]}}')
    found = mlc("explain", "m.mlir", *words)
    assert found.status == 1
    assert message in found.err
