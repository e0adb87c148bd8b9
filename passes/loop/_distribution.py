"""Loop distribution: what parallel loops hold is taken apart, and each piece gets loops of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from xdsl.dialects import arith
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.memory_accesses import Effects, MemoryAccess
from mlc.dialects.loop import ConstantOp, ForOp, YieldOp

_CONSTANTS = (arith.ConstantOp, ConstantOp)


def pieces_of(loop: ForOp) -> list[list[Operation]]:
    """What the iterations of a parallel loop can be taken apart into: each loop in it, and what stands between two.

    No piece uses what another one computes: neither a value, but for constants, nor a buffer, nor what it stored. So
    pieces may run in any order, and nothing that is in a cache is fetched again. There is none if that does not hold.
    """
    pieces: list[list[Operation]] = []
    between: list[Operation] | None = None
    for op in list(loop.body.block.ops)[:-1]:
        if isinstance(op, _CONSTANTS):
            continue
        if isinstance(op, ForOp) and not op.results:
            pieces.append([op])
            between = None
        elif between is None:
            pieces.append(between := [op])
        else:
            between.append(op)
    return pieces if _are_independent(pieces) else []


def _are_independent(pieces: Sequence[Sequence[Operation]]) -> bool:
    """Whether no piece uses a value of another one, or reads what another one writes."""
    place = {op: n for n, piece in enumerate(pieces) for op in piece}
    for n, piece in enumerate(pieces):
        used = [operand.owner for op in piece for inner in op.walk() for operand in inner.operands]
        if any(place.get(owner, n) != n for owner in used if isinstance(owner, Operation)):
            return False
    effects = [Effects.of(*piece) for piece in pieces]
    if any(each.unknown for each in effects):
        return False
    writers: dict[SSAValue, set[int]] = {}
    for n, each in enumerate(effects):
        for buffer in each.stored:
            writers.setdefault(buffer, set()).add(n)
    read = ((n, b) for n, each in enumerate(effects) for b, found in each.accesses.items() if _is_read(found))
    return all(writers.get(buffer, {n}) == {n} for n, buffer in read)


def _is_read(accesses: Sequence[MemoryAccess]) -> bool:
    return any(not each.is_store for each in accesses)


def distribute(nest: Sequence[ForOp], pieces: Sequence[Sequence[Operation]]) -> list[ForOp]:
    """Give each of the `pieces_of` the innermost loop of a perfect nest of parallel loops a nest of its own.

        for n: { for m: A(n, m); B(n) }   ->   for n: for m: A(n, m); for n: B(n)

    Returns the outermost loops, in program order; the old ones are gone.
    """
    before = InsertPoint.before(nest[0])
    for op in list(nest[-1].body.block.ops):
        if isinstance(op, _CONSTANTS):
            op.detach()
            Rewriter.insert_op(op, before)
    new: list[ForOp] = []
    for piece in pieces:
        loops = [loop.like() for loop in nest]
        for outer, inner in pairwise(loops):
            outer.body.block.add_ops([inner, YieldOp()])
        for op in piece:
            op.detach()
        loops[-1].body.block.add_ops([*piece, YieldOp()])
        counters = {old.induction_variable: loop.induction_variable for old, loop in zip(nest, loops, strict=True)}
        for inner in (inner for op in piece for inner in op.walk()):
            inner.operands = [counters.get(operand, operand) for operand in inner.operands]
        new.append(loops[0])
    Rewriter.insert_op(new, before)
    nest[0].detach()
    nest[0].erase()
    return new
