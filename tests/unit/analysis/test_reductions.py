"""Which loops reduce, and the value that changes nothing."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
from xdsl.dialects.builtin import FloatAttr, IntegerAttr

from mlc.analysis.reductions import Reduction, reduction_of
from mlc.support.ir import identity_of
from mlc.support.types import element_type
from mlc.tests.unit.passes.loop.programs import Program

ARGUMENTS = "%x: memref<8x{0}>, %y: memref<8x{0}> {{mlc.output}}"


def _loop(step: str, kind: str = "f32") -> Reduction | str:
    """What is said of a loop that starts from `%init` and yields `%b`, computed from `%acc` and a number `%a`."""
    number = "1.0" if kind == "f32" else "1"
    program = Program(
        ARGUMENTS.format(kind),
        f"""
        %init = arith.constant {number} : {kind}
        %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %init) -> ({kind}) {{
          %a = loop.load %x[%k] : memref<8x{kind}>
          {step}
          loop.yield %b : {kind}
        }}
        loop.store %s, %y[0] : memref<8x{kind}>""",
    )
    return reduction_of(program.loops[0])


_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "arith.addf": operator.add,
    "arith.mulf": operator.mul,
    "arith.maximumf": max,
    "arith.maxnumf": max,
    "arith.minimumf": min,
    "arith.addi": operator.add,
    "arith.muli": operator.mul,
    "arith.maxsi": max,
    "arith.minsi": min,
}


@pytest.mark.parametrize("op", _COMBINED)
@pytest.mark.parametrize("operands", ["%acc, %a", "%a, %acc"])
def test_combination(op: str, operands: str) -> None:
    """It is recognised, and its identity combined with any number is that number."""
    kind = "f32" if op.endswith("f") else "i32"
    found = _loop(f"%b = {op} {operands} : {kind}", kind)
    assert isinstance(found, Reduction)
    assert found.combine.name == op
    constant = identity_of(found.combination.reduction, element_type(found.combine.results[0].type)).value
    assert isinstance(constant, IntegerAttr | FloatAttr)
    identity: Any = constant.value.data  # pyright: ignore[reportUnknownMemberType]
    for number in (-(2**31), -3, 0, 5, 2**31 - 1):
        value = number if kind == "i32" else float(number)
        assert _COMBINED[op](type(value)(identity), value) == value
    pair = found.combination.pair(found.combine.operands[0], found.combine.operands[1])
    assert pair.name == op


def test_fma_adds_to_its_last_operand() -> None:
    found = _loop("%b = math.fma %a, %a, %acc : f32")
    assert isinstance(found, Reduction)
    assert found.combination.reduction == "add"
    for operands in ("%acc, %a, %a", "%a, %acc, %a"):
        assert _loop(f"%b = math.fma {operands} : f32") == "the carried value is not a sum, product, maximum or minimum"


@pytest.mark.parametrize("init", ["0x7fc00000", "0xff800000"])
def test_maxnum_starts_from_a_number(init: str) -> None:
    """Partial results that start from -inf would replace the NaN of a row of NaN."""
    program = Program(
        ARGUMENTS.format("f32"),
        f"""
        %init = arith.constant {init} : f32
        %s = loop.for serial "k" %k = 0 to 8 iter_args(%acc = %init) -> (f32) {{
          %a = loop.load %x[%k] : memref<8xf32>
          %b = arith.maxnumf %acc, %a : f32
          loop.yield %b : f32
        }}""",
    )
    found = reduction_of(program.loops[0])
    assert isinstance(found, Reduction) if init == "0xff800000" else str(found).startswith("it may start from NaN")


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        ("%b = arith.subf %acc, %a : f32", "the carried value is not a sum"),
        ("%b = arith.addf %a, %a : f32", "the carried value is not a sum"),
        ("%b = arith.addf %acc, %acc : f32", "partial results of it are used"),
        ("%b = arith.addf %acc, %a : f32 loop.store %b, %y[%k] : memref<8xf32>", "partial results of it are used"),
        ("%b = arith.addf %acc, %a : f32 loop.store %acc, %y[%k] : memref<8xf32>", "partial results of it are used"),
    ],
)
def test_other_steps(step: str, reason: str) -> None:
    found = _loop(step)
    assert isinstance(found, str)
    assert found.startswith(reason)


def test_two_values() -> None:
    program = Program(
        "%y: memref<8xf32> {mlc.output}",
        """
        %one = arith.constant 1.0 : f32
        %s, %t = loop.for serial "k" %k = 0 to 8 iter_args(%a = %one, %b = %one) -> (f32, f32) {
          %c = arith.addf %a, %one : f32
          loop.yield %c, %b : f32, f32
        }""",
    )
    assert reduction_of(program.loops[0]) == "it does not carry exactly one value"
