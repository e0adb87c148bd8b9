"""Parallel loops in every order: what is parallel does not notice, and what is not is found and named."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context
from mlc.dialects.loop import ForOp
from mlc.reference.execution import Order
from mlc.reference.interpreter import run_function
from mlc.reference.orders import find_false_parallel
from mlc.reference.work import work_of
from mlc.syntax import parse_module

Array = NDArray[Any]

COPY = """
    func.func @f(%x: memref<6xf32>, %y: memref<6xf32> {mlc.output}) {
      loop.for parallel "a" %i = 0 to 6 {
        %0 = loop.load %x[FROM] : memref<6xf32>
        loop.store %0, %y[TO] : memref<6xf32>
      }
      func.return
    }
"""
RECURRENCE = """
    func.func @f(%x: memref<6xf32>, %y: memref<6xf32> {mlc.output}) {
      loop.for parallel "start" %i = 0 to 6 {
        %0 = loop.load %x[%i] : memref<6xf32>
        loop.store %0, %y[%i] : memref<6xf32>
      }
      func.call @sum(%y) : (memref<6xf32>) -> ()
      func.return
    }
    func.func private @sum(%y: memref<6xf32>) {
      loop.for parallel "sum" %i = 0 to 5 {
        %0 = loop.load %y[%i] : memref<6xf32>
        %1 = loop.load %y[%i + 1] : memref<6xf32>
        %2 = arith.addf %0, %1 : f32
        loop.store %2, %y[%i + 1] : memref<6xf32>
      }
      loop.for parallel "end" %i = 0 to 3 {
        %0 = loop.load %y[%i] : memref<6xf32>
        loop.store %0, %y[%i] : memref<6xf32>
      }
      func.return
    }
"""
STENCIL = """
    func.func @f(%b: memref<5x3x6xf32>, %y: memref<5x3x6xf32> {mlc.output}) {
      loop.for parallel "t" %t = 0 to 5 {
        loop.for parallel "p" %p = 0 to 3 {
          loop.for parallel "j" %j = 0 to 6 {
            %0 = loop.load %b[%t, %p, %j] : memref<5x3x6xf32>
            loop.store %0, %y[%t, %p, %j] : memref<5x3x6xf32>
          }
        }
      }
      NEST
      func.return
    }
"""
STEP = """
            %0 = loop.load %y[%t, %p, %j - 1] : memref<5x3x6xf32>
            %1 = loop.load %y[%t, %p, %j + 1] : memref<5x3x6xf32>
            %2 = arith.addf %0, %1 : f32
            loop.store %2, %y[%t + 1, %p, %j] : memref<5x3x6xf32>
"""


def nest(*loops: str) -> str:
    return STENCIL.replace("NEST", " {\n".join(loops) + " {" + STEP + "}" * len(loops))


ROWS = 'loop.for parallel "p" %p = 0 to 3'
TIME = 'loop.for serial "t" %t = 0 to 4'
COLUMNS = 'loop.for parallel "j" %j = 1 to 5'


def check(text: str, *args: Array) -> tuple[list[Array], str | None]:
    ctx = new_context()
    forwards, found = find_false_parallel(parse_module(text, "test.mlir", ctx), "f", args, ctx.resources)
    return forwards, None if found is None else str(found)


@pytest.mark.parametrize("order", ["lockstep", "forwards", "backwards"])
def test_a_parallel_loop_gives_the_same_in_any_order(order: Order, rng: np.random.Generator) -> None:
    ctx, x = new_context(), rng.random(6, np.float32)
    module = parse_module(COPY.replace("FROM", "%i").replace("TO", "-%i + 5"), "test.mlir", ctx)
    np.testing.assert_array_equal(run_function(module, "f", [x], ctx.resources, order)[0], x[::-1])


def test_only_the_loops_that_are_named_run_in_another_order() -> None:
    ctx, x = new_context(), np.arange(6, dtype=np.float32)
    module = parse_module(RECURRENCE, "test.mlir", ctx)
    loops = {op.dim.data: op for op in module.walk() if isinstance(op, ForOp)}
    runs = {
        dim: run_function(module, "f", [x], ctx.resources, "forwards", {loops[dim]: "backwards"})[0].tolist()
        for dim in loops
    }
    assert runs == {"start": [0, 1, 3, 6, 10, 15], "sum": [0, 1, 3, 5, 7, 9], "end": [0, 1, 3, 6, 10, 15]}


def test_a_recurrence_is_named_in_the_function_that_holds_it() -> None:
    (found,), message = check(RECURRENCE, np.arange(6, dtype=np.float32))
    assert found.tolist() == [0, 1, 3, 6, 10, 15]
    assert message == (
        'the parallel loop "sum" at test.mlir:11:7 is not parallel: result 0 at [3] is 6.0 if its iterations run '
        "forwards, 5.0 if backwards"
    )


def test_writes_to_one_element_are_found() -> None:
    _, message = check(COPY.replace("FROM", "%i").replace("TO", "0"), np.arange(6, dtype=np.float32))
    assert message is not None
    assert "result 0 at [0] is 5.0 if its iterations run forwards, 0.0 if backwards" in message


def test_lockstep_hides_a_stencil_whose_time_runs_inside(rng: np.random.Generator) -> None:
    b = rng.random((5, 3, 6), np.float32)
    right, wrong = nest(ROWS, TIME, COLUMNS), nest(COLUMNS, TIME, ROWS)
    ctx = new_context()
    (expected,) = run_function(parse_module(right, "right.mlir", ctx), "f", [b], ctx.resources)
    (hidden,) = run_function(parse_module(wrong, "wrong.mlir", ctx), "f", [b], ctx.resources)
    np.testing.assert_array_equal(hidden, expected)
    (forwards,), message = check(right, b)
    assert message is None
    np.testing.assert_array_equal(forwards, expected)
    _, message = check(wrong, b)
    assert message is not None
    assert message.startswith('the parallel loop "j" at test.mlir:11:7 is not parallel: result 0 at [2, 0, ')


def test_nans_of_any_payload_are_one_value() -> None:
    x = np.array([0x7FC00000, 0xFFC00001, 0, 0x7F800001, 0, 0], np.uint32).view(np.float32)
    assert check(COPY.replace("FROM", "%i").replace("TO", "%i"), x)[1] is None


def test_work_counts_ops_in_loops_and_calls() -> None:
    module = parse_module(RECURRENCE, "test.mlir", new_context())
    start, in_sum = 1 + 6 * 3, (1 + 5 * 5) + (1 + 3 * 3) + 1
    assert work_of(module, "f", in_lockstep=False).ops == start + in_sum + 1
    assert work_of(module, "f").ops == (1 + 3) + (1 + 5) + (1 + 3) + 1 + 1
