"""`cache-write`: move a loop that reduces out of the parallel loops around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.legality import require_repeatable
from mlc.analysis.nests import perfect_nest
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, YieldOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, other
from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Refused
from mlc.support.ir import clone
from mlc.support.types import MemRef, element_type, memref_type, vector_type

Values = dict[SSAValue, SSAValue]


def cache_write(loop: ForOp, outermost: ForOp) -> None:
    """Let `loop`, which carries values, run around `outermost`, a parallel loop around it, and all loops between them.

        for n: for m: { s = for k iter_args(a = 0): a + x[m, k] * w[k, n]; store y[m, n] = f(s) }
    ->
        for n: for m: store t[m, n] = 0
        for k: for n: for m: { a = load t[m, n]; store t[m, n] = a + x[m, k] * w[k, n] }
        for n: for m: { s = load t[m, n]; store y[m, n] = f(s) }

    Between the iterations of `loop` its values wait in a buffer. If `loop` runs over blocks of a reduction, this is the
    blocking of the middle dim of a matrix product (Goto and van de Geijn, "Anatomy of High-Performance Matrix
    Multiplication", 2008): what one block reads stays in a cache for all points.

    Raises:
        Refused: the loops are not of this form, or what stands before `loop` would see what it writes.
    """
    nest = perfect_nest(outermost)
    _check(loop, nest)
    before = _ops_before(loop)
    types = [value.type for value in loop.iter_args]
    places = _order(loop, nest)
    shape = [len(level.range) for level in places]
    buffers = [memref.AllocOp([], [], _buffer_of(kind, shape)) for kind in types]
    for buffer, value in zip(buffers, loop.carried, strict=True):
        buffer.location = loop.location
        buffer.memref.name_hint = value.name_hint
    starts = [AffineExpr.dimension(i) - level.range.start for i, level in enumerate(places)]

    def place(buffer: memref.AllocOp) -> AffineMap:
        """Where the value of an iteration waits; a vector has a row of its own."""
        row = [AffineExpr.constant(0)] * (memref_type(buffer.memref).get_num_dims() - len(starts))
        return AffineMap(len(starts), 0, (*starts, *row))

    def load_all(values: Values) -> list[LoadOp]:
        counters = [values.get(level.induction_variable, level.induction_variable) for level in places]
        return [LoadOp(b.memref, counters, place(b), kind) for b, kind in zip(buffers, types, strict=True)]

    def store_all(new: Sequence[SSAValue], values: Values) -> list[Operation]:
        counters = [values[level.induction_variable] for level in places]
        return [StoreOp(values.get(v, v), b.memref, counters, place(b)) for v, b in zip(new, buffers, strict=True)]

    def initial(values: Values) -> list[Operation]:
        return [*_copies(before, loop.iter_args, values), *store_all(loop.iter_args, values)]

    hoisted = loop.like()

    def one_iteration(values: Values) -> list[Operation]:
        inside = list(loop.body.block.ops)[:-1]
        needed = [v for op in inside for inner in op.walk() for v in inner.operands]
        first = _copies(before, needed, values)
        loads = load_all(values)
        values[loop.induction_variable] = hoisted.induction_variable
        values.update(zip(loop.carried, (load.result for load in loads), strict=True))
        return [*first, *loads, *(clone(op, values) for op in inside), *store_all(loop.yielded, values)]

    start = _nest_like(nest, initial)
    hoisted.body.block.add_ops([_nest_like(nest, one_iteration), YieldOp()])
    Rewriter.insert_op([*buffers, start, hoisted], InsertPoint.before(outermost))
    results = load_all({})
    Rewriter.replace_op(loop, results, [load.result for load in results])
    for op in reversed(before):
        if not any(result.uses for result in op.results):
            op.detach()
            op.erase()


def _check(loop: ForOp, nest: Sequence[ForOp]) -> None:
    if not loop.iter_args:
        raise Refused("it carries no values")
    if loop.parent_op() is not nest[-1]:
        raise Refused(f"more than loops is between '{nest[0].dim.data}' and '{loop.dim.data}'")
    for level in nest:
        if not level.is_parallel:
            raise Refused(f"'{level.dim.data}' is not parallel")
        if level.step.value.data != 1:
            raise Refused(f"'{level.dim.data}' runs over blocks; tile it afterwards")
    require_repeatable(_ops_before(loop), [loop])


def _buffer_of(kind: Attribute, shape: Sequence[int]) -> MemRef:
    """The type of a buffer for values of the type `kind`, one for each point of `shape`."""
    vector = vector_type(kind)
    lanes = () if vector is None else vector.get_shape()
    return MemRefType(element_type(kind), [*shape, *lanes])


def _ops_before(loop: ForOp) -> list[Operation]:
    assert loop.parent is not None
    ops = list(loop.parent.ops)
    return ops[: ops.index(loop)]


def _order(loop: ForOp, nest: Sequence[ForOp]) -> list[ForOp]:
    """The loops as the dims of the buffers: in the order of the subscripts of what is stored after the loop."""
    block = loop.parent
    assert block is not None
    position: dict[SSAValue, int] = {}
    for store in (op for op in block.ops if isinstance(op, StoreOp)):
        for axis, subscript in enumerate(store.map.data.results):
            for dim in subscript.used_dims():
                position.setdefault(store.indices[dim], axis)
    return sorted(nest, key=lambda level: position.get(level.induction_variable, -1))


def _copies(ops: Sequence[Operation], needed: Sequence[SSAValue], values: Values) -> list[Operation]:
    """Copies of those of `ops` that `needed` values depend on; `values` learns their results."""
    wanted = set(needed)
    chosen: list[Operation] = []
    for op in reversed(ops):
        if any(result in wanted for result in op.results):
            chosen.append(op)
            wanted.update(op.operands)
    return [clone(op, values) for op in reversed(chosen)]


def _nest_like(nest: Sequence[ForOp], body: Callable[[Values], Sequence[Operation]]) -> ForOp:
    """Loops like those of `nest` around what `body` makes, which is told the new counter for each old one."""
    loops = [old.like() for old in nest]
    values: Values = {o.induction_variable: n.induction_variable for o, n in zip(nest, loops, strict=True)}
    inside = body(values)
    for new in reversed(loops):
        new.body.block.add_ops([*inside, YieldOp()])
        inside = [new]
    return loops[0]


@dataclass(frozen=True)
class CacheWrite(LoopStep):
    """a loop that reduces runs around `n` and what is in it; its results wait in a buffer"""

    name = "cache_write"
    example = "cache_write(k, n)"

    loop: LoopName
    out_of: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        # In program order: what is left over of a tiled loop takes up the values of the blocks before it.
        return [refusal for loop in reversed(loops) for refusal in self.attempt(loop, scheduling.ctx)]

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        outermost: Operation | Block | None = loop.parent_op()
        while isinstance(outermost, ForOp) and outermost.dim.data != self.out_of:
            outermost = outermost.parent_op()
        if not isinstance(outermost, ForOp):
            raise Refused(f"it is in no loop '{self.out_of}'")
        cache_write(loop, outermost)

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not hoisted"

    def words(self, plan: LoopPlan) -> str:
        return f"{self.loop} runs around {self.out_of}; partial results wait in a buffer"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return bool(loop.carried) and isinstance(outer := loop.parent_op(), ForOp) and outer.is_parallel

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        around = [op.dim.data for op in enclosing_loops(loop) if op.dim.data != loop.dim.data]
        return cls(loop.dim.data, rng.choice(around) if around else other(rng, loop))
