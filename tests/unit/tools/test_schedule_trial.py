"""Steps of schedules that loops do not allow, as `mlc explain` tells them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.schedules.trial import StepOutcome, try_schedule
from mlc.support.errors import UserError
from mlc.tools.schedule_text import describe_schedule

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_SERIAL = "loop 'k' not vectorized: its iterations depend on each other"
_MODEL = """
func.func private @kernel(%x: tensor<6x50xf32>, %w: tensor<50x200xf32>) -> tensor<6x200xf32>
    attributes {schedule = #loop.schedule<[STEPS]>} {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 6, n: 200) reduce (k: 50)
      : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  return %0 : tensor<6x200xf32>
}
func.func @main(%x: tensor<6x50xf32>, %w: tensor<50x200xf32>) -> tensor<6x200xf32> {
  %0 = func.call @kernel(%x, %w) : (tensor<6x50xf32>, tensor<50x200xf32>) -> tensor<6x200xf32>
  return %0 : tensor<6x200xf32>
}
"""


def _try(steps: str, opt_level: int = 3) -> tuple[FuncOp, list[StepOutcome]]:
    ctx = new_context("x86-64-v3")
    module: ModuleOp = parse_verified(_MODEL.replace("STEPS", steps), "test.mlir", ctx, Path())
    kernel, before = module.body.block.first_op, str(module)
    assert isinstance(kernel, FuncOp)
    outcomes = try_schedule(module, kernel, ctx, CompileOptions("x86-64-v3", opt_level=opt_level))
    assert (str(module), ctx.remarks) == (before, [])
    return kernel, outcomes


def test_a_refused_step_is_told_from_one_that_is_done() -> None:
    kernel, outcomes = _try("tile(n, 64), vectorize(k, 8), vectorize(ni, 64), unroll(m)")
    assert [outcome.refused for outcome in outcomes] == [False, True, False, False]
    assert [outcome.refusals for outcome in outcomes] == [(), (_SERIAL,), (), ()]
    assert dict(describe_schedule(kernel, (), outcomes)) == {
        "tile(n, 64)": "3 blocks of 64, and one of 8",
        "vectorize(k, 8)": f"refused: {_SERIAL}",
        "vectorize(ni, 64)": "vectors of 64 lanes",
        "unroll(m)": "6 copies side by side, with registers of their own",
    }


def test_a_step_that_some_loops_refuse_is_done_in_part() -> None:
    # The block of 120 and the one of 80 that is left over.
    kernel, outcomes = _try("tile(n, 120), vectorize(ni, 100)")
    reason = "loop 'ni' not vectorized: 120 iterations are more than 100 lanes; tile it first"
    assert outcomes == [StepOutcome((), True), StepOutcome((reason,), True)]
    words = dict(describe_schedule(kernel, (), outcomes))
    assert words["vectorize(ni, 100)"] == f"vectors of 100 lanes, but refused in part: {reason}"


def test_a_step_that_finds_nothing_to_do_is_not_refused() -> None:
    _, (outcome,) = _try("partition(m)")
    assert (outcome, outcome.refused) == (StepOutcome((), False), False)


def test_what_is_only_said_of_loops_and_kernels_is_a_change() -> None:
    for step in ("llvm_unroll(k, 2)", "clang(2)", "threads(m, 2)"):
        assert _try(step)[1] == [StepOutcome((), True)]


def test_what_says_otherwise_than_a_step_before_is_refused() -> None:
    _, (first, second) = _try("threads(m), threads(m, 2)")
    assert first == StepOutcome((), True) and second.refused
    assert second.refusals[0].startswith("'threads(m)' before 'threads(m, 2)' says otherwise")


def test_without_a_schedule_there_is_nothing_to_try() -> None:
    assert _try("tile(n, 64)", opt_level=1)[1] == []


def test_a_step_without_its_loop_is_an_error() -> None:
    with pytest.raises(UserError, match=r"'unroll\(z\)' names no loop of 'kernel', which has the loops m, n, k"):
        _try("unroll(z)")


def test_explain_gives_the_reason_at_the_step(tmp_path: Path, mlc: CommandLine) -> None:
    model = tmp_path / "model.mlir"
    model.write_text(_MODEL.replace("STEPS", "tile(n, 64), vectorize(k, 8)"))
    shown = mlc("explain", str(model), "kernel", "--target=cortex-a53").out
    assert f"  tile(n, 64)      3 blocks of 64, and one of 8\n  vectorize(k, 8)  refused: {_SERIAL}\n" in shown
    assert shown.count(_SERIAL) == 1
    shown = mlc("explain", str(model), "kernel", "--target=cortex-a53", "-O1").out
    assert "\nschedule, which -O1 does not carry out\n  tile(n, 64)" in shown
