"""Constants at the loop level: which one a buffer is, the name of its data, and who reads it how often."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseResourceAttr
from xdsl.ir import Operation, SSAValue

from mlc.dialects.loop import ConstantOp, enclosing_loops


def resource_of(constant: ConstantOp) -> str:
    """The name of the resource of a constant; empty if its numbers stand in the text."""
    return constant.value.resource_handle.data if isinstance(constant.value, DenseResourceAttr) else ""


def constant_behind(value: SSAValue) -> ConstantOp | None:
    """The constant that `value` is, perhaps under another shape."""
    while isinstance(owner := value.owner, memref.ReinterpretCastOp):
        value = owner.source
    return owner if isinstance(owner, ConstantOp) else None


def users_of_buffer(value: SSAValue) -> Iterator[Operation]:
    """What uses a buffer, once for each time, under whatever shape."""
    for use in value.uses:
        if isinstance(use.operation, memref.ReinterpretCastOp):
            yield from users_of_buffer(use.operation.result)
        else:
            yield use.operation


def runs_of(op: Operation) -> int:
    """How often an op runs, as far as the loops around it say."""
    return prod(len(loop.range) for loop in enclosing_loops(op))
