"""What has to be true for steps on loops: what they refuse, and that they refuse no more than that."""

from __future__ import annotations

import pytest

from mlc.analysis.legality import (
    Refused,
    may_pass,
    require_exchange,
    require_fusible,
    require_independent,
    require_only_loops,
    require_repeatable,
)
from mlc.analysis.memory_accesses import Effects
from mlc.tests.unit.passes.loop.programs import Program

GRID = "%b: memref<8x8xf32> {mlc.output}"
ROW = "%x: memref<8xf32>, %b: memref<10xf32> {mlc.output}, %y: memref<8xf32> {mlc.output}"


def _time_steps(read: str, kind: str = "parallel") -> Program:
    """Each step of `t` computes a row from the one before."""
    return Program(
        GRID,
        f"""
        loop.for serial "t" %t = 0 to 7 {{
          loop.for {kind} "j" %j = 1 to 7 {{
            %a = loop.load %b[{read}] : memref<8x8xf32>
            loop.store %a, %b[%t + 1, %j] : memref<8x8xf32>
          }}
        }}""",
    )


@pytest.mark.parametrize("read", ["%t, %j - 1", "%t, %j + 1"])
def test_serial_loop_that_hands_on_stays_outside(read: str) -> None:
    """To a later iteration of the inner loop, and to an earlier one."""
    outer, inner = _time_steps(read).loops
    with pytest.raises(Refused, match=r"an iteration of 't' .* an element of '%b' that others of 'j' touch in a later"):
        require_exchange([outer, inner], [inner, outer])


@pytest.mark.parametrize("read", ["%t, %j", "0, %j - 1", "%t + 1, %j"])
def test_serial_loop_may_move_inwards(read: str) -> None:
    """Where columns have nothing to do with each other; the first row is not written."""
    outer, inner = _time_steps(read).loops
    require_exchange([outer, inner], [inner, outer])


def test_order_that_stays_is_not_looked_at() -> None:
    outer, inner = _time_steps("%t, %j - 1").loops
    require_exchange([outer, inner], [outer, inner])


def _two_loops(kind: str, read: str) -> Program:
    return Program(
        ROW,
        f"""
        loop.for {kind} "n" %n = 1 to 7 {{
          %a = loop.load %x[%n] : memref<8xf32>
          loop.store %a, %b[%n] : memref<10xf32>
        }}
        loop.for {kind} "n" %n = 1 to 7 {{
          %c = loop.load %b[{read}] : memref<10xf32>
          loop.store %c, %y[%n] : memref<8xf32>
        }}""",
    )


@pytest.mark.parametrize(
    ("kind", "read", "fusible"),
    [
        ("serial", "%n", True),
        ("serial", "%n - 1", True),  # stored by then
        ("serial", "%n + 1", False),  # stored later
        ("parallel", "%n", True),
        ("parallel", "%n - 1", False),  # iterations would depend on each other
        ("parallel", "%n + 1", False),
        ("parallel", "%n + 3 - 3", True),
        ("parallel", "%n floordiv 2", False),
    ],
)
def test_fusion(kind: str, read: str, fusible: bool) -> None:
    first, second = _two_loops(kind, read).loops
    effects = Effects.of(first), Effects.of(second)
    if fusible:
        require_fusible(first, second, *effects)
    else:
        with pytest.raises(Refused, match="an iteration touches what other iterations of the other one touch"):
            require_fusible(first, second, *effects)


@pytest.mark.parametrize(
    ("subscripts", "independent"),
    [("%n|%n", True), ("%n|%n + 1", False), ("%n + 1|%n", False), ("%n|%n + 7", True), ("%n * 2|%n * 2 + 1", True)],
)
def test_independence(subscripts: str, independent: bool) -> None:
    read, write = subscripts.split("|")
    program = Program(
        "%b: memref<16xf32> {mlc.output}",
        f"""
        loop.for serial "n" %n = 0 to 7 {{
          %a = loop.load %b[{read}] : memref<16xf32>
          loop.store %a, %b[{write}] : memref<16xf32>
        }}""",
    )
    if independent:
        require_independent(program.loops[0])
    else:
        with pytest.raises(Refused, match=r"an iteration (writes|reads) an element of '%b' that another one touches"):
            require_independent(program.loops[0])


_LOAD = "%a = loop.load %b[0] : memref<10xf32>"
_STORE = "%v = loop.load %x[1] : memref<8xf32>\nloop.store %v, %b[{at}] : memref<10xf32>"
_CALL = "func.call @callee() : () -> ()"
_ALLOC = "%t = memref.alloc() : memref<4xf32>"


@pytest.mark.parametrize(
    ("first", "second", "free"),
    [
        (_LOAD, _STORE.format(at=1), True),
        (_LOAD, _STORE.format(at=0), False),
        (_LOAD, _CALL, False),
        (_CALL, _LOAD, False),
        (_CALL, _CALL, False),
        (_LOAD, _ALLOC, True),
    ],
)
def test_changing_places(first: str, second: str, free: bool) -> None:
    ops = Program(ROW, f"{first}\n{second}").ops
    assert may_pass(Effects.of(ops[0]), Effects.of(*ops[1:])) is free


@pytest.mark.parametrize(
    ("op", "reason"),
    [
        (_LOAD.replace("%b[0]", "%b[1]"), None),
        (_LOAD, "it writes what is read before it"),
        (_ALLOC, "'memref.alloc' stands before it"),  # a copy of it would be another buffer
        (_CALL, "'func.call' stands before it"),
        ("%z = arith.constant 1.0 : f32\nloop.store %z, %y[0] : memref<8xf32>", "'loop.store' stands before it"),
        ('loop.for serial "k" %k = 0 to 2 {}', "'loop.for' stands before it"),
    ],
)
def test_repeating(op: str, reason: str | None) -> None:
    *ops, later = Program(ROW, f'{op}\nloop.for serial "n" %n = 0 to 1 {{\n{_STORE.format(at=0)} }}').ops
    if reason is None:
        require_repeatable(ops, [later])
    else:
        with pytest.raises(Refused, match=f"^{reason}$"):
            require_repeatable(ops, [later])


def test_loops_that_hold_other_regions() -> None:
    program = Program(
        ROW,
        """
        %true = arith.constant true
        loop.for serial "n" %n = 0 to 2 {
          scf.if %true { }
        }
        loop.for serial "m" %m = 0 to 2 {
          loop.for serial "k" %k = 0 to 2 { }
        }""",
    )
    with pytest.raises(Refused, match=r"'scf\.if' in it has a body of its own"):
        require_only_loops(program.loops[0])
    require_only_loops(program.loops[1])
