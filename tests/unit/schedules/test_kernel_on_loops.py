"""Estimates of schedules on one kernel's loops: what a whole compilation would say, and refusals."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.schedules.cost.estimate import estimate
from mlc.schedules.kernel_on_loops import KernelOnLoops
from mlc.schedules.steps.llvm_unroll import LlvmUnroll
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.targets.machine import resolve_target

_TARGET = "x86-64-v3"
_PRODUCT = """
func.func @main(%x: tensor<64x32xf32>) -> tensor<64x48xf32> {
  %w = arith.constant dense_resource<w> : tensor<32x48xf32>
  %0 = graph.matmul %x, %w : tensor<64x32xf32>, tensor<32x48xf32> -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}
"""
_SOFTMAX = """
func.func @main(%x: tensor<64x200xf32>) -> tensor<64x200xf32> {
  %0 = graph.softmax %x axis 1 : tensor<64x200xf32>
  return %0 : tensor<64x200xf32>
}
"""
_WINDOW = """
func.func @main(%x: tensor<1x12x12x16xf32>, %w: tensor<3x3x1x16xf32>) -> tensor<1x10x10x16xf32> {
  %0 = graph.conv2d %x, %w {groups = 16 : i64, layout = "NHWC"}
    : tensor<1x12x12x16xf32>, tensor<3x3x1x16xf32> -> tensor<1x10x10x16xf32>
  return %0 : tensor<1x10x10x16xf32>
}
"""


def _kernel(text: str) -> tuple[ModuleOp, FuncOp, CompilerContext]:
    ctx = new_context(_TARGET)
    ctx.resources.define("w", np.ones((32, 48), np.float32))
    module = parse_verified(text, "model.mlir", ctx, Path())
    Compilation(module, ctx, CompileOptions(target=_TARGET), PassManager(ctx)).lower("tensor")
    return module, next(op for op in module.ops if isinstance(op, FuncOp) and is_private(op)), ctx


def _on_loops(text: str) -> tuple[KernelOnLoops, Sequence[Step]]:
    module, kernel, ctx = _kernel(text)
    schedule = kernel.attributes["schedule"]
    assert isinstance(schedule, ScheduleAttr)
    return KernelOnLoops(kernel, constant_arguments(module), ctx, resolve_target(_TARGET)), schedule.steps


def test_what_llvm_writes_out_costs_what_copies_cost() -> None:
    loops, _ = _on_loops(_WINDOW)
    block = [Tile("n", 8), Vectorize("ni", 8), Tile("y", 2), Unroll("yi")]
    by_llvm = loops.estimate([*block, LlvmUnroll("kx", 3), LlvmUnroll("ky", 3)])
    assert by_llvm is not None
    assert by_llvm == loops.estimate([*block, Unroll("kx"), Unroll("ky")])
    assert by_llvm != loops.estimate([*block, LlvmUnroll("kx", 2), LlvmUnroll("ky", 2)])


@pytest.mark.parametrize("text", [_PRODUCT, _SOFTMAX, _SOFTMAX.replace("64x200", "640x37")])
def test_it_is_the_estimate_of_what_is_compiled(text: str) -> None:
    loops, steps = _on_loops(text)
    module, kernel, ctx = _kernel(text)
    passes = [p for p in default_passes(3, 1, "loop", "tensor") if p.name != "plan-memory"]
    PassManager(ctx).run(module, passes)
    (compiled,) = (f for f in module.ops if isinstance(f, FuncOp) and f.sym_name == kernel.sym_name)
    assert loops.estimate(steps) == estimate(compiled, resolve_target(_TARGET))
    assert loops.estimate(steps) == loops.estimate(steps)


def test_threads_share_what_would_be_shared() -> None:
    """Without a word in the schedule: `parallelize` decides, as in a compilation."""
    module, kernel, ctx = _kernel(_SOFTMAX.replace("64x200", "4096x200"))
    schedule = kernel.attributes["schedule"]
    assert isinstance(schedule, ScheduleAttr)
    one, two = (
        KernelOnLoops(kernel, constant_arguments(module), ctx, resolve_target(_TARGET), PipelineOptions(threads=n))
        for n in (1, 2)
    )
    alone, shared = one.estimate(schedule.steps), two.estimate(schedule.steps)
    assert alone is not None and shared is not None
    assert "sharing" in shared.parts and "sharing" not in alone.parts
    assert 0.5 * alone.cycles < shared.cycles < 0.6 * alone.cycles


def test_nothing_is_changed() -> None:
    module, kernel, ctx = _kernel(_PRODUCT)
    before, names = str(module), ctx.resources.names()
    loops = KernelOnLoops(kernel, constant_arguments(module), ctx, resolve_target(_TARGET))
    loops.estimate([Tile("n", 16), Pack("w", "n"), Tile("k", 5), Tile("missing", 2)])
    assert str(module) == before
    assert ctx.resources.names() == names
    assert not ctx.warnings


def test_weights_are_reordered_for_nothing() -> None:
    """What is known is packed beforehand; an operand of which that is not said is packed by the kernel."""
    module, kernel, ctx = _kernel(_PRODUCT)
    name = kernel.body.block.args[1].name_hint or "arg1"
    steps = [Tile("n", 16), Pack(name, "n"), Tile("ni", 8), Vectorize("nii", 8), Unroll("ni")]
    machine = resolve_target(_TARGET)
    known, unknown = (
        KernelOnLoops(kernel, constants, ctx, machine).estimate(steps) for constants in (constant_arguments(module), {})
    )
    assert known is not None and unknown is not None
    assert known.cycles < unknown.cycles


def test_steps_that_name_nothing_have_no_estimate() -> None:
    loops, steps = _on_loops(_PRODUCT)
    assert loops.estimate([*steps, Tile("missing", 2)]) is None
    assert loops.estimate([Pack("missing", "n")]) is None


def test_code_that_is_far_too_long_has_no_estimate() -> None:
    loops, steps = _on_loops(_PRODUCT)
    assert loops.estimate(steps, most_ops=20) is None


def test_slower_schedules_have_longer_estimates() -> None:
    loops, steps = _on_loops(_PRODUCT)
    by_rules, plain = loops.estimate(steps), loops.estimate([])
    assert by_rules is not None and plain is not None
    assert 4 * by_rules.cycles < plain.cycles
