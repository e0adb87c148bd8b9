"""Making loop nests."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue

from mlc.dialects.loop import ForOp, LoopKind, YieldOp


def parallel_nest(
    dims: Sequence[tuple[str, int]], body: Callable[[list[SSAValue]], Sequence[Operation]]
) -> list[Operation]:
    """Parallel loops over `dims`, outermost first, around the ops that `body` makes from the loop counters."""
    loops = [ForOp(name, 0, size, kind=LoopKind.PARALLEL) for name, size in dims]
    inside: Sequence[Operation] = list(body([loop.induction_variable for loop in loops]))
    for loop in reversed(loops):
        loop.body.block.add_ops([*inside, YieldOp()])
        inside = [loop]
    return list(inside)
