"""`shrink-buffers`: keep of a buffer only what one iteration needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp
from mlc.passes.base import Pass
from mlc.passes.loop._accesses import AccessOp, set_subscripts
from mlc.passes.loop._dependences import Access, Interval
from mlc.passes.loop._nests import functions_with_loops
from mlc.support.affine import simplify_sum
from mlc.support.context import CompilerContext
from mlc.support.types import memref_type


@dataclass(frozen=True)
class ShrinkBuffersPass(Pass):
    """Give each iteration of a parallel loop a buffer of its own, where it touches a part that no other one does.

        %t = memref.alloc() : memref<512x1024xf32>
        for m in 0..512: { for n in 0..1024: t[m, n] = …; for n in 0..1024: … = t[m, n] }
    ->
        for m in 0..512: {
          %t = memref.alloc() : memref<1x1024xf32>
          for n in 0..1024: t[0, n] = …; for n in 0..1024: … = t[0, n]
        }

    A buffer whose elements all are used in one loop only, at subscripts `counter + r` with `r` below the loop's step in
    the same dim, shrinks in that dim and moves into the loop, and then into the loops inside. What is left usually fits
    the first cache. Buffers that are passed on, or seen through views, stay as they are.
    """

    name = "shrink-buffers"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        for function in functions_with_loops(module):
            for op in [op for op in function.walk() if isinstance(op, memref.AllocOp)]:
                _shrink(op)


def _shrink(alloc: memref.AllocOp) -> None:
    """Move the allocation inwards as far as possible."""
    users = [use.operation for use in alloc.memref.uses]
    ops = [op for op in users if isinstance(op, AccessOp)]
    if not ops or len(ops) != len(users):
        return
    while (loop := _loop_around_all(ops, alloc.parent)) is not None:
        accesses = [Access.of(op) for op in ops]
        parts = {
            dim: part
            for dim in range(memref_type(alloc.memref).get_num_dims())
            if (part := _part_of_iteration(accesses, dim, loop)) is not None
        }
        if not parts:
            return
        alloc = _privatize(alloc, loop, ops, parts)


def _loop_around_all(ops: Sequence[Operation], block: Block | None) -> ForOp | None:
    """The parallel loop in `block` that all of `ops` are in."""
    around = {_ancestor_in(op, block) for op in ops}
    loop = around.pop()
    return loop if not around and isinstance(loop, ForOp) and loop.is_parallel else None


def _ancestor_in(op: Operation, block: Block | None) -> Operation:
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op


def _part_of_iteration(accesses: Sequence[Access], dim: int, loop: ForOp) -> Interval | None:
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


def _privatize(
    alloc: memref.AllocOp, loop: ForOp, ops: Sequence[AccessOp], parts: dict[int, Interval]
) -> memref.AllocOp:
    """Replace the buffer by one of each iteration of `loop` with only these parts of its dims."""
    buffer = memref_type(alloc.memref)
    shape = list(buffer.get_shape())
    for dim, (low, high) in parts.items():
        shape[dim] = high - low + 1
    private = memref.AllocOp([], [], MemRefType(buffer.element_type, shape), alignment=alloc.alignment)
    private.location = alloc.location
    private.memref.name_hint = alloc.memref.name_hint
    for op in ops:
        _shift(op, loop.induction_variable, {dim: low for dim, (low, _) in parts.items()})
    Rewriter.insert_op(private, InsertPoint.at_start(loop.body.block))
    Rewriter.replace_op(alloc, [], [private.memref])
    return private


def _shift(op: AccessOp, counter: SSAValue, starts: dict[int, int]) -> None:
    """Count the subscripts of some dims from the start of the iteration's part."""
    without = [AffineExpr.constant(0) if v is counter else AffineExpr.dimension(i) for i, v in enumerate(op.indices)]
    subscripts = list(op.map.data.results)
    for dim, start in starts.items():
        subscripts[dim] = simplify_sum(subscripts[dim].replace_dims_and_symbols(without, []) - start)
    used = sorted(set[int]().union(*(e.used_dims() for e in subscripts)))
    renumber = [AffineExpr.dimension(used.index(i) if i in used else 0) for i in range(len(op.indices))]
    results = tuple(e.replace_dims_and_symbols(renumber, []) for e in subscripts)
    set_subscripts(op, [op.indices[i] for i in used], AffineMap(len(used), 0, results))
