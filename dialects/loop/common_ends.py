"""Which loops begin or end elsewhere in each iteration of a loop around them, so that one loop cannot serve all."""

from __future__ import annotations

from xdsl.ir import Block, SSAValue
from xdsl.traits import is_side_effect_free

from mlc.dialects.loop.counted import CountedLoop, loop_counting
from mlc.dialects.loop.memory import LoadOp
from mlc.support.ir import is_made_in


def find_differing_end(loop: CountedLoop) -> CountedLoop | None:
    """A loop in `loop`, a parallel one, whose limit or start may be another one in each of its iterations."""
    for inner in loop.body.walk():
        if isinstance(inner, CountedLoop) and inner.limit is not None:
            ends = (inner.limit, inner.start)
            if any(end is not None and _may_differ(end, loop) for end in ends):
                return inner
    return None


def _may_differ(value: SSAValue, loop: CountedLoop) -> bool:
    """Whether a value may be another one in each iteration of `loop`, which a loop inside may go through many times."""
    if not is_made_in(value, loop):
        return False
    op = value.owner
    if isinstance(op, Block):
        return loop_counting(value) in (None, loop)
    # Iterations are independent, so what one of them loads no other one writes.
    is_same = isinstance(op, LoadOp) or (not op.regions and is_side_effect_free(op))
    return not is_same or any(_may_differ(operand, loop) for operand in op.operands)
