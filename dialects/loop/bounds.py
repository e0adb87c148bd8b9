"""Which loads and stores leave their buffer, as far as the bounds of the loops around them tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop.counted import CountedLoop
from mlc.support.linear import LinearForm
from mlc.support.types import memref_type

if TYPE_CHECKING:
    from mlc.dialects.loop.memory import LoadOp, StoreOp


def find_outside(op: LoadOp | StoreOp) -> str | None:
    """The first subscript with which `op` leaves its buffer, in words; None if there is none.

    A subscript is looked at if it is a sum of counters of loops. All loops around have to run, and nothing else may
    stand around, so that what is found does happen: such a sum takes its least and its greatest value.
    """
    if (ranges := _counters_around(op)) is None:
        return None
    memref = memref_type(op.memref)
    places = zip(op.map.data.results, memref.get_shape(), op.reach, strict=True)
    for axis, (subscript, extent, reach) in enumerate(places):
        if (ends := _ends(subscript, op, ranges)) is None:
            continue
        least, greatest = ends[0], ends[1] + reach
        if least < 0 or greatest >= extent:
            runs = f"runs from {least} to {greatest}" if least < greatest else f"is {least}"
            return f"subscript {axis} {runs}, outside of {memref}"
    return None


def _counters_around(op: Operation) -> dict[SSAValue, range] | None:
    """The counters of the loops around `op` and their values; None if `op` may not be run."""
    ranges: dict[SSAValue, range] = {}
    while (parent := op.parent_op()) is not None:
        if isinstance(parent, FuncOp):
            return ranges if len(parent.body.blocks) == 1 else None
        if not isinstance(parent, CountedLoop) or not parent.range:
            return None
        ranges[parent.induction_variable] = parent.range
        op = parent
    return None


def _ends(subscript: AffineExpr, op: LoadOp | StoreOp, ranges: dict[SSAValue, range]) -> tuple[int, int] | None:
    """The least and the greatest value of a subscript; None if it is not a sum of counters."""
    if (form := LinearForm.of(subscript)) is None:
        return None
    factors: dict[SSAValue, int] = {}
    for dim, factor in form.factors.items():
        counter = op.indices[dim]
        factors[counter] = factors.get(counter, 0) + factor
    if not factors.keys() <= ranges.keys():
        return None
    ends = [sorted((factor * ranges[c][0], factor * ranges[c][-1])) for c, factor in factors.items()]
    return form.constant + sum(e[0] for e in ends), form.constant + sum(e[1] for e in ends)
