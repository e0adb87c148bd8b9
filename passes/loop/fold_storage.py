"""`fold-storage`: keep of a buffer only what one iteration needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, set_subscripts
from mlc.analysis.memory_accesses import Interval, MemoryAccess
from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import ForOp, StoreOp
from mlc.pass_manager.base import Pass
from mlc.support.affine import simplify_sum
from mlc.support.context import CompilerContext
from mlc.support.ir import ancestor_in
from mlc.support.types import memref_type

Box = tuple[Interval, ...]
"""A range of subscripts per dim."""


@dataclass(frozen=True)
class FoldStoragePass(Pass):
    """Give each iteration of a parallel loop a buffer of its own, where it touches a part that no other one does.

        %t = memref.alloc() : memref<512x1024xf32>
        for m in 0..512: { for n in 0..1024: t[m, n] = …; for n in 0..1024: … = t[m, n] }
    ->
        for m in 0..512: {
          %t = memref.alloc() : memref<1x1024xf32>
          for n in 0..1024: t[0, n] = …; for n in 0..1024: … = t[0, n]
        }

    A buffer whose elements all are used in one loop only, at subscripts `counter + r` with `r` below the loop's step in
    the same dim, shrinks in that dim and moves into the loop, and then into the loops inside. Loops that use different
    parts of a buffer get one each, and parts that nobody uses go. What is left usually fits the first cache. Buffers
    that are passed on, or seen through views, stay as they are.
    """

    name = "fold-storage"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            for alloc in [op for op in function.walk() if isinstance(op, memref.AllocOp)]:
                users = [use.operation for use in alloc.memref.uses]
                ops = [op for op in users if isinstance(op, AccessOp)]
                if ops and len(ops) == len(users):
                    _shrink(alloc, ops)


def _shrink(alloc: memref.AllocOp, ops: Sequence[AccessOp]) -> None:
    """Move the allocation inwards as far as possible, in parts: inside each loop there may be odd rows again."""
    for part, part_ops in _split(alloc, ops):
        moved = _into_loop(part, part_ops)
        if moved is not None:
            _shrink(moved, part_ops)
        else:
            _trim(part, part_ops)


def _split(alloc: memref.AllocOp, ops: Sequence[AccessOp]) -> list[tuple[memref.AllocOp, list[AccessOp]]]:
    """A buffer for each loop in the block that uses elements of its own, and for what is in none: the last, odd row."""
    sets: list[tuple[list[AccessOp], Box]] = []
    around: dict[Operation | None, list[AccessOp]] = {}
    for op in ops:
        ancestor = ancestor_in(op, alloc.parent)
        around.setdefault(ancestor if isinstance(ancestor, ForOp) else None, []).append(op)
    for members in around.values():
        mine = _box(members)
        shared = [(others, box) for others, box in sets if not _apart(mine, box)]
        apart = [(others, box) for others, box in sets if _apart(mine, box)]
        together = [op for others, _ in shared for op in others]
        sets = [*apart, ([*together, *members], reduce(_around, [box for _, box in shared], mine))]
    parts = [(alloc, sets[0][0])]
    for members, _ in sets[1:]:
        own = memref.AllocOp([], [], memref_type(alloc.memref), alignment=alloc.alignment)
        own.location = alloc.location
        own.memref.name_hint = alloc.memref.name_hint
        Rewriter.insert_op(own, InsertPoint.after(alloc))
        for op in members:
            op.operands[1 if isinstance(op, StoreOp) else 0] = own.memref
        parts.append((own, members))
    return parts


def _box(ops: Sequence[AccessOp]) -> Box:
    """The range of subscripts of all accesses, per dim."""
    box: list[Interval] = []
    accesses = [MemoryAccess.of(op) for op in ops]
    for dim, extent in enumerate(memref_type(ops[0].memref).get_shape()):
        bounds = [None if (s := access.subscripts[dim]) is None else s.bounds() for access in accesses]
        known = [(b[0], b[1] + a.reach[dim]) for b, a in zip(bounds, accesses, strict=True) if b is not None]
        whole = len(known) < len(bounds)
        box.append((0, extent - 1) if whole else (min(low for low, _ in known), max(high for _, high in known)))
    return tuple(box)


def _apart(first: Box, second: Box) -> bool:
    return any(a[1] < b[0] or b[1] < a[0] for a, b in zip(first, second, strict=True))


def _around(first: Box, second: Box) -> Box:
    return tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in zip(first, second, strict=True))


def _into_loop(alloc: memref.AllocOp, ops: Sequence[AccessOp]) -> memref.AllocOp | None:
    """A smaller buffer in the loop that all of `ops` are in; None if there is no such loop, or iterations share it."""
    loop = _loop_around_all(ops, alloc.parent)
    if loop is None:
        return None
    accesses = [MemoryAccess.of(op) for op in ops]
    parts = {
        dim: part
        for dim in range(memref_type(alloc.memref).get_num_dims())
        if (part := _part_of_iteration(accesses, dim, loop)) is not None
    }
    return (
        _replace(alloc, InsertPoint.at_start(loop.body.block), ops, parts, loop.induction_variable) if parts else None
    )


def _trim(alloc: memref.AllocOp, ops: Sequence[AccessOp]) -> None:
    """Leave out of the buffer what nobody uses."""
    shape = memref_type(alloc.memref).get_shape()
    unused = {dim: (low, high) for dim, (low, high) in enumerate(_box(ops)) if high - low + 1 < shape[dim]}
    if unused:
        _replace(alloc, InsertPoint.before(alloc), ops, unused)


def _loop_around_all(ops: Sequence[Operation], block: Block | None) -> ForOp | None:
    """The parallel loop in `block` that all of `ops` are in."""
    around = {ancestor_in(op, block) for op in ops}
    loop = around.pop()
    return loop if not around and isinstance(loop, ForOp) and loop.is_parallel else None


def _part_of_iteration(accesses: Sequence[MemoryAccess], dim: int, loop: ForOp) -> Interval | None:
    """The range of `r` in subscripts `counter * factor + r`; None if iterations share elements of this dim, or may."""
    counter = loop.induction_variable
    low = high = factor = None
    for access in accesses:
        subscript = access.subscripts[dim]
        if subscript is None or subscript.factors.get(counter, 0) < 1:
            return None
        bounds = subscript.without(counter).bounds()
        if bounds is None or factor not in (None, subscript.factors[counter]):
            return None
        factor = subscript.factors[counter]
        last = bounds[1] + access.reach[dim]
        low = bounds[0] if low is None else min(low, bounds[0])
        high = last if high is None else max(high, last)
    if low is None or high is None or factor is None or high - low >= factor * loop.step.value.data:
        return None
    return low, high


def _replace(
    alloc: memref.AllocOp,
    where: InsertPoint,
    ops: Sequence[AccessOp],
    parts: dict[int, Interval],
    counter: SSAValue | None = None,
) -> memref.AllocOp:
    """Put a buffer with only these parts of its dims at `where`; subscripts no longer depend on `counter` there."""
    buffer = memref_type(alloc.memref)
    shape = list(buffer.get_shape())
    for dim, (low, high) in parts.items():
        shape[dim] = high - low + 1
    smaller = memref.AllocOp([], [], MemRefType(buffer.element_type, shape), alignment=alloc.alignment)
    smaller.location = alloc.location
    smaller.memref.name_hint = alloc.memref.name_hint
    for op in ops:
        _shift(op, counter, {dim: low for dim, (low, _) in parts.items()})
    Rewriter.insert_op(smaller, where)
    Rewriter.replace_op(alloc, [], [smaller.memref])
    return smaller


def _shift(op: AccessOp, counter: SSAValue | None, starts: dict[int, int]) -> None:
    """Count the subscripts of some dims from the start of a part."""
    without = [AffineExpr.constant(0) if v is counter else AffineExpr.dimension(i) for i, v in enumerate(op.indices)]
    subscripts = list(op.map.data.results)
    for dim, start in starts.items():
        subscripts[dim] = simplify_sum(subscripts[dim].replace_dims_and_symbols(without, []) - start)
    used = sorted(set[int]().union(*(e.used_dims() for e in subscripts)))
    renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(op.indices))]
    results = tuple(e.replace_dims_and_symbols(renumber, []) for e in subscripts)
    set_subscripts(op, [op.indices[i] for i in used], AffineMap(len(used), 0, results))
