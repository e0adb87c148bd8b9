"""What has to be true for a step to change loops: each step asks here, and here alone.

A person may have written the loops, so nothing is known of them but what they say. Every question is answered from what
ops do to memory (`memory_accesses`), from which iterations touch the same element (`dependences`), and from who uses
a value. A loop that is `parallel` says that its iterations are independent; what can be refuted of that is refused when
a text is read, the rest is the word of its author.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from itertools import combinations
from math import gcd

from xdsl.dialects import memref
from xdsl.ir import Operation

from mlc.analysis.dependences import Direction, Level, iterations_meet, may_meet
from mlc.analysis.memory_accesses import Effects, MemoryAccess
from mlc.analysis.reductions import Reduction, reduction_of
from mlc.dialects.loop import ForOp
from mlc.dialects.loop.common_ends import find_differing_end
from mlc.support.context import Remark, remark_about
from mlc.support.errors import Refused


@contextmanager
def note_if_refused(notes: list[Remark], op: Operation, outcome: str) -> Generator[None]:
    """Run a step on `op`; if that is refused, a note says the `outcome` and the reason."""
    try:
        yield
    except Refused as reason:
        notes.append(remark_about(f"{outcome}: {reason}", op))


def require_reduction(loop: ForOp) -> Reduction:
    """The reduction that a serial loop carries in one value, of which nothing but the end is seen.

    Raises:
        Refused: it carries anything else: several values, a recurrence, partial results that are stored or used.
    """
    reduction = reduction_of(loop)
    if isinstance(reduction, str):
        raise Refused(reduction)
    return reduction


def require_whole_blocks(loop: ForOp, size: int) -> None:
    """Check that a limit, if the loop has one, does not end it within a block of `size` iterations.

    Raises:
        Refused: the loop is serial, and the limit is a multiple of something else.
    """
    by, block = loop.limit_multiple, size * loop.step.value.data
    if _may_end_inside(loop) and by % block:
        raise Refused(f"its limit is a multiple of {by}; required: one of {block}")


def largest_block(loop: ForOp, size: int) -> int:
    """The most iterations, up to `size` and a divisor of it, within which a limit does not end a loop.

    Raises:
        Refused: that is one iteration, where `size` is more.
    """
    if not _may_end_inside(loop):
        return size
    block = gcd(size * loop.step.value.data, loop.limit_multiple) // loop.step.value.data
    require_whole_blocks(loop, size if block < 2 else block)
    return block


def _may_end_inside(loop: ForOp) -> bool:
    """Whether a limit may end a serial loop after its first iteration: one between two of the numbers that the limit
    may be runs as a whole, or not at all."""
    if loop.limit is None or loop.is_parallel:
        return False
    return (loop.range.stop - 1) // loop.limit_multiple * loop.limit_multiple > loop.range.start


def require_no_limit(loop: ForOp) -> None:
    """Check that a serial loop has no limit, by a step after which nothing could say where it ends.

    Raises:
        Refused: it has one.
    """
    if loop.limit is not None and not loop.is_parallel:
        raise Refused("it ends at a limit, which is known at run time")


def require_same_end(first: ForOp, second: ForOp) -> None:
    """Check that two loops over the same range have one limit and one start, unless iterations beyond do no harm.

    Raises:
        Refused: they are serial, and end or begin where the other does not.
    """
    is_same = first.limit is second.limit and first.start is second.start
    if not is_same and not (first.is_parallel and second.is_parallel):
        raise Refused("their limits are not the same")


def require_common_ends(loop: ForOp) -> None:
    """Check that no loop in `loop` begins or ends elsewhere in each iteration: one loop is to serve all of them.

    Raises:
        Refused: a limit, or a start, is computed from the counter, or read in an iteration.
    """
    if (inner := find_differing_end(loop)) is not None:
        raise Refused(f"loop '{inner.dim.data}' begins or ends elsewhere in each of its iterations")


def require_independent(loop: ForOp) -> None:
    """Check that the iterations of `loop` may run in any order, or side by side, but for the values that it carries.

    Raises:
        Refused: one may write what another one reads or writes.
    """
    effects = _known_effects(loop)
    if (pair := iterations_meet(effects, loop)) is not None:
        raise Refused(f"an iteration {_touches(*pair)} another one touches")


def require_exchange(nest: Sequence[ForOp], order: Sequence[ForOp]) -> None:
    """Check that the loops of a perfect nest may stand in another order, and that each stays what it is.

    A parallel loop may move inwards over any loop: iterations of it have nothing to do with each other. A loop may move
    outwards over a serial one if no iteration of that hands anything to another iteration of the loop that moves:
    `b[t + 1, j] = b[t, j - 1]` has to be done for all `j` before the next `t`.

    Args:
        nest: the loops as they stand, outermost first.
        order: the same loops, in the order wanted.

    Raises:
        Refused: the results might change.
    """
    place = {loop: number for number, loop in enumerate(order)}
    swapped = [(outer, inner) for outer, inner in combinations(nest, 2) if place[outer] > place[inner]]
    crossed = [(outer, inner) for outer, inner in swapped if not outer.is_parallel]
    if not crossed:
        return
    effects = _known_effects(nest[0])
    for outer, inner in crossed:
        for a, b in effects.meetings(effects):
            if _hands_on(a, b, nest, outer, inner):
                names = f"'{outer.dim.data}'", f"'{inner.dim.data}'"
                raise Refused(f"an iteration of {names[0]} {_touches(a, b)} others of {names[1]} touch in a later one")


def _hands_on(a: MemoryAccess, b: MemoryAccess, nest: Sequence[ForOp], outer: ForOp, inner: ForOp) -> bool:
    """Whether `a`, in an iteration of `outer`, and `b`, in a later one and in another one of `inner`, may meet."""
    # The other loops are in any iteration: whatever order they have in the end, it makes no difference.
    return any(
        may_meet(a, b, Level(outer, outer, Direction.BEFORE), Level(inner, inner, across), scope=nest[0])
        for across in (Direction.BEFORE, Direction.AFTER)
    )


def require_fusible(first: ForOp, second: ForOp, before: Effects, after: Effects) -> None:
    """Check that an iteration of `second` may follow the same iteration of `first`, before all later ones.

    Of parallel loops, iterations have to be independent of each other afterwards, too.

    Args:
        before, after: what the loops do.

    Raises:
        Refused: the results might change.
    """
    for unknown in (before.unknown, after.unknown):
        if unknown:
            raise Refused(f"'{unknown}' may touch any buffer")
    orders = (Direction.BEFORE, Direction.AFTER) if first.is_parallel else (Direction.AFTER,)
    for a, b in before.meetings(after):
        if any(may_meet(a, b, Level(first, second, order)) for order in orders):
            raise Refused("an iteration touches what other iterations of the other one touch")


def may_pass(op: Effects, other: Effects) -> bool:
    """Whether what does `op` and what does `other`, next to each other in a block, may change places."""
    return not (op.unknown or other.unknown) and not any(may_meet(a, b) for a, b in op.meetings(other))


def require_repeatable(ops: Sequence[Operation], later: Sequence[Operation]) -> None:
    """Check that `ops` give the same values if they run again after `later`, which follow them in a block.

    Raises:
        Refused: one of them has effects, or reads what `later` may write.
    """
    effects = Effects()
    for op in ops:
        own = Effects.of(op)
        if op.regions or own.unknown or own.stored or isinstance(op, memref.AllocOp):
            raise Refused(f"'{op.name}' stands before it")
        effects.add(own)
    if not may_pass(effects, Effects.of(*later)):
        raise Refused("it writes what is read before it")


def require_only_loops(loop: ForOp) -> None:
    """Check that `loop.for` alone has regions in `loop`: steps copy the bodies of these.

    Raises:
        Refused: another op has one.
    """
    for op in loop.body.walk():
        if op.regions and not isinstance(op, ForOp):
            raise Refused(f"'{op.name}' in it has a body of its own")


def _known_effects(loop: ForOp) -> Effects:
    effects = Effects.of(loop)
    if effects.unknown:
        raise Refused(f"'{effects.unknown}' in it may touch any buffer")
    return effects


def _touches(a: MemoryAccess, b: MemoryAccess) -> str:
    """What the first of two accesses does to the buffer that they share."""
    name = a.buffer.name_hint
    where = f" of '%{name}'" if name else ""
    return f"{'writes' if a.is_store else 'reads'} an element{where} that"
