"""Constants."""

from __future__ import annotations

from mlc.dialects.graph.constant import ConstantOp
from mlc.reference.constants import constant_data
from mlc.reference.execution import Frame, executes


@executes(ConstantOp)
def constant(op: ConstantOp, frame: Frame) -> None:
    """The data itself; a resource is read from its file when it is used."""
    frame[op.result] = constant_data(op.value, frame.resources)
