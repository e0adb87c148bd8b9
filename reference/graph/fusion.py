"""`graph.fusion`."""

from __future__ import annotations

from mlc.dialects.graph.fusion import FusionOp
from mlc.reference.execution import Frame, executes


@executes(FusionOp)
def fusion(op: FusionOp, frame: Frame) -> None:
    """What its body computes."""
    found = frame.run_block(op.body.block, [frame[v] for v in op.inputs])
    for result, array in zip(op.outputs, found, strict=True):
        frame[result] = array
