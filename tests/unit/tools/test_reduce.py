"""`--reduce`: an error stays the same on much less IR."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context
from mlc.dialects import graph
from mlc.syntax import parse_module
from mlc.tools.reduce_error import ReducedRun
from mlc.tools.reduce_predicates import PassesOutcome
from mlc.tools.reduce_reproducer import reduce_reproducer
from mlc.tools.reduction import Reducer

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MODEL = """
func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>, %unused: tensor<9xi32>) -> (tensor<4xf32>, tensor<4xf32>)
    attributes {my.note = "long"} {
  %0 = graph.neg %x : tensor<4xf32>
  %1 = graph.relu %0 : tensor<4xf32>
  %2 = graph.add %1, %y : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  %3 = graph.exp %2 : tensor<4xf32>
  %4 = func.call @other(%3) : (tensor<4xf32>) -> tensor<4xf32>
  return %4, %0 : tensor<4xf32>, tensor<4xf32>
}
"""
PASS = '''
from dataclasses import dataclass
from typing import ClassVar
from xdsl.pattern_rewriter import PatternRewriter
from mlc.dialects.graph import ConstantOp, MinOp, ReluOp
from mlc.pass_manager.base import Pass
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32


@dataclass(frozen=True)
class ClampPass(Pass):
    """Clamp what relu gives at 6, which is wrong; fail at exp."""

    name: ClassVar[str] = "clamp"
    fails: bool = False

    def run(self, module, ctx):
        for op in list(module.walk()):
            if self.fails and op.name == "graph.exp":
                raise KeyError(str(op.location))
            if isinstance(op, ReluOp):
                six = ConstantOp(DenseIntOrFPElementsAttr.from_list(TensorType(f32, []), [6.0]))
                new = ReluOp(op.operands[0])
                clamped = MinOp(new.result, six.result)
                PatternRewriter(op).replace(op, [six, new, clamped], clamped.results)
'''


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("clamp.py").write_text(PASS)
    Path("model.mlir").write_text(MODEL)


def _ops(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()][1:]


def test_what_is_interesting_stays() -> None:
    module = parse_module(MODEL, "m.mlir", new_context())
    tried: list[int] = []

    def has_exp(candidate: ModuleOp) -> bool:
        tried.append(len(_ops(candidate)))
        return any(isinstance(op, graph.ExpOp) for op in candidate.walk())

    reducer = Reducer(module, has_exp)
    reducer.reduce()
    assert _ops(reducer.module) == ["func.func", "graph.exp", "func.return"]
    (function,) = reducer.module.ops
    assert str(function) == (
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %0 = graph.exp %x : tensor<4xf32>\n"
        "  func.return %0 : tensor<4xf32>\n}"
    ), "without the result, any pass that cleans up would erase what is looked for"
    assert len(tried) <= reducer.attempts < 60  # what does not verify is not looked at
    reducer.reduce()
    assert _ops(reducer.module) == ["func.func", "graph.exp", "func.return"]


def test_what_nobody_used_before_stays() -> None:
    text = "func.func @main(%x: tensor<4xf32>) {\n  %0 = graph.exp %x : tensor<4xf32>\n  return\n}"
    reducer = Reducer(parse_module(text, "m.mlir", new_context()), lambda m: "graph.exp" in str(m))
    reducer.reduce()
    assert _ops(reducer.module) == ["func.func", "graph.exp", "func.return"]


def test_who_interrupts_gets_the_smallest_until_then(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    outcome, runs = ReducedRun.outcome, list[int]()

    def interrupted(self: ReducedRun, candidate: ModuleOp) -> PassesOutcome:
        runs.append(sum(1 for _ in candidate.walk()))
        if len(runs) == 12:
            raise KeyboardInterrupt
        return outcome(self, candidate)

    monkeypatch.setattr(ReducedRun, "outcome", interrupted)
    found = mlc_opt("model.mlir", "--load-pass=clamp.py", "--clamp=fails=true", "--reduce", "-o", "small.mlir")
    assert found.status == 0
    (ops,) = re.findall(r"^note: interrupted; reduced from 11 to (\d+) ops in \d+ attempts$", found.err, re.MULTILINE)
    assert int(ops) in runs and int(ops) < 11
    assert "graph.exp" in Path("small.mlir").read_text()


@pytest.mark.parametrize(("extent", "contained"), [(4, True), (20_000, False)])
def test_few_weights_are_in_the_text(extent: int, contained: bool, mlc_opt: CommandLine) -> None:
    """So that a reproducer can be moved, and the file of a large model need not go with it."""
    save_file({"w": np.ones(extent, np.float32), "other": np.ones(100_000, np.float32)}, "w.safetensors")
    kind = f"tensor<{extent}xf32>"
    Path("model.mlir").write_text(
        f"func.func @main(%x: {kind}) -> {kind} {{\n"
        f"  %w = graph.constant dense_resource<w> : {kind}\n"
        f"  %0 = graph.add %x, %w : {kind}, {kind} -> {kind}\n"
        f"  %1 = graph.exp %0 : {kind}\n  return %1 : {kind}\n}}\n"
        '{-# external_resources: { mlc: { w: "w.safetensors" } } #-}'
    )
    Path("weights.py").write_text(PASS.replace("graph.exp", "graph.constant"))
    found = mlc_opt("model.mlir", "--load-pass=weights.py", "--clamp=fails=true", "--reduce", "-o", "small.mlir")
    assert found.status == 0, found.err
    text = Path("small.mlir").read_text()
    assert ("external_resources" not in text, "graph.constant" in text) == (contained, True), text
    if contained:
        Path("w.safetensors").unlink()
    assert "failed with KeyError" in mlc_opt("--run-reproducer", "--allow-plugins", "small.mlir").err


def test_attempts_are_limited() -> None:
    module = parse_module(MODEL, "m.mlir", new_context())
    reducer = Reducer(module, lambda _: False, most_attempts=5)
    reducer.reduce()
    assert reducer.attempts == 5
    assert reducer.module is module


@pytest.mark.parametrize(
    ("options", "kept"),
    [(["--clamp=fails=true"], "graph.exp"), (["--canonicalize", "--clamp", "--check-each"], "graph.relu")],
)
def test_an_error_of_a_pass(options: list[str], kept: str, mlc_opt: CommandLine) -> None:
    options = ["--load-pass=clamp.py", *options]
    first = mlc_opt("model.mlir", *options)
    assert first.status != 0
    reduced = mlc_opt("model.mlir", *options, "--reduce", "-o", "small.mlir")
    assert reduced.status == 0
    assert re.fullmatch(r"note: reduced from 11 to \d ops in \d+ attempts\n", reduced.err)
    text = Path("small.mlir").read_text()
    assert re.match("// mlc-opt '?--load-pass=", text) and text.count("graph.") == 1 and kept in text
    again = mlc_opt("--run-reproducer", "--allow-plugins", "small.mlir")
    assert again.status == first.status
    pattern = r"-?\d[\d.e+-]*|\binf\b|\[.*\]|'\S[^']*'|/\S+"
    assert re.sub(pattern, "", again.err.splitlines()[0]) == re.sub(pattern, "", first.err.splitlines()[0])


def test_errors_of_equal_words_are_not_the_same(mlc_opt: CommandLine) -> None:
    """What is compared is where an error is raised, and what it is about."""
    Path("two.py").write_text(
        "from dataclasses import dataclass\n"
        "from mlc.pass_manager.base import Pass\n"
        "from mlc.support.errors import UserError\n\n\n"
        "@dataclass(frozen=True)\n"
        "class TwoPass(Pass):\n"
        '    """Refuse exp, and tanh."""\n\n'
        "    name = 'two'\n\n"
        "    def run(self, module, ctx):\n"
        "        names = [op.name for op in module.walk()]\n"
        "        if 'graph.exp' in names:\n"
        "            raise UserError('found one; required: none')\n"
        "        if 'graph.tanh' in names:\n"
        "            raise UserError('found one; required: none')\n"
    )
    assert mlc_opt("model.mlir", "--load-pass=two.py", "--two", "--reduce", "-o", "small.mlir").status == 0
    text = Path("small.mlir").read_text()
    assert "graph.exp" in text and "graph.tanh" not in text


def test_a_reproducer_is_reduced(mlc_opt: CommandLine) -> None:
    result = mlc_opt("model.mlir", "--load-pass=clamp.py", "--clamp=fails=true")
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert f"reproducer: {reproducer.absolute()}" in result.err
    refused = mlc_opt("--run-reproducer", str(reproducer))
    assert refused.status == 1
    assert re.search(r"' runs the Python files .*clamp\.py; required: --allow-plugins, if you trust them", refused.err)
    again = "--run-reproducer", "--allow-plugins"
    assert mlc_opt(*again, "--reduce", str(reproducer), "-o", str(reproducer.with_name("s.mlir"))).status == 0
    small = reproducer.with_name("s.mlir").read_text()
    assert small.count("graph.") == 1
    assert mlc_opt(*again, str(reproducer.with_name("s.mlir"))).status == result.status


def test_without_an_error_there_is_nothing_to_keep(mlc_opt: CommandLine) -> None:
    result = mlc_opt("model.mlir", "--cse", "--reduce")
    assert (result.status, result.err) == (
        1,
        "mlc-opt: error: --reduce keeps an error, and the passes end without one\n",
    )


def test_reproducers_of_bugs_are_small(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_REDUCE_SECONDS", "100")
    result = mlc_opt("model.mlir", "--load-pass=clamp.py", "--canonicalize", "--clamp", "--check-each")
    assert result.status == 70
    (whole,) = re.findall(r"^  reproducer: (.*)$", result.err, re.MULTILINE)
    (small,) = re.findall(r"^  reduced from 11 to \d ops in \d+ attempts: (.*)$", result.err, re.MULTILINE)
    assert {each.name for each in Path("mlc-reproducers").glob("*.mlir")} == {Path(whole).name, Path(small).name}
    reproducer, text = Path(small), Path(small).read_text()
    assert re.match("// mlc-opt '?--load-pass=", text) and text.count("graph.") == 1 and "graph.relu" in text
    again = mlc_opt("--run-reproducer", "--allow-plugins", str(reproducer), "--reduce")
    assert again.err.startswith("note: reduced from ")


@pytest.mark.slow
def test_what_was_found_in_time_counts(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_REDUCE_SECONDS", "20")
    Path("slow.py").write_text(PASS.replace("        for op", "        __import__('time').sleep(2)\n        for op"))
    result = mlc_opt("model.mlir", "--load-pass=slow.py", "--canonicalize", "--clamp", "--check-each")
    said = (
        r"^  interrupted; reduced from 11 to (\d+) ops in \d+ attempts: .*; to take longer: mlc-opt --run-reproducer "
    )
    (ops,) = re.findall(said, result.err, re.MULTILINE)
    assert int(ops) < 11


def test_reducing_a_reproducer_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bug.mlir"
    monkeypatch.setenv("MLC_REDUCE_SECONDS", "1")
    Path("slow.py").write_text("import time\ntime.sleep(30)\n")
    for text, outcome in (
        ("// mlc-opt --load-pass=slow.py\n", "not reduced within 1 s; to take longer: mlc-opt --run-reproducer "),
        ("no reproducer", "not reduced"),
    ):
        path.write_text(text)
        start = time.perf_counter()
        assert reduce_reproducer(path).startswith(outcome)
        assert time.perf_counter() - start < 20
        assert path.read_text() == text
    assert [file.name for file in tmp_path.glob("bug*")] == ["bug.mlir"]


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        (["--clamp=fails=true", "--reduce-while=crashes"], "graph.exp"),
        (["--canonicalize", "--clamp", "--reduce-while=differs"], "graph.relu"),
        (["--clamp=fails=true", "--reduce-while=message=failed with KeyError"], "graph.exp"),
    ],
)
def test_something_else_is_kept(options: list[str], kept: str, mlc_opt: CommandLine) -> None:
    reduced = mlc_opt("model.mlir", "--load-pass=clamp.py", *options, "-o", "small.mlir")
    assert reduced.status == 0, reduced.err
    text = Path("small.mlir").read_text()
    assert text.count("graph.") == 1 and kept in text
    assert mlc_opt("--run-reproducer", "--allow-plugins", "small.mlir").status in (1, 70)


def test_passes_that_take_long(mlc_opt: CommandLine) -> None:
    reduced = mlc_opt("model.mlir", "--cse", "--reduce-while=slower=0")
    assert (reduced.status, reduced.out.count("graph.")) == (0, 0)
    assert "// the passes take more than 0 s\n" in reduced.out
    Path("slow.mlir").write_text(reduced.out)
    again = mlc_opt("--run-reproducer", "slow.mlir")
    assert (again.status, again.err) == (0, "")  # there was no error


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--cse", "--reduce-while=differs"], "--reduce-while keeps that the passes change a value, and they do not"),
        (["--cse", "--reduce-while=crashes"], "--reduce-while keeps that the passes fail, and they do not"),
        (
            ["--reduce-while=shrinks"],
            "found --reduce-while shrinks; required: differs, crashes, message=REGEX, slower=SECONDS or script=FILE",
        ),
        (["--reduce-while=message=("], "found --reduce-while message=(; required: a regular expression ("),
        (["--reduce-while=slower=soon"], "found --reduce-while slower=soon; required: a number of seconds"),
        (
            ["--reduce-while=script=nowhere"],
            "--reduce-while script=nowhere: No such file or directory; required: a program that can be run (chmod +x)",
        ),
        (
            ["--cse", "--reduce-while=script=s"],
            "--reduce-while script=s runs what it needs itself; leave out the passes",
        ),
    ],
)
def test_nothing_to_keep(options: list[str], message: str, mlc_opt: CommandLine) -> None:
    found = mlc_opt("model.mlir", *options)
    assert (found.status, found.out) == (1, "")
    assert found.err.startswith(f"mlc-opt: error: {message}")
