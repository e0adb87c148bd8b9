"""Where the passes of plugins run in pipelines, and what comes out of compilations with them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mlc
from mlc.pass_manager.named_pipelines import named_pipeline
from mlc.pass_manager.pipeline import PIPELINE, default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.plugins import load_pass
from mlc.runtime import load
from mlc.support.additions import plugin_scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import CommandLine

_PASS = """
from dataclasses import dataclass
from mlc.dialects import graph
from mlc.pass_manager.base import Pass, PipelinePlace
from xdsl.pattern_rewriter import PatternRewriter


@dataclass(frozen=True)
class ToPass(Pass):
    name = "{name}"
    place = PipelinePlace({place})

    def run(self, module, ctx):
        for op in list(module.walk()):
            if isinstance(op, graph.ReluOp):
                PatternRewriter(op).replace(op, graph.{op}(op.input))
"""
_RELU = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.relu %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
_BEFORE_FUSE = 'before="fuse"'
_SEEN = f'{_BEFORE_FUSE}, reason="to see"'
_X = np.array([-2, 0, 3], np.float32)


@pytest.fixture(autouse=True)
def own_plugins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with plugin_scope():
        yield


def _write(name: str, place: str, op: str = "AbsOp") -> str:
    Path(f"{name}.py").write_text(_PASS.format(name=name, place=place, op=op))
    return f"{name}.py"


def _around(opt_level: int, anchor: str) -> list[str]:
    """The passes of a default pipeline: three before one of them, itself, and three behind it."""
    passes = [step.passes for step in default_steps(PipelineOptions(opt_level=opt_level))]
    place = passes.index(anchor)
    return passes[place - 3 : place + 4]


def test_what_has_one_place_keeps_its_order() -> None:
    for name, place in (
        ("two", 'after="one"'),  # which comes later
        ("one", _BEFORE_FUSE),
        ("three", _BEFORE_FUSE),
        ("four", 'after="fuse"'),
        ("five", 'after="fuse"'),
    ):
        load_pass(_write(name, place))
    assert _around(3, "fuse") == ["one", "two", "three", "fuse", "four", "five", "convert-graph-to-tensor"]


def test_a_pass_runs_where_the_other_one_runs() -> None:
    load_pass(_write("one", _BEFORE_FUSE))
    load_pass(_write("two", 'before="convert-graph-to-tensor", since=2'))
    load_pass(_write("three", 'before="convert-graph-to-tensor"'))
    placed = {
        level: [s.passes for s in default_steps(PipelineOptions(opt_level=level)) if s.origin] for level in range(4)
    }
    assert placed == {0: ["three"], 1: ["one", "three"], 2: ["one", "two", "three"], 3: ["one", "two", "three"]}
    named = named_pipeline("lower-to-tensor")
    assert named is not None
    assert [s.passes for s in named.stages if s.origin] == ["three"]
    assert [s.level for s in default_steps(PipelineOptions(opt_level=3)) if s.origin] == ["graph"] * 3


def test_pipelines_that_stop_or_start_somewhere() -> None:
    """A compilation runs its pipeline in parts: each pass in one of them."""
    load_pass(_write("one", 'after="convert-graph-to-tensor"'))
    load_pass(_write("two", 'before="convert-loop-to-llvm"'))
    load_pass(_write("three", 'after="convert-loop-to-llvm"'))
    load_pass(_write("four", 'before="convert-onnx-to-graph"'))
    parts = [
        default_steps(PipelineOptions(opt_level=3), upto="loop"),
        default_steps(PipelineOptions(opt_level=3), upto="llvm", after="loop"),
    ]
    assert [[s.passes for s in part if s.origin] for part in parts] == [["four", "one", "two"], ["three"]]
    assert [*parts[0], *parts[1]] == default_steps(PipelineOptions(opt_level=3))


def test_the_first_of_several_counts() -> None:
    load_pass(_write("one", 'before="cse"'))
    passes = [step.passes for step in default_steps(PipelineOptions(opt_level=3))]
    assert passes.count("cse") == 2
    assert passes.count("one") == 1
    assert passes.index("one") + 1 == passes.index("cse")


def test_without_plugins_pipelines_are_those_of_mlc() -> None:
    load_pass(_write("one", _BEFORE_FUSE))
    with_one = default_steps(PipelineOptions(opt_level=3))
    with plugin_scope():
        assert default_steps(PipelineOptions(opt_level=3)) == with_one
    own = [s for s in PIPELINE if s.when is None]
    assert [step for step in with_one if not step.origin] == own


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ('before="fuze"', "pass 'one' of 'one.py' is to run before 'fuze', no pass; did you mean 'fuse'?"),
        ('after="fuze"', "pass 'one' of 'one.py' is to run after 'fuze', no pass; did you mean 'fuse'?"),
        ('before="cse", after="fuse"', "of one pass"),
        ("reason='none'", "required: PipelinePlace(before=…) or PipelinePlace(after=…), of one pass"),
    ],
)
def test_places_that_are_none(place: str, message: str, mlc_opt: CommandLine) -> None:
    shown = mlc_opt(f"--load-pass={_write('one', place)}", "-O3", stdin=_RELU)
    assert shown.status == 1
    assert message in shown.err


def test_the_pipeline_says_where_a_pass_comes_from(mlc_opt: CommandLine) -> None:
    plugin = f"--load-pass={_write('one', _SEEN)}"
    shown = mlc_opt(plugin, "-O1", "--print-pipeline").out
    rows = [line for line in shown.splitlines() if line.startswith("//") and "(of " in line]
    assert [" ".join(row.split()) for row in rows] == ["// graph one to see (of 'one.py')"]
    assert ",one,fuse," in shown.splitlines()[-1]


def test_native_code_of_each_command(mlc: CommandLine, mlc_opt: CommandLine) -> None:
    plugin = f"--load-pass={_write('one', _BEFORE_FUSE)}"
    Path("relu.mlir").write_text(_RELU)
    assert mlc("compile", plugin, "relu.mlir", "-o", "relu.so").status == 0
    np.testing.assert_array_equal(load("relu.so")(_X), [2, 0, 3])
    assert "graph.abs" in mlc_opt(plugin, "relu.mlir", "-O3", "--emit=mlir:graph").out
    assert "graph.relu" in mlc_opt("relu.mlir", "-O3", "--emit=mlir:graph").out


def test_a_changed_plugin_is_another_compilation() -> None:
    """In one process and with one cache, what was compiled without a plugin or with another text of it is not taken."""
    for name, op, expected in (("one", "AbsOp", [2, 0, 3]), ("one", "NegOp", [2, 0, -3]), ("two", "AbsOp", [2, 0, 3])):
        file = _write(name, _BEFORE_FUSE, op)
        np.testing.assert_array_equal(mlc.compile(_RELU, plugins=[file])(_X), expected)
        np.testing.assert_array_equal(mlc.compile(_RELU)(_X), [0, 0, 3])


def test_plugins_stay_with_a_model_of_open_shapes() -> None:
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    x, y = (helper.make_tensor_value_info(name, 1, ["n"]) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", [x], [y])
    model = mlc.compile(helper.make_model(graph, ir_version=8), plugins=[Path(_write("one", _BEFORE_FUSE))])
    for n in (2, 3):
        np.testing.assert_array_equal(model(_X[:n]), np.abs(_X[:n]))


@pytest.mark.parametrize("plugins", ["one.py", [3], None])
def test_plugins_are_a_list_of_paths(plugins: object) -> None:
    with pytest.raises(TypeError, match="as plugins; required: a list of paths of Python files"):
        mlc.compile(_RELU, plugins=plugins)  # pyright: ignore[reportArgumentType]


def test_plugins_that_are_not_there() -> None:
    with pytest.raises(mlc.UserError, match=r"plugin '.*no.py' not found"):
        mlc.compile(_RELU, plugins=["no.py"])
