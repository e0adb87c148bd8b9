"""Any schedule keeps the meaning of a kernel: random steps, one after the other and as a whole, and as native code."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp, ScheduleAttr
from mlc.dialects.loop.steps import Step, load_step, step_names
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.passes.graph_to_tensor.convert_graph_to_tensor import ConvertGraphToTensorPass
from mlc.passes.loop.apply_schedule import ApplySchedulePass
from mlc.passes.loop.fold_storage import FoldStoragePass
from mlc.passes.loop.forward_stores import ForwardStoresPass
from mlc.passes.tensor_to_loop.convert_tensor_to_loop import ConvertTensorToLoopPass
from mlc.schedules.steps.base import LoopStep
from mlc.schedules.steps.unroll import Unroll
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.syntax import parse_module

Array = NDArray[Any]
Run = Callable[..., list[Array]]

_UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture)
FIXED = settings(derandomize=True, database=None, deadline=None, suppress_health_check=_UNHURRIED)

KERNELS = {
    "matmul": """
        func.func @main(%x: tensor<7x11xf32>, %w: tensor<11x19xf32>, %b: tensor<19xf32>) -> tensor<7x19xf32> {
          %y = graph.fusion "kernel" (%a = %x, %m = %w, %v = %b)
              : (tensor<7x11xf32>, tensor<11x19xf32>, tensor<19xf32>) -> tensor<7x19xf32> {
            %0 = graph.matmul %a, %m : tensor<7x11xf32>, tensor<11x19xf32> -> tensor<7x19xf32>
            %1 = graph.add %0, %v : tensor<7x19xf32>, tensor<19xf32> -> tensor<7x19xf32>
            %2 = graph.relu %1 : tensor<7x19xf32>
            graph.yield %2 : tensor<7x19xf32>
          }
          return %y : tensor<7x19xf32>
        }
    """,
    "conv2d": """
        func.func @main(%x: tensor<1x5x6x3xf32>, %w: tensor<3x2x3x9xf32>) -> tensor<1x3x6x9xf32> {
          %y = graph.fusion "kernel" (%a = %x, %m = %w)
              : (tensor<1x5x6x3xf32>, tensor<3x2x3x9xf32>) -> tensor<1x3x6x9xf32> {
            %0 = graph.conv2d %a, %m {strides = array<i64: 2, 1>, padding = array<i64: 1, 1, 1, 0>, layout = "NHWC"}
                : tensor<1x5x6x3xf32>, tensor<3x2x3x9xf32> -> tensor<1x3x6x9xf32>
            %1 = graph.tanh %0 : tensor<1x3x6x9xf32>
            graph.yield %1 : tensor<1x3x6x9xf32>
          }
          return %y : tensor<1x3x6x9xf32>
        }
    """,
    "elementwise": """
        func.func @main(%x: tensor<3x5x17xf32>, %y: tensor<5x1xf32>, %z: tensor<17xf32>) -> tensor<3x5x17xf32> {
          %r = graph.fusion "kernel" (%a = %x, %b = %y, %c = %z)
              : (tensor<3x5x17xf32>, tensor<5x1xf32>, tensor<17xf32>) -> tensor<3x5x17xf32> {
            %0 = graph.mul %a, %b : tensor<3x5x17xf32>, tensor<5x1xf32> -> tensor<3x5x17xf32>
            %1 = graph.compare lt, %0, %c : tensor<3x5x17xf32>, tensor<17xf32> -> tensor<3x5x17xi1>
            %2 = graph.where %1, %0, %a
                : tensor<3x5x17xi1>, tensor<3x5x17xf32>, tensor<3x5x17xf32> -> tensor<3x5x17xf32>
            graph.yield %2 : tensor<3x5x17xf32>
          }
          return %r : tensor<3x5x17xf32>
        }
    """,
    "softmax": """
        func.func @main(%x: tensor<6x13xf32>) -> (tensor<6x13xf32>, tensor<6x13xf32>) {
          %y, %z = graph.fusion "kernel" (%a = %x) : (tensor<6x13xf32>) -> (tensor<6x13xf32>, tensor<6x13xf32>) {
            %0 = graph.softmax %a axis 1 : tensor<6x13xf32>
            %1 = graph.softmax %a axis 0 : tensor<6x13xf32>
            graph.yield %0, %1 : tensor<6x13xf32>, tensor<6x13xf32>
          }
          return %y, %z : tensor<6x13xf32>, tensor<6x13xf32>
        }
    """,
    "pool": """
        func.func @main(%x: tensor<2x3x6x7xf32>) -> tensor<2x3x3x5xf32> {
          %y = graph.fusion "kernel" (%a = %x) : (tensor<2x3x6x7xf32>) -> tensor<2x3x3x5xf32> {
            %0 = graph.avg_pool2d %a {kernel = array<i64: 2, 3>, strides = array<i64: 2, 1>}
                : tensor<2x3x6x7xf32> -> tensor<2x3x3x5xf32>
            graph.yield %0 : tensor<2x3x3x5xf32>
          }
          return %y : tensor<2x3x3x5xf32>
        }
    """,
}
"""Sizes are small primes, for the sake of remainders."""
MOST_TRIPS_UNROLLED = 9
OFTEN = ("vectorize", "cache_write")
"""Steps that are drawn twice as often as others."""


def _kernel(module: ModuleOp) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == "kernel")


def _at_tensor_level(name: str) -> tuple[ModuleOp, CompilerContext]:
    ctx = new_context()
    module = parse_module(KERNELS[name], f"{name}.mlir", ctx)
    ConvertGraphToTensorPass().run(module, ctx)
    return module, ctx


def _apply(module: ModuleOp, ctx: CompilerContext, *steps: Step) -> None:
    _kernel(module).attributes["schedule"] = ScheduleAttr.of(steps)
    ApplySchedulePass().run(module, ctx)
    module.verify()


def _draw_step(rng: Random, kernel: FuncOp) -> Step | None:
    """A step for a loop of the kernel, mostly one that it is meant for; None if there are no loops."""
    loops = [op for op in kernel.walk() if isinstance(op, ForOp)]
    if not loops:
        return None
    kind = load_step(rng.choice([*step_names(), *OFTEN]))
    assert issubclass(kind, LoopStep)
    suited = [loop for loop in loops if kind.suits(loop)]
    if kind is Unroll:
        loops = [loop for loop in loops if len(loop.range) <= MOST_TRIPS_UNROLLED]
    candidates = suited if suited and rng.random() < 0.8 else loops
    return kind.drawn(rng, rng.choice(candidates)) if candidates else None


def _draw_schedule(data: st.DataObject, kernel_name: str) -> list[Step]:
    """Random steps, each of which is checked on its own."""
    module, ctx = _at_tensor_level(kernel_name)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    ConvertTensorToLoopPass().run(module, ctx)
    steps: list[Step] = []
    rng = data.draw(st.randoms(use_true_random=False))
    for _ in range(rng.randint(1, 6)):
        step = _draw_step(rng, _kernel(module))
        if step is None:
            break
        note(step.spelling)
        try:
            _apply(module, ctx, step)
        except UserError:  # it names a loop that is not there
            break
        steps.append(step)
        checker.check(step.spelling, module, ApplySchedulePass.rounding)
    return steps


@pytest.mark.parametrize("kernel", KERNELS)
@settings(FIXED, max_examples=8)
@given(data=st.data())
def test_steps_keep_the_meaning(kernel: str, data: st.DataObject) -> None:
    steps = _draw_schedule(data, kernel)
    module, ctx = _at_tensor_level(kernel)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    ConvertTensorToLoopPass().run(module, ctx)
    _apply(module, ctx, *steps)
    checker.check("the whole schedule", module, ApplySchedulePass.rounding)
    for step in (FoldStoragePass(), ForwardStoresPass()):
        step.run(module, ctx)
        module.verify()
        checker.check(step.name, module, step.rounding)


@pytest.mark.parametrize("kernel", KERNELS)
@settings(FIXED, max_examples=4)
@given(data=st.data())
def test_scheduled_native_code(kernel: str, data: st.DataObject, run_compiled: Run) -> None:
    steps = _draw_schedule(data, kernel)
    module, ctx = _at_tensor_level(kernel)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    inputs = checker.inputs_of("main")
    assert inputs is not None
    _kernel(module).attributes["schedule"] = ScheduleAttr.of(steps)
    checker.compare_outputs("native code", "main", run_compiled(module, inputs))
