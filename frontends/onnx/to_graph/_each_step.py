"""Slices whose places are known in each step of a loop, though no constants: those of its counter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, SSAValue

from mlc.dialects.graph import GatherOp, GraphOp
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import Array, GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.folding import computed

_MOST_ELEMENTS = 64
_MOST_OPS = 16
"""Of how many elements a value is that steers, and how many ops in a row make it of a counter."""


def in_each_step(knowledge: Knowledge, values: Sequence[SSAValue]) -> list[Array] | None:
    """The values in the steps of the one loop on whose counters they depend, stacked, or one row of those that are
    constants; None if that is not known, or if all are constants."""
    if all(knowledge.array(v) is not None for v in values):
        return None
    counters = _Counters(knowledge)
    found = [counters.rows(v, _MOST_OPS) for v in values]
    rows = [a for a in found if a is not None]
    return rows if len(rows) == len(found) else None


@dataclass
class _Counters:
    """What some values are in each step, as far as it was asked for."""

    knowledge: Knowledge
    loop: Block | None = None
    """The body whose arguments they depend on: what those of two loops are in their steps says nothing of both."""
    found: dict[SSAValue, Array | None] = field(default_factory=dict[SSAValue, "Array | None"])

    def rows(self, value: SSAValue, depth: int) -> Array | None:
        """A value in each step; None if it takes more than so many ops in a row to find out."""
        if (array := self.knowledge.array(value)) is not None:
            return array[None]
        if value not in self.found:
            self.found[value] = (
                self._argument(value) if isinstance(value, BlockArgument) else self._result(value, depth)
            )
        return self.found[value]

    def _argument(self, value: BlockArgument) -> Array | None:
        if value not in self.knowledge.each_step or self.loop not in (None, value.owner):
            return None
        self.loop = value.owner
        return self.knowledge.each_step[value]()

    def _result(self, value: SSAValue, depth: int) -> Array | None:
        op = value.owner
        if not depth or not isinstance(op, GraphOp) or op.regions or len(op.results) != 1:
            return None
        if prod(shape_of(value)) > _MOST_ELEMENTS:
            return None
        known: list[Array] = []
        for operand in op.operands:
            if (rows := self.rows(operand, depth - 1)) is None:
                return None
            known.append(rows)
        try:
            steps = range(max(map(len, known), default=1))
            return np.stack([computed(op, [a[step % len(a)] for a in known]) for step in steps])
        except UndefinedBehavior:
            return None


def taken_in_each_step(extent: int, starts: Sequence[int], ends: Sequence[int], step: int) -> list[range]:
    """The places of a dim that a slice of ONNX takes in each step of a loop, as Python counts them.

    A start below the first element is the first one, backwards too, where Python takes none.
    """
    places: list[range] = []
    for number in range(max(len(starts), len(ends))):
        start, end = starts[number % len(starts)], ends[number % len(ends)]
        start = max(min(start, extent), -extent)
        places.append(range(extent)[start:end:step])
    return places


def gathered(
    b: GraphBuilder, value: SSAValue, axis: int, start: SSAValue, starts: Sequence[int], places: Sequence[range]
) -> SSAValue:
    """What a slice takes along an axis from `start`, an integer, which is one of `starts` in each step of a loop.

    Raises:
        Unconvertible: it does not take as many elements in each step, or not from its start on.
    """
    counts = {len(each) for each in places}
    if len(counts) > 1:
        raise Unconvertible(
            f"it takes {min(counts)} to {max(counts)} elements along axis {axis} in the steps of a loop; required: as "
            "many in each"
        )
    shifts = {each.start - starts[number % len(starts)] for number, each in enumerate(places)}
    if len(shifts) > 1:
        raise Unconvertible(
            f"it starts inside and outside of axis {axis} in the steps of a loop; required: one of both in all steps"
        )
    row = np.arange(counts.pop()) * places[0].step + shifts.pop()
    return b(GatherOp, value, b.add(b.cast(start, i64), b.constant(row, i64)), axis)
