"""The scf dialect: branches, and loops that run one iteration after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from mlc.dialects.scf import ForallOp, ForOp, IfOp, InParallelOp, ParallelOp, ReduceOp
from mlc.dialects.tensor.parallel_insert import ParallelInsertSliceOp
from mlc.reference.execution import Frame, InputsUndefined, executes
from mlc.reference.graph.branches import MOST_STEPS
from mlc.support.locations import error_at

ONE_WAY = (IfOp, scf.WhileOp, ForOp, ParallelOp, ForallOp, scf.IndexSwitchOp)
"""What goes one way for all iterations of a parallel loop that run in lockstep, and so has no meaning inside of one."""


@executes(IfOp)
def branch(op: IfOp, frame: Frame) -> None:
    """One of its regions."""
    region = op.true_region if _flag(op, op.cond, frame) else op.false_region
    if region.blocks:
        for result, array in zip(op.results, frame.run_block(region.block, []), strict=True):
            frame[result] = array


@executes(scf.ExecuteRegionOp)
def region(op: scf.ExecuteRegionOp, frame: Frame) -> None:
    """What its one block gives.

    Raises:
        UserError: it has several.
    """
    if len(op.region.blocks) != 1:
        raise error_at(op, f"'{op.name}' has {len(op.region.blocks)} blocks; required: one")
    for result, array in zip(op.results, frame.run_block(op.region.block, []), strict=True):
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


@executes(ForallOp)
def forall(op: ForallOp, frame: Frame) -> None:
    """One iteration after the other. All read the shared outputs as they were; slices are written at the end."""
    bounds = zip(*(_numbers(frame, *each) for each in op.bounds), strict=True)
    before = [frame[v] for v in op.outputs]
    after, block = [np.array(each) for each in before], op.body.block
    end = block.last_op
    assert isinstance(end, InParallelOp)
    for counters in product(*(_range_of(op, *each) for each in bounds)):
        frame.run_block(block, [*(np.asarray(i, np.int64) for i in counters), *before])
        for argument, array in zip(block.args[len(counters) :], after, strict=True):
            frame[argument] = array
        for each in end.region.block.ops:
            frame.run(each)
    for result, array in zip(op.outs, after, strict=True):
        frame[result] = array


@executes(ParallelInsertSliceOp)
def parallel_insert(op: ParallelInsertSliceOp, frame: Frame) -> None:
    """Written over a slice of the shared output, as `scf.forall` has it at the end of an iteration."""
    offsets, sizes, strides = (
        _numbers(frame, values, numbers.get_values())
        for values, numbers in (
            (op.offsets, op.static_offsets),
            (op.sizes, op.static_sizes),
            (op.strides, op.static_strides),
        )
    )
    box = tuple(slice(o, o + n * s, s) for o, n, s in zip(offsets, sizes, strides, strict=True))
    frame[op.dest][box] = frame[op.source].reshape(sizes)


def _numbers(frame: Frame, values: Sequence[SSAValue], numbers: Sequence[int]) -> list[int]:
    """Numbers that stand in an op or, where these say so, are its operands."""
    left = iter(values)
    return [int(frame[next(left)].item()) if number == DYNAMIC_INDEX else number for number in numbers]


@executes(scf.IndexSwitchOp)
def switch(op: scf.IndexSwitchOp, frame: Frame) -> None:
    """The region of the case, or the default."""
    found = frame[op.arg]
    if found.size != 1:
        raise error_at(op, f"'{op.name}' has no reference semantics where its case depends on a parallel loop")
    cases = dict(zip(op.cases.get_values(), op.case_regions, strict=True))
    region = cases.get(int(found.item()), op.default_region)
    for result, array in zip(op.results, frame.run_block(region.block, []), strict=True):
        frame[result] = array


def _range(op: Operation, frame: Frame, *bounds: SSAValue) -> range:
    """Raises: UserError if the step is not positive; InputsUndefined if there are too many steps."""
    return _range_of(op, *(int(frame[value].item()) for value in bounds))


def _range_of(op: Operation, lower: int, upper: int, step: int) -> range:
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
