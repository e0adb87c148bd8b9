"""Rewritten subscripts stand for the same elements as before, in all iterations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from itertools import product

import pytest
from xdsl.dialects.arith import AddiOp, ConstantOp
from xdsl.dialects.builtin import IntegerAttr
from xdsl.ir import SSAValue

from mlc.analysis.accesses import AccessOp, counter_bounds, loop_of, materialize, simplify_quotients
from mlc.analysis.lanes import has_room, lanes_over
from mlc.dialects.loop import LoadOp
from mlc.support.affine import split_constant
from mlc.tests.unit.passes.loop.programs import Program

EXTENT = 256


def _load(subscript: str, i: str = "0 to 5", j: str = "0 to 5", lanes: str = "") -> LoadOp:
    """A load in two loops, at a subscript of their counters `%i` and `%j`."""
    program = Program(
        f"%x: memref<{EXTENT}xf32>",
        f"""
        loop.for serial "i" %i = {i} {{
          loop.for serial "j" %j = {j} {{
            %a = loop.load %x[{subscript}] {lanes}: memref<{EXTENT}xf32>
          }}
        }}""",
    )
    (load,) = (op for op in program.function.walk() if isinstance(op, LoadOp))
    return load


def _iterations(load: AccessOp) -> Iterator[Mapping[SSAValue, int]]:
    """The values of all counters, in each iteration."""
    inner = load.parent_op()
    outer = inner.parent_op() if inner else None
    loops = [loop_of(op.regions[0].block.args[0]) for op in (outer, inner) if op]
    for values in product(*(loop.range for loop in loops if loop)):
        yield {loop.induction_variable: value for loop, value in zip(loops, values, strict=True) if loop}


def _elements(load: AccessOp) -> list[int]:
    (subscript,) = load.map.data.results
    return [subscript.eval([values[v] for v in load.indices], []) for values in _iterations(load)]


@pytest.mark.parametrize(
    ("subscript", "i", "j", "after"),
    [
        ("(%i + %j) floordiv 8", "0 to 32 step 8", "0 to 8", "d0 floordiv 8"),
        ("(%i + %j) floordiv 8", "0 to 32 step 8", "0 to 9", None),  # the last j is in the next block
        ("(%i + %j - 1) floordiv 8", "8 to 32 step 8", "0 to 8", None),  # the first one is in the block before
        ("(%i + %j + 3) floordiv 8", "0 to 32 step 8", "0 to 5", "(d0 + 3) floordiv 8"),
        ("(%i + %j) floordiv 8", "4 to 36 step 8", "0 to 8", None),  # blocks that start in the middle
        ("(%i + %j) floordiv 8", "4 to 36 step 8", "0 to 4", "d0 floordiv 8"),
        ("(%i * 2 + %j) floordiv 8", "0 to 16 step 4", "0 to 8", "(d0 * 2) floordiv 8"),
        ("(%i + %j) floordiv 12", "0 to 32 step 8", "0 to 8", None),  # blocks of 8 and of 12 do not end together
        ("(%i + %j) floordiv 16", "0 to 32 step 8", "0 to 8", "d0 floordiv 16"),
    ],
)
def test_quotients(subscript: str, i: str, j: str, after: str | None) -> None:
    load = _load(subscript, i, j)
    before, elements = load.map.data, _elements(load)
    simplify_quotients(load)
    assert _elements(load) == elements
    assert (load.map.data == before) == (after is None)
    if after is not None:
        assert len(load.indices) == 1
        assert str(load.map.data.results[0]).replace("(d0)", "d0").strip("()") == after.strip("()")


def test_quotients_of_any_loops() -> None:
    rng, simpler = random.Random(0), 0
    for _ in range(300):
        i, j = (
            f"{low} to {low + step * rng.randint(1, 4)} step {step}"
            for low, step in ((rng.choice((0, 0, 4, 8)), rng.choice((1, 2, 4, 8))) for _ in range(2))
        )
        factors = [rng.choice((1, 1, 1, 2)) for _ in range(2)]
        divisor = rng.choice((4, 6, 8, 16))
        load = _load(f"(%i * {factors[0]} + %j * {factors[1]} + {rng.choice((0, 0, 1, 3))}) floordiv {divisor}", i, j)
        before, elements = load.map.data, _elements(load)
        simplify_quotients(load)
        simpler += load.map.data != before
        assert _elements(load) == elements, (i, j, before)
    assert simpler > 10


@pytest.mark.parametrize("subscript", ["%i + %j", "%i * 3 + %j - 2", "20 - %i + %j", "40 - %i * 2 - %j", "7"])
@pytest.mark.parametrize("i", ["2 to 3", "3 to 12 step 4"])
def test_bounds(subscript: str, i: str) -> None:
    load = _load(subscript, i, "1 to 6 step 2")
    elements = _elements(load)
    (expr,) = load.map.data.results
    assert counter_bounds(expr, load.indices) == (min(elements), max(elements))


@pytest.mark.parametrize("subscript", ["%i + %j", "%i + 3", "%j", "%i + %j + 20", "5", "0"])
def test_materialized_sum(subscript: str) -> None:
    load = _load(subscript)
    (expr,) = load.map.data.results
    if split_constant(expr)[0] is None:
        assert not load.indices
    ops, result = materialize((load.indices, expr))
    for values, expected in zip(_iterations(load), _elements(load), strict=True):
        known = dict(values)
        for op in ops:
            if isinstance(op, ConstantOp):
                assert isinstance(op.value, IntegerAttr)
                known[op.result] = op.value.value.data
            else:
                assert isinstance(op, AddiOp)
                known[op.result] = known[op.lhs] + known[op.rhs]
        assert known[result] == expected


@pytest.mark.parametrize(
    ("subscript", "stride"),
    [("%j", 1), ("%j + %i", 1), ("%j * 3", 3), ("7 - %j", None), ("9 - %j * 2", None), ("%j floordiv 2", None)],
)
def test_lanes_over_a_counter(subscript: str, stride: int | None) -> None:
    """Lanes go upwards, evenly spaced; steps of the counter count."""
    load = _load(subscript)
    counter = next(v for v in load.indices if v.name_hint == "j")
    for step in (1, 2):
        lanes = lanes_over(load, counter, step)
        assert (None if lanes is None else lanes.stride) == (None if stride is None else stride * step)


@pytest.mark.parametrize(("low", "room"), [(EXTENT - 8 - 4, True), (EXTENT - 8 - 3, False), (0, True)])
def test_room_behind_the_last_lane(low: int, room: bool) -> None:
    """Five iterations as eight lanes that start at `low` to `low + 4`."""
    load = _load(f"%i + %j + {low}")
    counter = next(v for v in load.indices if v.name_hint == "j")
    assert has_room(load, counter, 5, 8) is room
