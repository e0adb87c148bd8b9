"""Vectors of several registers, for what takes one register at a time.

    %t = loop.dot %a, %b, %s : vector<64xi32>
    %u = loop.dot %c, %d, %t : vector<64xi32>        four instructions of 16 lanes for each

A vector is taken apart once, where it is made. What makes registers puts them together for those that take the whole;
who wants the registers of such a vector gets them as they were, so that most vectors are never put together.
"""

from __future__ import annotations

from xdsl.dialects import llvm
from xdsl.dialects.builtin import BytesAttr, DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.passes.loop_to_llvm._types import shuffle
from mlc.support.types import repeated_number, vector_of, vector_type


class Registers:
    """The registers of the vectors of one module, each taken once."""

    def __init__(self) -> None:
        self._taken: dict[tuple[SSAValue, int], list[SSAValue]] = {}

    def of(self, value: SSAValue, lanes: int, new: list[Operation]) -> list[SSAValue]:
        """The parts of so many lanes of a vector; the lanes divide it.

        Args:
            new: ops that are not in the IR yet, to which those are appended that take apart what one of them makes.
        """
        if (parts := _joined_parts(value, lanes)) is not None:
            return parts
        if (parts := self._taken.get((value, lanes))) is not None:
            return parts
        ops, parts = _taken_apart(value, lanes)
        owner = value.owner
        if isinstance(owner, Operation) and owner.parent is None:
            new += ops
            return parts
        if (maker := owner.parent_op() if isinstance(owner, Block) else owner) is not None:
            for op in ops:
                op.location = maker.location
        Rewriter.insert_op(ops, InsertPoint.at_start(owner) if isinstance(owner, Block) else InsertPoint.after(owner))
        self._taken[value, lanes] = parts
        return parts


def _joined_parts(value: SSAValue, lanes: int) -> list[SSAValue] | None:
    """What a vector was put together of (`concatenated`); None if it was made otherwise."""
    if _lanes(value) == lanes:
        return [value]
    owner = value.owner
    if not isinstance(owner, llvm.ShuffleVectorOp) or owner.mask.get_values() != tuple(range(2 * _lanes(owner.v1))):
        return None
    low, high = _joined_parts(owner.v1, lanes), _joined_parts(owner.v2, lanes)
    return None if low is None or high is None else [*low, *high]


def _taken_apart(value: SSAValue, lanes: int) -> tuple[list[Operation], list[SSAValue]]:
    """Ops that give the parts of a vector, and the parts."""
    count, owner = _lanes(value) // lanes, value.owner
    whole = owner.value if isinstance(owner, llvm.ConstantOp) else None
    if isinstance(whole, DenseIntOrFPElementsAttr) and repeated_number(whole) is not None:
        data, kind = whole.data.data, vector_of(whole.get_element_type(), lanes)
        part = DenseIntOrFPElementsAttr(kind, BytesAttr(data[: len(data) // count]))
        constant = llvm.ConstantOp.create(result_types=[kind], properties={"value": part})
        return [constant], [constant.result] * count
    parts = [shuffle(value, value, range(first, first + lanes)) for first in range(0, count * lanes, lanes)]
    return [*parts], [part.res for part in parts]


def _lanes(value: SSAValue) -> int:
    kind = vector_type(value.type)
    assert kind is not None
    return kind.get_shape()[0]
