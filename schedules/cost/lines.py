"""Where in memory a load or store goes, in bytes: how far it moves with a loop, and whether it lies on two lines."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue

from mlc.analysis.accesses import AccessOp, loop_of
from mlc.analysis.memory_accesses import IndexSum
from mlc.dialects.loop import ForOp
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, memref_type, vector_type


@dataclass(frozen=True)
class Address:
    """Bytes from the start of a memref: those of each counter, times its value, and a constant."""

    factors: dict[SSAValue, int]
    constant: int

    @staticmethod
    def of(op: AccessOp) -> Address | None:
        """Where the first element of an access is; None if there is a division or a remainder in a subscript."""
        kind = memref_type(op.memref)
        stride = to_numpy(element_type(kind)).itemsize
        factors: dict[SSAValue, int] = {}
        constant = 0
        for expr, extent in zip(reversed(op.map.data.results), reversed(kind.get_shape()), strict=True):
            if (index := IndexSum.of(expr, tuple(op.indices))) is None:
                return None
            constant += index.constant * stride
            for value, factor in index.factors.items():
                factors[value] = factors.get(value, 0) + factor * stride
            stride *= extent
        return Address(factors, constant)

    def step(self, loop: ForOp) -> int:
        """By how many bytes it moves from one iteration of a loop to the next."""
        return abs(self.factors.get(loop.induction_variable, 0)) * loop.step.value.data


def width(op: AccessOp) -> int:
    """The bytes that a consecutive access reads or writes."""
    shaped = vector_type(op.accessed)
    lanes = 1 if shaped is None else op.lanes.active or shaped.get_shape()[-1]
    return lanes * to_numpy(element_type(memref_type(op.memref))).itemsize


def part_on_two_lines(op: AccessOp, piece: int, line_bytes: int) -> float:
    """What part of the pieces of `piece` bytes, one register each, of a consecutive access lies on two lines.

    Buffers begin with a line, and places are taken to be spread evenly over those that the steps of loops allow.
    """
    if vector_type(op.accessed) is None or (address := Address.of(op)) is None:
        return 0.0
    whole, piece = width(op), min(piece, width(op), line_bytes)
    grain = gcd(line_bytes, piece if whole > piece else 0)
    for counter, factor in address.factors.items():
        loop = loop_of(counter)
        grain = gcd(grain, factor if loop is None else gcd(factor * loop.step.value.data, factor * loop.range.start))
    places = range(address.constant % grain, line_bytes, grain)
    return sum(place + piece > line_bytes for place in places) / len(places)
