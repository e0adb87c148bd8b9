"""The scf dialect: branches, and loops that run one iteration after the other."""

from __future__ import annotations

from itertools import product

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import Operation, SSAValue

from mlc.dialects.scf import ForOp, IfOp, ParallelOp, ReduceOp
from mlc.reference.execution import Frame, InputsUndefined, executes
from mlc.reference.graph.branches import MOST_STEPS
from mlc.support.locations import error_at

ONE_WAY = (IfOp, scf.WhileOp, ForOp, ParallelOp)
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


@executes(ForOp)
def counting_loop(op: ForOp, frame: Frame) -> None:
    """From one bound to below the other."""
    carried = [frame[v] for v in op.iter_args]
    for i in _range(op, frame, op.lb, op.ub, op.step):
        carried = frame.run_block(op.body.block, [np.asarray(i, np.int64), *carried])
    for result, array in zip(op.res, carried, strict=True):
        frame[result] = array


@executes(ParallelOp)
def parallel_loops(op: ParallelOp, frame: Frame) -> None:
    """All combinations of counters, the last one running fastest; a reduction takes them in this order."""
    bounds = zip(op.lowerBound, op.upperBound, op.step, strict=True)
    carried, block = [frame[v] for v in op.initVals], op.body.block
    for counters in product(*(_range(op, frame, *each) for each in bounds)):
        given = frame.run_block(block, [np.asarray(i, np.int64) for i in counters])
        last = block.last_op
        assert isinstance(last, ReduceOp)
        for number, (region, array) in enumerate(zip(last.reductions, given, strict=True)):
            (carried[number],) = frame.run_block(region.block, [carried[number], array])
    for result, array in zip(op.res, carried, strict=True):
        frame[result] = array


def _range(op: Operation, frame: Frame, *bounds: SSAValue) -> range:
    """Raises: UserError if the step is not positive; InputsUndefined if there are too many steps."""
    lower, upper, step = (int(frame[value].item()) for value in bounds)
    if step < 1:
        raise error_at(op, f"'{op.name}' has the step {step}; required: a positive number")
    if (steps := (upper - lower) // step) > MOST_STEPS:
        raise InputsUndefined(f"{op.name}: {steps} steps; at most {MOST_STEPS} are run")
    return range(lower, upper, step)


def _flag(op: Operation, condition: SSAValue, frame: Frame) -> bool:
    found = frame[condition]
    if found.size != 1:
        raise error_at(op, f"'{op.name}' has no reference semantics where its condition depends on a parallel loop")
    return bool(found.item())
