"""Small helpers over xDSL's IR that several passes need."""

from __future__ import annotations

import math

from xdsl.dialects import arith
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.support.types import integer_width, scalar_attribute


def clone(op: Operation, mapping: dict[SSAValue, SSAValue] | None = None) -> Operation:
    """A copy of `op`, location included, with operands replaced as `mapping` says; `mapping` learns the results."""
    copy = op.clone(mapping)
    copy.location = op.location
    return copy


def drop_overflow_flags(op: Operation) -> None:
    """Let an integer op wrap around: what was promised of the values that it had does not hold for others."""
    if "overflowFlags" in op.properties:
        op.properties["overflowFlags"] = arith.IntegerOverflowAttr("none")


def identity_of(reduction: str, element: Attribute) -> arith.ConstantOp:
    """The constant that changes nothing when it is combined: 0, 1, or the least or greatest value of the type."""
    if (width := integer_width(element)) is not None:
        least = -(1 << (width - 1))
        value = {"add": 0, "mul": 1, "max": least, "min": -least - 1}[reduction]
    else:
        value = {"add": 0.0, "mul": 1.0, "max": -math.inf, "min": math.inf}[reduction]
    return arith.ConstantOp(scalar_attribute(value, element))


def zero_of(element: Attribute) -> arith.ConstantOp:
    """The constant 0 of a number type."""
    return identity_of("add", element)
