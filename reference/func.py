"""The func dialect: calls."""

from __future__ import annotations

from xdsl.dialects.func import CallOp, FuncOp

from mlc.reference.execution import Frame, executes
from mlc.support.locations import error_at


@executes(CallOp)
def call(op: CallOp, frame: Frame) -> None:
    """Run the callee in a frame of its own, with the same lanes and orders."""
    callee = frame.symbols.get(op.callee.string_value())
    if not isinstance(callee, FuncOp) or not callee.body.blocks:
        raise error_at(op, f"'{op.callee.string_value()}' is called, but it is not a function with a body")
    inside = frame.of_callee()
    found = inside.run_block(callee.body.block, [frame[v] for v in op.arguments])
    for result, array in zip(op.results, found, strict=True):
        frame[result] = array
