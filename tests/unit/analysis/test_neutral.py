"""Steps of a reduction that change nothing because of what they read."""

from __future__ import annotations

import math

import pytest
from xdsl.dialects.arith import ConstantOp
from xdsl.dialects.builtin import FloatAttr, f32

from mlc.analysis.neutral import leave_out, leaves_no_trace, never_counts
from mlc.dialects.loop import LoadOp
from mlc.tests.unit.passes.loop.programs import Program

ARGUMENTS = "%p: memref<8xf32>, %w: memref<8xf32>, %y: memref<8xf32> {mlc.output}"


def _window(step: str) -> tuple[Program, LoadOp]:
    """A loop that reads `%a`, from what may be padding, and a weight `%b`, and yields `%c` for `%acc`."""
    program = Program(
        ARGUMENTS,
        f"""
        %init = arith.constant 0.0 : f32
        %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %init) -> (f32) {{
          %a = loop.load %p[%k] : memref<8xf32>
          %b = loop.load %w[%k] : memref<8xf32>
          {step}
          loop.yield %c : f32
        }}
        loop.store %s, %y[0] : memref<8xf32>""",
    )
    read, *_ = (op for op in program.function.walk() if isinstance(op, LoadOp))
    return program, read


_SUM = "%m = arith.mulf %a, %b : f32 %c = arith.addf %m, %acc : f32"
_FMA = "%c = math.fma %b, %a, %acc : f32"
_MAXIMUM = "%c = arith.maximumf %a, %acc : f32"


@pytest.mark.parametrize(
    ("step", "value", "counts"),
    [
        (_SUM, 0.0, False),
        (_SUM, 1.0, True),
        (_FMA, 0.0, False),
        (_FMA, 1.0, True),
        (_MAXIMUM, -math.inf, False),
        (_MAXIMUM, 0.0, True),
        ("%c = arith.addf %a, %acc : f32", 0.0, False),
        ("%c = arith.subf %acc, %a : f32", 0.0, True),
        ("%c = math.fma %b, %acc, %a : f32", 0.0, True),  # the carried value is a factor
        ("%e = math.exp %a : f32 %c = arith.addf %acc, %e : f32", 0.0, True),
        ("%m = arith.mulf %a, %b : f32 %c = arith.maximumf %m, %acc : f32", 0.0, True),
        (f"loop.store %a, %y[%k] : memref<8xf32> {_SUM}", 0.0, True),
    ],
)
def test_values_that_count(step: str, value: float, counts: bool) -> None:
    _, read = _window(step)
    assert never_counts(read, ConstantOp(FloatAttr(value, f32))) is not counts


@pytest.mark.parametrize("step", [_SUM, _FMA, _MAXIMUM, "%c = arith.addf %acc, %a : f32"])
def test_what_is_left_out_hands_on_the_carried_value(step: str) -> None:
    program, read = _window(step)
    leave_out(read)
    (loop,) = program.loops
    assert list(loop.yielded) == list(loop.carried)
    assert not any(op.name in ("arith.mulf", "arith.addf", "math.fma", "arith.maximumf") for op in loop.walk())


_INSIDE = """%c = loop.for serial "j" %j = 0 to 2 iter_args(%inner = %acc) -> (f32) {{
  %m = arith.mulf %a, %b : f32
  {0}
  loop.yield %n : f32
}}"""


@pytest.mark.parametrize(
    ("step", "traceless"),
    [
        (_SUM, True),
        (f"{_SUM} loop.store %b, %y[%k] : memref<8xf32>", False),
        (f"{_SUM} func.call @callee() : () -> ()", False),
        ("%m = arith.mulf %a, %b : f32 %d = arith.addf %acc, %m : f32 %c = arith.addf %d, %b : f32", False),
        (_INSIDE.format("%n = arith.addf %inner, %m : f32"), True),
        (_INSIDE.format("%d = arith.addf %inner, %m : f32 %n = arith.mulf %d, %b : f32"), False),
    ],
)
def test_iterations_that_leave_no_trace(step: str, traceless: bool) -> None:
    """They combine what is read with what they carry, and do nothing else."""
    program, read = _window(step)
    assert leaves_no_trace(program.loops[0], read) is traceless
