"""`graph.if` and `graph.while`, and those of the tensor level, which mean the same."""

from __future__ import annotations

from mlc.dialects import graph, tensor
from mlc.dialects.branches import IfLike, WhileLike
from mlc.reference.execution import Frame, InputsUndefined, executes

MOST_STEPS = 10_000
"""A loop that takes more steps than this is taken for one that does not end."""


@executes(graph.IfOp, tensor.IfOp)
def branch(op: IfLike, frame: Frame) -> None:
    """What one of the bodies computes."""
    region = op.then if frame[op.condition].item() else op.otherwise
    found = frame.run_block(region.block, [frame[v] for v in op.captured])
    for result, array in zip(op.outputs, found, strict=True):
        frame[result] = array


@executes(graph.WhileOp, tensor.WhileOp)
def loop(op: WhileLike, frame: Frame) -> None:
    """Its body, as long as the condition holds.

    Raises:
        InputsUndefined: it does not end.
    """
    carried, used = [frame[v] for v in op.initial], [frame[v] for v in op.captured]
    for _ in range(MOST_STEPS):
        if not frame.run_block(op.condition.block, [*carried, *used])[0].item():
            break
        carried = frame.run_block(op.body.block, [*carried, *used])
    else:
        raise InputsUndefined(f"{op.name}: more than {MOST_STEPS} steps; the condition seems to hold for ever")
    for result, array in zip(op.outputs, carried, strict=True):
        frame[result] = array
