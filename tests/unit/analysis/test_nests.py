"""Perfect nests."""

from __future__ import annotations

import pytest

from mlc.analysis.nests import inline_single_iterations, perfect_nest
from mlc.dialects.loop import StoreOp
from mlc.tests.unit.passes.loop.programs import Program

ARGUMENTS = "%y: memref<4x4xf32> {mlc.output}"
INNER = (
    'loop.for parallel "j" %j = 0 to 4 { %z = arith.constant 0.0 : f32 loop.store %z, %y[%i, %j] : memref<4x4xf32> }'
)
CARRIED = '%r = loop.for serial "j" %j = 0 to 4 iter_args(%a = %one) -> (f32) { loop.yield %a : f32 }'


@pytest.mark.parametrize(
    ("body", "depth"),
    [
        (INNER, 2),
        (f"%first = arith.constant 0.0 : f32\n{INNER}", 1),
        (f"{INNER}\nloop.store %one, %y[%i, 0] : memref<4x4xf32>", 1),
        (CARRIED, 1),
        ("loop.store %one, %y[%i, 0] : memref<4x4xf32>", 1),
    ],
)
def test_perfect_nest(body: str, depth: int) -> None:
    """A loop is all there is in the one above, and no values go in or out."""
    program = Program(ARGUMENTS, f'%one = arith.constant 1.0 : f32\nloop.for serial "i" %i = 0 to 4 {{ {body} }}')
    assert perfect_nest(program.loops[0]) == program.loops[:depth]


def test_loop_that_carries_a_value_is_no_nest() -> None:
    body = f"{INNER} loop.yield %b : f32"
    program = Program(
        ARGUMENTS,
        f"""%one = arith.constant 1.0 : f32
        %r = loop.for serial "i" %i = 0 to 4 iter_args(%b = %one) -> (f32) {{ {body} }}""",
    )
    assert len(perfect_nest(program.loops[0])) == 1


@pytest.mark.parametrize(("bounds", "stays"), [("3 to 4", False), ("3 to 5", True), ("1 to 5 step 4", False)])
def test_single_iterations_are_inlined(bounds: str, stays: bool) -> None:
    program = Program(
        ARGUMENTS,
        f"""loop.for serial "i" %i = {bounds} {{
          %one = arith.constant 1.0 : f32
          loop.store %one, %y[%i - 1, 0] : memref<4x4xf32>
        }}""",
    )
    start = program.loops[0].range.start
    inline_single_iterations(program.function)
    assert bool(program.loops) is stays
    if not stays:
        (subscript, _) = next(op.map.data for op in program.ops if isinstance(op, StoreOp)).results
        assert subscript.eval([], []) == start - 1
