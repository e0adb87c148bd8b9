"""`cache_read`: what a loop reads of an argument is copied, and widened, before all that reads it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import counter_bounds, loop_of
from mlc.analysis.argument_names import argument_name
from mlc.analysis.legality import note_if_refused
from mlc.dialects.arith import ExtSIOp, ExtUIOp, SIToFPOp, UIToFPOp
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.dialects.loop.nests import parallel_nest
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import ArgumentName, LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of
from mlc.schedules.steps.pack import argument_of_step
from mlc.support.affine import simplify_sum, split_constant, split_terms
from mlc.support.context import Remark
from mlc.support.errors import Refused
from mlc.support.types import memref_type

_CASTS = (ExtSIOp, ExtUIOp, SIToFPOp, UIToFPOp, arith.ExtFOp)
"""What makes a number of another type of one number, exactly or with one rounding."""


@dataclass(frozen=True)
class _WidenedRead:
    """A load from an argument, and the casts after it."""

    load: LoadOp
    casts: tuple[Operation, ...]
    outer: tuple[AffineExpr, ...]
    """What counters of the loop and those around it add to the subscripts, and the least that those inside add."""
    inner: tuple[AffineExpr, ...]
    """What counters of loops inside add, less the least of it."""
    sizes: tuple[int, ...]
    """How many subscripts along each axis the loops inside may read."""

    @property
    def result(self) -> SSAValue:
        """The widened number."""
        return self.casts[-1].results[0] if self.casts else self.load.result

    @property
    def place(self) -> object:
        """Two reads of equal places read the same part of the argument, and widen it alike."""
        kinds = tuple((type(op), op.results[0].type) for op in self.casts)
        return tuple(map(str, self.outer)), tuple(self.load.indices), self.sizes, kinds


def cache_read(argument: BlockArgument, loop: ForOp) -> None:
    """Copy what one iteration of `loop` reads of an argument to a buffer, widened, from which the loops inside read it.

        for g: for m: for n: for k: … sitofp(extsi(w[16 * g + k, n])) …
    ->
        for g: { for w_0 in 0..16: for w_1: t[w_0, w_1] = sitofp(extsi(w[16 * g + w_0, w_1]))
                 for m: for n: for k: … t[k, n] … }

    Loops that copy are named after the axes of the argument along which they go.

    Proof: nobody writes the argument, so that it is the same when it is read earlier; a subscript that one iteration
    of the loops inside has along an axis lies in the argument, whatever those along other axes are.

    Raises:
        Refused: the loop reads several parts of the argument, or vectors of it; nothing has been changed.
    """
    if any(isinstance(use.operation, StoreOp) for use in argument.uses):
        raise Refused(f"'{argument_name(argument)}' is written")
    inside = set(loop.walk())
    reads = [_read(use.operation, loop) for use in argument.uses if use.operation in inside]
    if not reads:
        raise Refused(f"it does not read '{argument_name(argument)}'")
    first = reads[0]
    if any(each.place != first.place for each in reads):
        raise Refused(f"it reads several parts of '{argument_name(argument)}'")
    axes = [axis for axis, size in enumerate(first.sizes) if size > 1]
    kind = MemRefType(first.result.type, [first.sizes[axis] for axis in axes])
    buffer = memref.AllocOp([], [], kind, alignment=IntegerAttr(64, i64))
    buffer.memref.name_hint = f"{argument_name(argument)}_read"
    dims = [(f"{argument_name(argument)}_{axis}", first.sizes[axis]) for axis in axes]

    def copy(counters: list[SSAValue]) -> list[Operation]:
        indices = [*first.load.indices, *counters]
        own = [AffineExpr.dimension(len(first.load.indices) + i) for i in range(len(counters))]
        subscripts = list(first.outer)
        for axis, counter in zip(axes, own, strict=True):
            subscripts[axis] = simplify_sum(subscripts[axis] + counter)
        used = sorted(set[int]().union(*(e.used_dims() for e in subscripts)))
        places = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(indices))]
        affine = AffineMap(len(used), 0, tuple(e.replace_dims_and_symbols(places, []) for e in subscripts))
        new: list[Operation] = [LoadOp(argument, [indices[i] for i in used], affine)]
        for op in first.casts:
            new.append(type(op).create(operands=[new[-1].results[0]], result_types=[op.results[0].type]))
        store = StoreOp(new[-1].results[0], buffer.memref, counters, AffineMap.identity(len(counters)))
        for op in (*new, store):
            op.location = first.load.location
        return [*new, store]

    for each in reads:
        _read_from(buffer.memref, each, axes)
    body = loop.body.block
    assert body.first_op is not None
    Rewriter.insert_op([buffer, *parallel_nest(dims, copy)], InsertPoint.before(body.first_op))


def _read(op: Operation, loop: ForOp) -> _WidenedRead:
    """What an op that uses the argument reads in a loop.

    Raises:
        Refused: it is not a load of one number, or has indices of another kind.
    """
    if not isinstance(op, LoadOp) or op.result.type != memref_type(op.memref).element_type:
        raise Refused(f"'{op.name}' uses the whole buffer, or vectors of it")
    casts: list[Operation] = []
    value: SSAValue = op.result
    while value.has_one_use() and isinstance(cast := next(iter(value.uses)).operation, _CASTS):
        casts.append(cast)
        value = cast.results[0]
    loops = [loop_of(counter) for counter in op.indices]
    if any(each is None for each in loops):
        raise Refused("an index is not a loop counter")
    is_inner = [each is not None and each is not loop and loop.is_ancestor(each) for each in loops]
    zero = AffineExpr.constant(0)
    kept = [
        [AffineExpr.dimension(i) if inner == wanted else zero for i, inner in enumerate(is_inner)]
        for wanted in (False, True)
    ]
    outer, moving, sizes = list[AffineExpr](), list[AffineExpr](), list[int]()
    for subscript in op.map.data.results:
        factors = split_terms(subscript)
        if any(factors.get(dim, 0) is None for dim, inner in enumerate(is_inner) if inner):
            raise Refused("a subscript is not a sum of multiples of the counters of loops inside")
        around, within = (simplify_sum(subscript.replace_dims_and_symbols(dims, [])) for dims in kept)
        within = simplify_sum(within - split_constant(subscript)[1])
        low, high = counter_bounds(within, op.indices)
        outer.append(simplify_sum(around + low))
        moving.append(simplify_sum(within - low))
        sizes.append(high - low + 1)
    return _WidenedRead(op, tuple(casts), tuple(outer), tuple(moving), tuple(sizes))


def _read_from(buffer: SSAValue, read: _WidenedRead, axes: Sequence[int]) -> None:
    """Let a read load the widened number."""
    subscripts = [read.inner[axis] for axis in axes]
    used = sorted(set[int]().union(*(e.used_dims() for e in subscripts)))
    places = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(read.load.indices))]
    affine = AffineMap(len(used), 0, tuple(e.replace_dims_and_symbols(places, []) for e in subscripts))
    load = LoadOp(buffer, [read.load.indices[i] for i in used], affine)
    load.location = read.load.location
    Rewriter.insert_op(load, InsertPoint.before(read.load))
    read.result.replace_all_uses_with(load.result)
    for op in (*reversed(read.casts), read.load):
        Rewriter.erase_op(op)


@dataclass(frozen=True)
class CacheRead(LoopStep):
    """what an iteration of `n` reads of the argument `w` is first copied to a buffer, and widened if it is used so

    The loops that copy are `w_0`, `w_1`, one for each axis of `w` along which the loops in `n` read it.
    """

    name = "cache_read"
    example = "cache_read(w, n)"

    argument: ArgumentName
    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        """Widen what the loops of the name read that read the argument at all.

        Raises:
            UserError: the function has no argument of that name.
        """
        function = function_of(loops[0])
        argument = argument_of_step(self, self.argument, function)
        readers = {use.operation for use in argument.uses}
        concerned = [loop for loop in loops if any(op in readers for op in loop.walk())]
        refusals: list[Remark] = []
        for loop in concerned or loops:
            with note_if_refused(refusals, loop, self.outcome(loop)):
                cache_read(argument, loop)
        if refusals:
            scheduling.refuse(function, self)
        return refusals

    def outcome(self, loop: ForOp) -> str:
        return f"'{self.argument}' not read ahead in '{loop.dim.data}'"

    def makes(self, loop: str) -> bool:
        return loop.startswith(f"{self.argument}_")

    def words(self, plan: LoopPlan) -> str:
        return f"what an iteration of {self.loop} reads of {self.argument} is copied to a buffer first, and widened"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return any(isinstance(op, _CASTS) for op in loop.walk())

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        names = [a.name_hint for a in function_of(loop).body.block.args if a.name_hint]
        return cls(rng.choice(names), loop.dim.data)
