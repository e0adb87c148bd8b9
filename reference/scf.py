"""The scf dialect, as far as loops of kernels need it: `scf.if` and `scf.while`."""

from __future__ import annotations

from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from mlc.dialects.scf import IfOp
from mlc.reference.execution import Frame, InputsUndefined, executes
from mlc.reference.graph.branches import MOST_STEPS
from mlc.support.locations import error_at

ONE_WAY = (IfOp, scf.WhileOp)
"""What goes one way for all iterations of a parallel loop that run in lockstep, and so has no meaning inside of one."""


@executes(IfOp)
def branch(op: IfOp, frame: Frame) -> None:
    """One of its regions."""
    region = op.true_region if _flag(op, op.cond, frame) else op.false_region
    if region.blocks:
        for result, array in zip(op.results, frame.run_block(region.block, []), strict=True):
            frame[result] = array


@executes(scf.WhileOp)
def loop(op: scf.WhileOp, frame: Frame) -> None:
    """The first region, and the second one as long as the condition holds.

    Raises:
        InputsUndefined: it does not end.
    """
    carried = [frame[v] for v in op.arguments]
    for _ in range(MOST_STEPS):
        _, *handed_on = frame.run_block(op.before_region.block, carried)
        condition = op.before_region.block.last_op
        assert isinstance(condition, scf.ConditionOp)
        if not _flag(op, condition.condition, frame):
            break
        carried = frame.run_block(op.after_region.block, handed_on)
    else:
        raise InputsUndefined(f"{op.name}: more than {MOST_STEPS} steps; the condition seems to hold for ever")
    for result, array in zip(op.res, handed_on, strict=True):
        frame[result] = array


def _flag(op: Operation, condition: SSAValue, frame: Frame) -> bool:
    found = frame[condition]
    if found.size != 1:
        raise error_at(op, f"'{op.name}' has no reference semantics where its condition depends on a parallel loop")
    return bool(found.item())
