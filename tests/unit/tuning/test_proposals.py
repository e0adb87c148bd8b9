"""Proposals for one kernel: what its loops refuse is known before anything is compiled, and mutations stay legal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.pass_manager.manager import PassManager
from mlc.plugins import load_pass
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.records.recorded_schedules import refusal_of
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.support.additions import plugin_scope
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.tools.schedule_estimate import kernel_on_loops
from mlc.tuning.kernel_loops import KernelLoops
from mlc.tuning.mutations import Mutator, coupled
from mlc.tuning.service import Service

_OPTIONS = CompileOptions("x86-64-v3", records="")
_MODEL = """
func.func @main(%x: tensor<60x50xf32>, %w: tensor<50x200xf32>) -> tensor<60x200xf32> {
  %0 = graph.matmul %x, %w : tensor<60x50xf32>, tensor<50x200xf32> -> tensor<60x200xf32>
  return %0 : tensor<60x200xf32>
}
"""
_PLUGIN = '''
import os
from dataclasses import dataclass

from mlc.dialects.loop import ForOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError


@dataclass(frozen=True)
class Abort(LoopStep):
    """the compiler crashes"""

    name = "abort"
    example = "abort(n)"
    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        os.abort()

    def words(self, plan: LoopPlan) -> str:
        return ""

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return False
'''


def _kernel() -> tuple[ModuleOp, FuncOp, CompilerContext, Schedule]:
    """A product with its schedule by the rules."""
    ctx = new_context(_OPTIONS.target)
    module = parse_verified(_MODEL, "model.mlir", ctx, Path())
    Compilation(module, ctx, _OPTIONS, PassManager(ctx)).lower("tensor")
    (kernel,) = (op for op in module.ops if isinstance(op, FuncOp) and is_private(op))
    schedule = kernel.attributes["schedule"]
    assert isinstance(schedule, ScheduleAttr)
    return lone_kernel(module, kernel), kernel, ctx, schedule.steps


@pytest.fixture
def loops() -> Iterator[KernelLoops]:
    alone, kernel, ctx, _ = _kernel()
    found = KernelLoops(alone, kernel.sym_name.data, ctx, _OPTIONS, Random(0))
    yield found
    found.stop()


def _steps(text: str) -> Schedule:
    return parse_schedule(text, new_context())


@pytest.mark.parametrize(
    ("schedule", "reason"),
    [
        ("tile(n, 64), tile(ni, 8), vectorize(nii)", None),
        ("tile(x, 64)", "schedule step 'tile(x, 64)' names no loop of 'matmul', which has the loops m, n, k"),
        ("tile(n, 20), vectorize(ni, 8)", "20 iterations are more than 8 lanes; tile it first"),
        ("fuse(m)", "'fuse(m)': it changes nothing"),
        ("unroll(n), tile(n, 8)", "schedule step 'tile(n, 8)' names no loop of 'matmul', which has the loops m, k"),
    ],
)
def test_what_loops_refuse(loops: KernelLoops, schedule: str, reason: str | None) -> None:
    found = loops.refusal(_steps(schedule))
    assert found is None if reason is None else found is not None and reason in found


def test_refusals_are_those_of_a_compilation(loops: KernelLoops) -> None:
    """The other way to ask lowers the kernel anew for each schedule."""
    alone, kernel, ctx, rules = _kernel()
    function = next(op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name)
    assert loops.refusal(rules) is None
    mutator = Mutator(Random(1), 8, loops.draw)
    outcomes = set[bool]()
    for _ in range(25):
        schedule = mutator.propose([rules])
        if schedule is not None:
            try:
                is_legal = refusal_of(schedule, alone, function, ctx, _OPTIONS) is None
            except UserError:  # a step names no loop
                is_legal = False
            assert (loops.refusal(schedule) is None) == is_legal, schedule_text(schedule)
            outcomes.add(is_legal)
    assert outcomes == {True, False}


def test_steps_are_drawn_for_loops_that_are_there(loops: KernelLoops) -> None:
    drawn = [loops.draw(_steps("tile(n, 64)")) for _ in range(30)]
    named = {loop for step in drawn if step is not None for loop in step.loops}
    assert "ni" in named and named <= {"m", "n", "ni", "k", "none"}


def test_a_step_that_crashes_is_left_to_whoever_compiles(tmp_path: Path) -> None:
    plugin = tmp_path / "bad.py"
    plugin.write_text(_PLUGIN)
    with plugin_scope():
        load_pass(str(plugin))
        alone, kernel, ctx, _ = _kernel()
        loops = KernelLoops(alone, kernel.sym_name.data, ctx, _OPTIONS, Random(0))
        assert loops.describe(_steps("abort(n)")) is None
        assert loops.refusal(_steps("abort(n)")) is None
        assert loops.refusal(_steps("fuse(m)")) == "'fuse(m)': it changes nothing"
        loops.stop()


def test_loops_are_described_as_they_are_compiled(loops: KernelLoops) -> None:
    """The other way to ask lowers the kernel anew for each schedule."""
    alone, kernel, ctx, rules = _kernel()
    for steps in (rules, (), _steps("tile(n, 64), tile(ni, 8), vectorize(nii)")):
        found, cost = loops.describe(steps), kernel_on_loops(alone, kernel, ctx, _OPTIONS).estimate(steps)
        assert found is not None and cost is not None
        assert 2 ** found["cycles"] == pytest.approx(cost.cycles)
        assert found["share of arithmetic"] == pytest.approx(cost.parts["arithmetic"] / cost.cycles)


def test_what_is_described_is_not_asked_again(loops: KernelLoops, monkeypatch: pytest.MonkeyPatch) -> None:
    legal, idle = _steps("tile(n, 64)"), _steps("fuse(m)")
    assert loops.describe(idle) is None
    described = loops.describe(legal)

    def again(service: Service, question: object) -> None:
        pytest.fail(f"asked again: {question}")

    monkeypatch.setattr(Service, "ask", again)
    assert loops.describe(legal) is described is not None
    assert loops.refusal(legal) is None
    assert loops.refusal(idle) == "'fuse(m)': it changes nothing"


def test_what_is_said_of_loops_makes_other_code(loops: KernelLoops) -> None:
    """The numbers of the loops are the same."""
    tiled, told = _steps("tile(n, 64)"), _steps("tile(n, 64), llvm_unroll(ni, 3), clang(1)")
    assert loops.describe(tiled) == loops.describe(told) is not None
    prints = [loops.fingerprint(steps) for steps in (tiled, told, _steps("tile(n, 64), clang(1), llvm_unroll(ni, 3)"))]
    assert prints[0] != prints[1] == prints[2] is not None
    assert loops.fingerprint(_steps("fuse(m)")) is None


def test_functions_of_very_many_ops_are_not_described(loops: KernelLoops, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc.tuning.kernel_loops._MOST_DESCRIBED", 20)
    assert loops.describe(_steps("tile(n, 8), unroll(ni)")) is None
    assert loops.refusal(_steps("tile(n, 8), unroll(ni)")) is None


def test_schedules_of_many_steps_have_descendants() -> None:
    steps = _steps(", ".join(["tile(m, 30)", "tile(n, 64)", *["prefetch(k)"] * 18]))
    mutator = Mutator(Random(0), 8, lambda _: None)
    children = {schedule_text(child) for _ in range(40) if (child := mutator.propose([steps]))}
    assert len(children) > 10
    assert all(len(_steps(child)) <= len(steps) for child in children)


@pytest.mark.parametrize(
    ("before", "place", "field", "size", "after"),
    [
        (
            "tile(n, 64), tile(ni, 16), vectorize(nii, 16)",
            1,
            "size",
            32,
            "tile(n, 64), tile(ni, 32), vectorize(nii, 32)",
        ),
        ("tile(n, 64), tile(ni, 16), vectorize(nii, 16)", 2, "lanes", 8, "tile(n, 64), tile(ni, 8), vectorize(nii, 8)"),
        (
            "tile(n, 64), tile(ni, 16), vectorize(nii, 16)",
            0,
            "size",
            32,
            "tile(n, 32), tile(ni, 16), vectorize(nii, 16)",
        ),
        ("tile(n, 8), vectorize(ni)", 0, "size", 4, "tile(n, 4), vectorize(ni)"),
        ("tile(n, 8), vectorize(ni, 16)", 0, "size", 4, "tile(n, 4), vectorize(ni, 16)"),
        ("tile(m, 8), tile(n, 8), vectorize(ni, 8)", 0, "size", 4, "tile(m, 4), tile(n, 8), vectorize(ni, 8)"),
        ("vectorize(ni, 8), tile(n, 8)", 1, "size", 4, "vectorize(ni, 8), tile(n, 4)"),
    ],
)
def test_a_block_and_its_vector_change_together(before: str, place: int, field: str, size: int, after: str) -> None:
    assert schedule_text(coupled(_steps(before), place, field, size)) == after


def test_most_resized_schedules_are_legal(loops: KernelLoops) -> None:
    _, _, _, rules = _kernel()
    assert "vectorize(nii" in schedule_text(rules)
    mutator = Mutator(Random(0), 8, loops.draw)
    resized = [mutator._resized(rules) or rules for _ in range(40)]  # pyright: ignore[reportPrivateUsage]
    legal = sum(loops.refusal(schedule) is None for schedule in resized)
    assert legal >= 36, [schedule_text(s) for s in resized if loops.refusal(s) is not None]
