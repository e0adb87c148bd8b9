"""Why a node cannot be converted."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.support.bindings import NEEDS_VALUE
from mlc.support.functions import input_names

_FEW = 16
"""How many integers an input has at most that steers: a shape, axes, a rate."""
_MOST_VALUES = 10_000
"""How far back an input is searched for."""


class Unconvertible(Exception):
    """What a node asks for cannot be done. The message says what was found, and what is required."""


class Unfit(Unconvertible):
    """The shapes or types of operands do not fit. The message says so of graph ops; what the specification says of the
    node, if it says anything, comes first."""


class Unknown(Unconvertible):
    """A node needs the values of an operand, which are known only when the model runs.

    What to do depends on the input of the model that they come from: one of a few integers steers, and can be bound.
    """

    def __init__(self, operand: str, value: SSAValue) -> None:
        data = _input_of_data(value)
        super().__init__(
            f"'{operand}' {NEEDS_VALUE}, and depends on "
            + (
                "what the model is given; an input that only steers is given by --value NAME=NUMBER"
                if data is None
                else f"the numbers in input '{data}', not on its shape alone; required: a model that computes all "
                "elements and chooses among them (Where), rather than taking out or changing as many as the data says"
            )
        )


def _input_of_data(value: SSAValue) -> str | None:
    """The name of an input behind `value` that is no few integers; None if none is found in reasonable time."""
    pending, seen = [value], set[SSAValue]()
    while pending and len(seen) < _MOST_VALUES:
        if (each := pending.pop()) in seen:
            continue
        seen.add(each)
        if isinstance(each.owner, Operation):
            pending += each.owner.operands
        elif isinstance(function := each.owner.parent_op(), FuncOp):
            if isinstance(element_of(each), AnyFloat) or prod(shape_of(each)) > _FEW:
                return input_names(function)[cast(BlockArgument, each).index]
        elif function is not None:
            pending += function.operands
    return None
