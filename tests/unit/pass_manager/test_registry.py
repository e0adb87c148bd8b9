"""Every pass is found by its file name, follows the conventions, and has a name that no option of mlc-opt has."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.arg_spec import ArgSpec, parse_pipeline

import mlc.pass_manager.options as options_module
from mlc.pass_manager.base import Pass
from mlc.pass_manager.ir_levels import LEVELS
from mlc.pass_manager.options import make_pass, options_of, parse_passes, pipeline_text
from mlc.pass_manager.pipeline import PIPELINE, default_steps, has_threads
from mlc.pass_manager.pipeline_options import HIGHEST, PipelineOptions
from mlc.pass_manager.registry import load_pass, pass_names
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.tools.opt_arguments import OptArguments


@dataclass(frozen=True)
class TilePass(Pass):
    """Stands in for a pass with options of every kind."""

    name: ClassVar[str] = "tile"

    sizes: tuple[int, ...] = (4,)
    loop_name: str = "m"
    factor: float = 1.0
    peel: bool = False
    limit: int | None = None

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        """Do nothing."""


@pytest.fixture(autouse=True)
def _tile_exists(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    def load(name: str) -> type[Pass]:
        return TilePass if name == "tile" else load_pass(name)

    monkeypatch.setattr(options_module, "load_pass", load)


@pytest.mark.parametrize("name", pass_names())
def test_conventions(name: str) -> None:
    pass_type = load_pass(name)
    assert pass_type.name == name
    assert pass_type.__name__.endswith("Pass")
    summary = (inspect.getdoc(pass_type) or "").partition("\n")[0]
    assert 10 < len(summary) <= 120, "the first line of a pass's docstring describes it"
    options_of(pass_type)


def test_pass_names_are_unique() -> None:
    root = Path(inspect.getfile(Pass)).parents[1]
    files = [*root.glob("passes/*/[a-z]*.py"), *root.glob("frontends/*/to_graph/[a-z]*.py")]
    assert sorted(f.stem.replace("_", "-") for f in files) == pass_names()


def test_no_pass_hides_an_option() -> None:
    own = {name.replace("_", "-") for name in vars(OptArguments()) if not name.startswith("_")}
    assert own & set(pass_names()) == set()


def test_options_are_read() -> None:
    (p,) = parse_passes("tile{sizes=8,48 loop-name=k peel factor=2 limit=7}")
    assert p == TilePass((8, 48), "k", 2.0, True, 7)


def test_pipeline_text_is_read_back() -> None:
    passes = parse_passes("tile{sizes=8,48 peel=true}, tile")
    assert parse_passes(pipeline_text(passes)) == passes


def test_spaces_in_strings_stay() -> None:
    (p,) = parse_passes('tile{loop-name="a, b"}')
    assert p == TilePass(loop_name="a, b")


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("tile{sizs=8}", "pass 'tile' has no option 'sizs'; did you mean 'sizes'? (its options are sizes, loop-name,"),
        ("tile{sizes=a,b}", "option 'sizes' of pass 'tile' takes a value of type list of int, found 'a,b'"),
        ("tile{limit=x}", "option 'limit' of pass 'tile' takes a value of type int, found 'x'"),
        ("tile{peel=3}", "option 'peel' of pass 'tile' takes true or false, found '3'"),
        ("tile{", "malformed pass pipeline 'tile{'"),
        ("tile tile", "malformed pass pipeline 'tile tile'"),
        ("tile,,tile", "malformed pass pipeline 'tile,,tile'"),
        ('tile{loop-name="a}', "malformed pass pipeline"),
        ("no-such-pass", "unknown pass 'no-such-pass'"),
    ],
)
def test_bad_pipelines(pipeline: str, message: str) -> None:
    with pytest.raises(UserError) as e:
        parse_passes(pipeline)
    assert message in e.value.message


def test_missing_option(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class NeedyPass(Pass):
        """Has an option without a default."""

        name: ClassVar[str] = "needy"
        block_size: int

        def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
            """Do nothing."""

    def load(name: str) -> type[Pass]:
        return NeedyPass

    monkeypatch.setattr(options_module, "load_pass", load)
    with pytest.raises(UserError) as e:
        make_pass(ArgSpec("needy", {}))
    assert e.value.message == "pass 'needy' needs option 'block-size' (int): --needy=block-size=..."


def test_default_pipelines_name_passes_that_exist() -> None:
    for step in PIPELINE:
        for spec in parse_pipeline(step.spelling(PipelineOptions(threads=2))):
            assert spec.name in pass_names()


def test_levels_come_in_order() -> None:
    positions = [LEVELS.index(step.level) for step in PIPELINE]
    assert positions == sorted(positions)
    assert all(step.reason for step in PIPELINE)


def test_every_level_includes_the_one_below() -> None:
    for level in range(HIGHEST):
        assert set(default_steps(PipelineOptions(opt_level=level))) <= set(
            default_steps(PipelineOptions(opt_level=level + 1))
        )
    assert [s.passes for s in default_steps(PipelineOptions(opt_level=0))] == [
        s.passes for s in PIPELINE if s.since == 0
    ]


def test_one_thread_needs_no_parallel_loops() -> None:
    threaded = {s.passes for s in PIPELINE if s.when is has_threads}
    assert threaded
    assert not threaded & {s.passes for s in default_steps(PipelineOptions(opt_level=3, threads=1))}
    assert threaded <= {s.passes for s in default_steps(PipelineOptions(opt_level=3, threads=2))}


def test_cut_points() -> None:
    assert {s.level for s in default_steps(PipelineOptions(opt_level=3), upto="tensor")} == {"graph", "tensor"}


def test_passes_of_mlc_are_what_passes_of_plugins_have_to_be() -> None:
    assert {name: problem for name in pass_names() if (problem := load_pass(name).problem()) is not None} == {}
