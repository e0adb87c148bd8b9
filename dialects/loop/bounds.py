"""The values that subscripts take in the loops around them, and which loads and stores leave their buffer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop.counted import CountedLoop, loop_counting
from mlc.support.linear import LinearForm
from mlc.support.types import memref_type

if TYPE_CHECKING:
    from mlc.dialects.loop.memory import LoadOp, StoreOp

_Sum = tuple[dict[SSAValue, int], int]
"""Counters of loops with their factors, and a constant."""


def ends_of_sum(factors: Mapping[SSAValue, int], constant: int) -> tuple[int, int] | None:
    """The least and the greatest value of a sum of loop counters, each times its factor, in all iterations together.

    A loop that begins or ends at a sum of counters of loops around it bounds its own counter by that. None if one of
    the values is not a loop counter, or its loop does not run.
    """
    loops = {value: loop_counting(value) for value in factors}
    low = high = constant
    for value, factor in factors.items():
        if (loop := loops[value]) is None or not (trips := loop.range):
            return None
        first, last = (trips[0], trips[-1]) if factor > 0 else (trips[-1], trips[0])
        low, high = low + factor * first, high + factor * last
    if all(loop is None or loop.limit is None for loop in loops.values()):
        return low, high
    least, negative = _least(factors, constant), _least({v: -f for v, f in factors.items()}, -constant)
    return low if least is None else least, high if negative is None else -negative


def _least(factors: Mapping[SSAValue, int], constant: int) -> int | None:
    """The least value of a sum: the innermost counter is replaced by each of its bounds, the best of which counts."""
    factors = {value: factor for value, factor in factors.items() if factor}
    if not factors:
        return constant
    loops = {value: loop_counting(value) for value in factors}
    counter = max(factors, key=lambda value: _depth(loops[value]))
    loop, factor = loops[counter], factors.pop(counter)
    if loop is None or not loop.range:
        return None
    found = _least(factors, constant + factor * (loop.range[0] if factor > 0 else loop.range[-1]))
    if found is None or (bound := _bound_by_value(loop, is_lower=factor > 0)) is None:
        return found
    terms, offset = bound
    both = {value: factors.get(value, 0) + factor * terms.get(value, 0) for value in {**factors, **terms}}
    other = _least(both, constant + factor * offset)
    return found if other is None else max(found, other)


def _bound_by_value(loop: CountedLoop, is_lower: bool) -> _Sum | None:
    """What the counter of a serial loop never is below, or above, by its start or its limit; None if that is not known.

    A loop from 0 without a start runs once even if the limit is not positive.
    """
    value = loop.start if is_lower else loop.limit
    if value is None or loop.is_parallel or (bound := _sum_of(value)) is None:
        return None
    if is_lower:
        return bound if loop.step.value.data == 1 else None
    factors, constant = bound
    runs = loop.start is not None or (_least(factors, constant) or 0) > loop.range.start
    return (factors, constant - 1) if runs else None


def _sum_of(value: SSAValue) -> _Sum | None:
    """An index as a sum of loop counters; None if it is made otherwise."""
    if loop_counting(value) is not None:
        return {value: 1}, 0
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return {}, op.value.value.data
    if not isinstance(op, arith.AddiOp | arith.SubiOp | arith.MuliOp):
        return None
    one, other = _sum_of(op.lhs), _sum_of(op.rhs)
    if one is None or other is None:
        return None
    if isinstance(op, arith.MuliOp):
        (factors, constant), (rest, factor) = (one, other) if not other[0] else (other, one)
        return None if rest else ({v: f * factor for v, f in factors.items()}, constant * factor)
    sign = -1 if isinstance(op, arith.SubiOp) else 1
    factors = {v: one[0].get(v, 0) + sign * other[0].get(v, 0) for v in {**one[0], **other[0]}}
    return factors, one[1] + sign * other[1]


def _depth(op: Operation | None) -> int:
    depth = 0
    while op is not None:
        op, depth = op.parent_op(), depth + 1
    return depth


def find_outside(op: LoadOp | StoreOp) -> str | None:
    """The first subscript with which `op` leaves its buffer, in words; None if there is none.

    A subscript is looked at if it is a sum of counters of loops. All loops around have to run, and nothing else may
    stand around, so that what is found does happen: such a sum takes its least and its greatest value.
    """
    if (counters := _counters_around(op)) is None:
        return None
    memref = memref_type(op.memref)
    places = zip(op.map.data.results, memref.get_shape(), op.reach, strict=True)
    for axis, (subscript, extent, reach) in enumerate(places):
        total = sum_of_counters(subscript, op.indices)
        if total is None or not total[0].keys() <= counters or (ends := ends_of_sum(*total)) is None:
            continue
        least, greatest = ends[0], ends[1] + reach
        if least < 0 or greatest >= extent:
            runs = f"runs from {least} to {greatest}" if least < greatest else f"is {least}"
            return f"subscript {axis} {runs}, outside of {memref}"
    return None


def _counters_around(op: Operation) -> set[SSAValue] | None:
    """The counters of the loops around `op`; None if `op` may not be run."""
    counters: set[SSAValue] = set()
    while (parent := op.parent_op()) is not None:
        if isinstance(parent, FuncOp):
            return counters if len(parent.body.blocks) == 1 else None
        if not isinstance(parent, CountedLoop) or not parent.range:
            return None
        counters.add(parent.induction_variable)
        op = parent
    return None


def sum_of_counters(expr: AffineExpr, indices: Sequence[SSAValue]) -> _Sum | None:
    """An expression of indices as a sum of these; None if it divides."""
    if (form := LinearForm.of(expr)) is None:
        return None
    factors: dict[SSAValue, int] = {}
    for dim, factor in form.factors.items():
        counter = indices[dim]
        factors[counter] = factors.get(counter, 0) + factor
    return factors, form.constant
