"""Which stretches of their arguments kernels touch: where, in elements, each access is, and where all of them are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.dialects import func
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap

from mlc.analysis.accesses import SubscriptedOp, set_subscripts
from mlc.analysis.memory_accesses import IndexSum
from mlc.analysis.structure import Structure
from mlc.dialects.loop import Lanes, PrefetchOp
from mlc.support.linear import LinearForm
from mlc.support.types import memref_type, vector_type


@dataclass(frozen=True)
class Span:
    """The elements of a row-major buffer from number `start` on."""

    start: int
    length: int


@dataclass(frozen=True)
class AccessPlace:
    """Where an access is: the number of its first element, as a sum of index values and a constant.

    Attributes:
        lanes_apart: how many elements the next lane is away.
        lanes: how many touch memory.
        rows_apart: how many elements the next row of a matrix is away.
        rows: how many it has.
    """

    factors: Mapping[SSAValue, int]
    constant: int
    lanes_apart: int = 1
    lanes: int = 1
    rows_apart: int = 1
    rows: int = 1

    @staticmethod
    def of(op: SubscriptedOp) -> AccessPlace | None:
        """The place of `op`; None if there is a division or a remainder in a subscript."""
        shape = memref_type(op.memref).get_shape()
        factors: dict[SSAValue, int] = defaultdict(int)
        constant = 0
        for axis, subscript in enumerate(op.map.data.results):
            if (total := IndexSum.of(subscript, op.indices)) is None:
                return None
            step = prod(shape[axis + 1 :])
            constant += step * total.constant
            for value, factor in total.factors.items():
                factors[value] += step * factor
        factors = {value: factor for value, factor in factors.items() if factor}
        if isinstance(op, PrefetchOp) or (vector := vector_type(op.accessed)) is None:
            return AccessPlace(factors, constant)
        lanes, shaped = op.lanes, vector.get_shape()
        apart = lanes.stride * prod(shape[len(shape) if lanes.along is None else lanes.along + 1 :])
        place = AccessPlace(factors, constant, apart, shaped[-1] if lanes.active is None else lanes.active)
        if lanes.rows is None:
            return place
        return replace(place, rows_apart=lanes.row_stride * prod(shape[lanes.rows + 1 :]), rows=shaped[0])

    def bounds(self) -> tuple[int, int] | None:
        """The first and the last element that is touched, in all iterations together; None if that is not known."""
        ends = IndexSum(self.factors, self.constant).bounds()
        reach = (self.lanes - 1) * self.lanes_apart + (self.rows - 1) * self.rows_apart
        return None if ends is None else (ends[0], ends[1] + reach)


def spans_of(function: func.FuncOp) -> tuple[dict[SSAValue, Span], dict[Operation, AccessPlace]]:
    """The span of each argument of which all accesses are known, and the places of these."""
    spans: dict[SSAValue, Span] = {}
    places: dict[Operation, AccessPlace] = {}
    for argument in function.args:
        if not isinstance(argument.type, MemRefType):
            continue
        here: dict[Operation, AccessPlace] = {}
        for use in argument.uses:
            place = AccessPlace.of(use.operation) if isinstance(use.operation, SubscriptedOp) else None
            if place is None:
                break
            here[use.operation] = place
        else:
            if (span := _span(here, prod(memref_type(argument).get_shape()))) is not None:
                spans[argument] = span
                places |= here
    return spans, places


def _span(places: Mapping[Operation, AccessPlace], elements: int) -> Span | None:
    """All that is touched; None if that is nothing, or not known to be in the buffer. Prefetches may go beyond it."""
    ends = [place.bounds() for op, place in places.items() if not isinstance(op, PrefetchOp)]
    known = [pair for pair in ends if pair is not None]
    if not known or len(known) < len(ends):
        return None
    first, last = min(low for low, _ in known), max(high for _, high in known)
    return Span(first, last - first + 1) if first >= 0 and last < elements else None


def access_from_start(op: SubscriptedOp, place: AccessPlace, span: Span) -> None:
    """Let `op` access a span that it is given instead of the buffer that the span is of."""
    values: Sequence[SSAValue] = list(place.factors)
    form = LinearForm(dict(enumerate(place.factors.values())), place.constant - span.start)
    set_subscripts(op, values, AffineMap(len(values), 0, (form.expr,)))
    if isinstance(op, PrefetchOp):
        return
    lanes = Lanes(
        stride=place.lanes_apart,
        active=op.lanes.active,
        rows=None if op.lanes.rows is None else 0,
        row_stride=place.rows_apart,
    )
    for name in Lanes._fields:
        op.properties.pop(name, None)
    op.properties.update(lanes.properties)


class StructureUpToPlaces(Structure):
    """What a kernel does with the stretches of memory that it touches, wherever these are."""

    def __init__(self, spans: Mapping[SSAValue, Span], places: Mapping[Operation, AccessPlace]) -> None:
        super().__init__()
        self._spans, self._places = spans, places

    def type_of(self, argument: SSAValue) -> Hashable:
        if argument not in self._spans:
            return argument.type
        buffer = memref_type(argument)
        return buffer.element_type, buffer.memory_space

    def operands_of(self, op: Operation) -> Sequence[SSAValue]:
        if not isinstance(op, SubscriptedOp) or op.memref not in self._spans:
            return op.operands
        return [*op.operands[: -len(op.indices) or None], *sorted(self._places[op].factors, key=self.number)]

    def properties_of(self, op: Operation) -> Mapping[str, Hashable]:
        properties = super().properties_of(op)
        if isinstance(op, func.FuncOp):
            return {**properties, "function_type": op.function_type.outputs}
        if not isinstance(op, SubscriptedOp) or op.memref not in self._spans:
            return properties
        place, span = self._places[op], self._spans[op.memref]
        factors = tuple(factor for _, factor in sorted((self.number(v), f) for v, f in place.factors.items()))
        rest = {name: value for name, value in properties.items() if name not in ("map", "along", "stride")}
        return {**rest, "place": (factors, place.constant - span.start, place.lanes_apart)}
