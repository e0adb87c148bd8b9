"""A schedule of mlc's own that is wrong: no model is refused for it, and tests see it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.loop import ConstantOp, ForOp, ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import verify
from mlc.passes.loop.apply_schedule import ApplySchedulePass
from mlc.reference.interpreter import run_function
from mlc.schedules.own_schedules import STRICT
from mlc.schedules.schedule_template import Candidate, TensorKernel
from mlc.schedules.steps.clang import Clang
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates.row import RowPasses
from mlc.support.context import CompilerContext, RuleSchedule
from mlc.support.errors import UserError

_PRODUCT = """
func.func private @product(%x: memref<4x8xf32>, %w: memref<8x16xf32>, %y: memref<4x16xf32> {mlc.output}) {
  loop.for parallel "m" %m = 0 to 4 {
    loop.for parallel "n" %n = 0 to 16 {
      %zero = arith.constant 0.0 : f32
      %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %zero) -> (f32) {
        %a = loop.load %x[%m, %k] : memref<4x8xf32>
        %b = loop.load %w[%k, %n] : memref<8x16xf32>
        %next = math.fma %a, %b, %acc : f32
        loop.yield %next : f32
      }
      loop.store %s, %y[%m, %n] : memref<4x16xf32>
    }
  }
  return
}
func.func @main(%x: memref<4x8xf32>, %y: memref<4x16xf32> {mlc.output}) {
  %w = loop.constant dense_resource<w> : tensor<8x16xf32> to memref<8x16xf32>
  func.call @product(%x, %w, %y) : (memref<4x8xf32>, memref<8x16xf32>, memref<4x16xf32>) -> ()
  return
}
"""
_X = np.arange(32, dtype=np.float32).reshape(4, 8)
_W = np.arange(128, dtype=np.float32).reshape(8, 16) - 60
_PANELS = (Tile("n", 8), Pack("w", "n"))


@pytest.fixture
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """What people have who do not test mlc."""
    monkeypatch.delenv(STRICT)


def _product(*schedules: tuple[Step, ...], is_own: bool = True) -> tuple[ModuleOp, CompilerContext]:
    """The module with these schedules for its kernel, the first of which was chosen."""
    ctx = new_context("x86-64-v3")
    resource = ctx.resources.add(_W, "w")
    assert resource == "w"
    module = parse_verified(_PRODUCT, "model.mlir", ctx, Path())
    kernel = _kernel(module)
    chosen, *others = map(ScheduleAttr.of, schedules)
    kernel.attributes["schedule"] = chosen
    ctx.rule_schedules["product", chosen] = RuleSchedule(tuple(others) if is_own else None)
    return module, ctx


def _kernel(module: ModuleOp) -> func.FuncOp:
    return next(op for op in module.ops if isinstance(op, func.FuncOp) and op.sym_name.data == "product")


def _loops(module: ModuleOp) -> list[str]:
    return [op.dim.data for op in _kernel(module).walk() if isinstance(op, ForOp)]


def _check(module: ModuleOp, ctx: CompilerContext) -> None:
    verify(module)
    (y,) = run_function(module, "main", [_X], ctx.resources)
    np.testing.assert_array_equal(y, _X @ _W)


@pytest.mark.usefixtures("lenient")
def test_a_step_that_names_no_loop_is_left_out() -> None:
    module, ctx = _product((*_PANELS, Tile("w_lane", 8), Unroll("zz"), Vectorize("ni", 8)), (Tile("k", 2),))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert _loops(module) == ["m", "n", "k"], "the others are carried out"
    said = [str(remark) for remark in ctx.remarks]
    assert len(said) == 2 and not ctx.warnings
    for step, message in zip(("tile(w_lane, 8)", "unroll(zz)"), said, strict=True):
        assert f"left out, as mlc's own rules are wrong here: schedule step '{step}' names no loop" in message


@pytest.mark.usefixtures("lenient")
def test_an_argument_that_is_none() -> None:
    module, ctx = _product((Tile("n", 8), Pack("v", "n"), Unroll("ni")))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert "'product' has no argument 'v'" in str(ctx.remarks)


def test_tests_are_told() -> None:
    module, ctx = _product((Unroll("zz"),))
    with pytest.raises(UserError, match=r"schedule step 'unroll\(zz\)' names no loop of 'product'"):
        ApplySchedulePass().run(module, ctx)


@pytest.mark.usefixtures("lenient")
def test_plugins_are_told() -> None:
    module, ctx = _product((Unroll("zz"),), is_own=False)
    with pytest.raises(UserError, match=r"schedule step 'unroll\(zz\)' names no loop of 'product'"):
        ApplySchedulePass().run(module, ctx)


def _failing(self: Unroll, loop: ForOp, ctx: CompilerContext) -> None:
    """A step with a bug: it leaves half of its work behind."""
    del self, ctx
    loop.body.block.erase_op(loop.body.block.last_op, safe_erase=False)  # pyright: ignore[reportArgumentType]
    raise KeyError("unroll")


@pytest.mark.usefixtures("lenient")
def test_the_next_offer_is_taken_where_a_step_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was packed for the first one is as it was, and packed again for the second one in other panels."""
    monkeypatch.setattr(Unroll, "rewrite", _failing)
    module, ctx = _product((*_PANELS, Unroll("ni")), (Tile("n", 4), Pack("w", "n"), Vectorize("ni", 4)))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert _loops(module) == ["m", "n", "k"]
    assert "another schedule is taken, as mlc's own rules are wrong here: KeyError: 'unroll'" in str(ctx.remarks)
    assert "memref<4x8x4xf32>" in str(_kernel(module).function_type), "panels of four"


@pytest.mark.usefixtures("lenient")
def test_at_last_loops_are_left_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Unroll, "rewrite", _failing)
    module, ctx = _product((*_PANELS, Unroll("ni")), (Unroll("k"),))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert _loops(module) == ["m", "n", "k"] and len(ctx.remarks) == 2
    assert sum(isinstance(op, ConstantOp) for op in module.walk()) == 1, "no panels are left behind"
    assert "schedule" not in _kernel(module).attributes


@pytest.mark.usefixtures("lenient")
def test_what_the_first_schedule_settled_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Unroll, "rewrite", _failing)
    module, ctx = _product((Clang(1), Unroll("k")), (Clang(2),))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert len(ctx.remarks) == 1
    assert [str(value) for name, value in _kernel(module).attributes.items() if "clang" in name] == ["2 : i64"]


def _invalid(self: Unroll, loop: ForOp, ctx: CompilerContext) -> None:
    """A step with a bug: it leaves a loop without an end."""
    del self, ctx
    loop.body.block.erase_op(loop.body.block.last_op, safe_erase=False)  # pyright: ignore[reportArgumentType]


@pytest.mark.usefixtures("lenient")
def test_what_is_left_without_a_step_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Unroll, "rewrite", _invalid)
    module, ctx = _product((Unroll("zz"), Unroll("k")), (Tile("n", 8),))
    ApplySchedulePass().run(module, ctx)
    _check(module, ctx)
    assert _loops(module) == ["m", "n", "ni", "k"]


_SOFTMAX = """
func.func @main(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {
  %y = graph.softmax %x axis 1 : tensor<64x512xf32>
  return %y : tensor<64x512xf32>
}
"""


def _lowered() -> CompilerContext:
    ctx = new_context("x86-64-v3")
    module = parse_verified(_SOFTMAX, "model.mlir", ctx, Path())
    for pass_ in default_passes(3, upto="loop"):
        pass_.run(module, ctx)
    verify(module)
    return ctx


def _wrong_offers(self: RowPasses, kernel: TensorKernel) -> Iterator[Candidate]:
    del self, kernel
    yield Candidate((Unroll("zz"),))
    yield Candidate((Unroll("zzz"),), "another letter")


@pytest.mark.parametrize("name", ["row", "stencil"])
def test_of_a_rule_that_is_wrong(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever tests mlc is told by `schedule`, which estimates; a plugin, whose name is its own, always."""
    monkeypatch.setattr(RowPasses, "candidates", _wrong_offers)
    with pytest.raises(Exception, match="names no loop"):
        _lowered()
    monkeypatch.delenv(STRICT)
    monkeypatch.setattr(RowPasses, "name", name)
    if name == "row":
        assert "names no loop" in str(_lowered().remarks)
    else:
        with pytest.raises(UserError, match="names no loop"):
            _lowered()


def test_an_offer_that_is_estimated_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody takes it, so that no later pass would say that it is wrong."""
    candidates = RowPasses.candidates

    def one_more(self: RowPasses, kernel: TensorKernel) -> Iterator[Candidate]:
        yield from (o for o in candidates(self, kernel) if not o.is_only_shown)
        yield Candidate((Unroll("zz"),), "a wrong one")

    monkeypatch.setattr(RowPasses, "candidates", one_more)
    with pytest.raises(Exception, match="a candidate of mlc's own is wrong"):
        _lowered()
    monkeypatch.delenv(STRICT)
    assert "the candidate 'a wrong one' is left out" in str(_lowered().remarks)
