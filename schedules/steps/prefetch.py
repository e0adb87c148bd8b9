"""`prefetch`: ask before a loop for what is read and written after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, constant_index, rewritten_subscripts
from mlc.dialects.loop import ForOp, PrefetchOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.affine import simplify_sum, split_constant
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.errors import Refused
from mlc.support.types import memref_type, vector_type
from mlc.targets.machine import resolve_target

_SHORT = 32
"""The most iterations of a loop whose lines are asked for one by one: no register tile has more rows, or vectors."""
Line = tuple[SSAValue, tuple[SSAValue, ...], tuple[AffineExpr, ...], int]
"""What is fetched at a time: a memref, index operands, subscripts without constants, and the line that these say."""


def prefetch(loop: ForOp, line_bytes: int) -> int:
    """Ask before `loop` for what is read and written after it; returns the number of new ops.

        s = for k: …; load r[m, n]; store y[m, n]
    ->
        prefetch r[m, n]; prefetch y[m, n]; s = for k: …; load r[m, n]; store y[m, n]

    The tile of a matrix product reads a residual, and writes its result, in a few short pieces of rows that no CPU
    foresees. While the loop computes there is time to bring them. This concerns the arguments of the function, each
    line of a cache, of `line_bytes`, once.
    """
    lines: dict[Line, PrefetchOp] = {}
    for access, indices, affine in _places_behind(loop):
        for place in places_of_lines(access, affine, line_bytes):
            if (line := line_at(access.memref, indices, place, line_bytes)) not in lines:
                lines[line] = PrefetchOp(access.memref, indices, place)
    Rewriter.insert_op(list(lines.values()), InsertPoint.before(loop))
    return len(lines)


def line_at(memref: SSAValue, indices: Sequence[SSAValue], affine: AffineMap, line_bytes: int) -> Line:
    """Which line of a cache an element of an array of one dim or more is in: equal of two if they share one.

    The line is counted from where the constants of all subscripts are 0.
    """
    kind = memref_type(memref)
    shape, elements = kind.get_shape(), line_bytes // to_numpy(kind.element_type).itemsize
    parts = [split_constant(subscript) for subscript in affine.results]
    constant = sum(number * prod(shape[axis + 1 :]) for axis, (_, number) in enumerate(parts))
    places = tuple(terms if terms is not None else AffineExpr.constant(0) for terms, _ in parts)
    return memref, tuple(indices), places, constant // elements


def places_of_lines(access: AccessOp, place: AffineMap, line_bytes: int) -> Iterator[AffineMap]:
    """The subscripts of each line that an access at `place` touches: of a vector that goes along a row, and of a matrix
    in each of its rows, one after the other."""
    lanes, shaped = access.lanes, vector_type(access.accessed)
    if shaped is None or not (access.is_consecutive or lanes.rows is not None):
        yield place
        return
    *rows, columns = shaped.get_shape()
    elements = line_bytes // to_numpy(memref_type(access.memref).element_type).itemsize
    for row in range(prod(rows)):
        for column in range(0, columns if lanes.active is None else lanes.active, elements):
            moved = list(place.results)
            if lanes.rows is not None:
                moved[lanes.rows] += row * lanes.row_stride
            moved[-1] = simplify_sum(moved[-1] + column)
            yield AffineMap(place.num_dims, 0, tuple(moved))


def _places_behind(loop: ForOp) -> Iterator[tuple[AccessOp, Sequence[SSAValue], AffineMap]]:
    """What is loaded from and stored to arguments after `loop` in its block, at places known before it.

    Of a short parallel loop, such as `unroll_reduction` makes, that is each iteration; other loops are not looked into.
    """
    unknown: set[SSAValue] = set(loop.results)
    op = loop.next_op
    while op is not None:
        for access in _ops_looked_at(op):
            unknown.update(access.results)
            if isinstance(access, AccessOp) and access.map.data.results and _is_argument(access.memref):
                for indices, affine in _in_each_iteration(access, op):
                    if unknown.isdisjoint(indices):
                        yield access, indices, affine
        op = op.next_op


def _ops_looked_at(op: Operation) -> list[Operation]:
    """`op`, or the ops of its body if it is a short parallel loop."""
    is_short = isinstance(op, ForOp) and op.is_parallel and len(op.range) <= _SHORT
    return list(op.regions[0].block.ops) if is_short else [op]


def _in_each_iteration(access: AccessOp, op: Operation) -> list[tuple[list[SSAValue], AffineMap]]:
    """The subscripts of an access for each iteration of `op`, if that is a loop around it that it depends on."""
    if not isinstance(op, ForOp) or op.induction_variable not in access.indices:
        return [rewritten_subscripts(access, {})]
    return [rewritten_subscripts(access, {op.induction_variable: constant_index(i)}) for i in op.range]


def _is_argument(value: SSAValue) -> bool:
    function: Operation | None = value.owner.parent_op() if isinstance(value.owner, Block) else None
    return isinstance(function, func.FuncOp)


@dataclass(frozen=True)
class Prefetch(LoopStep):
    """what is read and written after a loop is asked for before it"""

    name = "prefetch"
    example = "prefetch(k)"

    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if not prefetch(loop, resolve_target(ctx.target).memory.line_bytes):
            raise Refused(f"no argument is read or written after the loop '{loop.dim.data}'")

    def outcome(self, loop: ForOp) -> str:
        return "nothing to prefetch"

    def words(self, plan: LoopPlan) -> str:
        return f"what is read and written after {self.loop} is asked for before it"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return bool(loop.carried)
