"""Which elements the lanes of a vector access stand for, when a loop becomes lanes."""

from __future__ import annotations

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.analysis.accesses import AccessOp, counter_bounds, loop_of
from mlc.analysis.memory_accesses import base_of, writes_to
from mlc.dialects.loop import Lanes
from mlc.support.affine import split_terms
from mlc.support.types import memref_type


def lanes_over(op: AccessOp, counter: SSAValue, step: int) -> Lanes | None:
    """The elements that `op` goes through as `counter` advances by `step`; None if they are not evenly spaced.

    They are if the counter is in one subscript only, times a positive number: `%x[%n, %m * 2]` goes down a column with
    `%n` and takes every second element of a row with `%m`.
    """
    position = list(op.indices).index(counter)
    subscripts = op.map.data.results
    moving = [axis for axis, e in enumerate(subscripts) if position in e.used_dims()]
    if len(moving) != 1:
        return None
    (axis,) = moving
    factor = split_terms(subscripts[axis])[position]
    if factor is None or factor < 1:
        return None
    return Lanes(axis if axis != len(subscripts) - 1 else None, factor * step)


def _is_stored_along(op: AccessOp, last: AffineExpr, counter: SSAValue) -> bool:
    """Whether a loop that goes along the row that `op` reads, at the subscript `last`, stores to that buffer.

    That of `counter` does no harm: its iterations become one.
    """
    counters = {op.indices[dim] for dim in last.used_dims()} - {counter}
    around = [loop for counter in counters if (loop := loop_of(counter)) is not None]
    buffer = base_of(op.memref)
    return any(writes_to([loop], buffer) for loop in around)


def has_room(op: AccessOp, counter: SSAValue, trips: int, length: int) -> bool:
    """Whether a row of the buffer goes on for `length` elements wherever the first of `trips` lanes may be.

    `op` must go through consecutive elements with `counter`. Those after the last lane must be nobody's result: an
    iteration beside this one may be about to store them.
    """
    last = op.map.data.results[-1]
    if _is_stored_along(op, last, counter):
        return False
    try:
        _, greatest = counter_bounds(last, op.indices)
    except ValueError:
        return False
    return greatest - (trips - 1) + length <= memref_type(op.memref).get_shape()[-1]
