"""Why a node cannot be converted."""

from __future__ import annotations

from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyFloat
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.support.errors import NamedOption, Refused, Words
from mlc.support.functions import input_names

_FEW = 16
"""How many integers an input has at most that steers: a shape, axes, a rate."""
_MOST_VALUES = 10_000
"""How far back an input is searched for."""
_BIND_VALUE = NamedOption("value", "NAME=NUMBER", "values={'NAME': NUMBER}")


class Unconvertible(Refused):
    """What a node asks for cannot be done.

    Attributes:
        of_operands: the shapes or types of operands do not fit. The words say so of graph ops; what the specification
            says of the node, if it says anything, comes first.
        needs_value: the value of an operand has to be known.
    """

    def __init__(self, words: Words, *, of_operands: bool = False, needs_value: bool = False) -> None:
        super().__init__(words)
        self.of_operands = of_operands
        self.needs_value = needs_value


def value_needed(operand: str, value: SSAValue) -> Unconvertible:
    """The refusal of a node that needs the value of an operand, which is known only when the model runs.

    What to do depends on the input of the model that it comes from: one of a few integers steers, and can be bound.
    """
    data = _input_of_data(value)
    because: Words = ("what the model is given; an input that only steers is given by ", _BIND_VALUE)
    if data is not None:
        because = [
            f"the numbers in input '{data}', not on its shape alone; required: a model that computes all elements and "
            "chooses among them (Where), rather than taking out or changing as many as the data says"
        ]
    known = f"'{operand}' has to be known when the model is compiled, and depends on "
    return Unconvertible((known, *because), needs_value=True)


def _input_of_data(value: SSAValue) -> str | None:
    """The name of an input behind `value` that is not a few integers; None if none is found in reasonable time."""
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
