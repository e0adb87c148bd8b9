"""The loop dialect: serial loops iterate, parallel ones run their iterations in lockstep.

Lockstep is one of the orders that `parallel` allows. It finds loops that are wrongly parallel (their lanes see each
other's values in an unexpected order, or write one element twice), and it is fast: NumPy computes all lanes at once.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.memref import ViewOp

from mlc.dialects.loop import ConstantOp, ForOp, LoadOp, PrefetchOp, StoreOp
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, executes
from mlc.reference.memory import read, write
from mlc.reference.subscripts import apply_map

_MAX_LANES = 1 << 18
"""A parallel loop that would exceed this many lanes iterates instead, to bound memory."""


@executes(ForOp)
def for_(op: ForOp, frame: Frame) -> None:
    """In lockstep where it may, else one iteration after the other; so that each may have a view of its own."""
    lanes = prod(frame.lanes) * len(op.range)
    if op.is_parallel and lanes <= _MAX_LANES and not any(isinstance(inner, ViewOp) for inner in op.walk()):
        _run_in_lockstep(op, frame)
        return
    carried = [frame[v] for v in op.iter_args]
    for i in op.range:
        carried = frame.run_block(op.body.block, [np.asarray(i), *carried])
    for result, array in zip(op.results, carried, strict=True):
        frame[result] = array


def _run_in_lockstep(op: ForOp, frame: Frame) -> None:
    if not op.range:
        return
    counter = np.reshape(np.asarray(op.range), (1,) * len(frame.lanes) + (-1,))
    frame.lanes.append(len(op.range))
    frame.run_block(op.body.block, [counter])
    frame.lanes.pop()


@executes(LoadOp)
def load(op: LoadOp, frame: Frame) -> None:
    """One element or a vector, for each lane."""
    frame[op.result] = read(op, frame, op.memref, _subscripts(op, frame), op.result.type, op.lanes)


@executes(StoreOp)
def store(op: StoreOp, frame: Frame) -> None:
    """One element or a vector, for each lane."""
    write(op, frame, op.memref, _subscripts(op, frame), op.value, op.lanes)


@executes(PrefetchOp)
def prefetch(op: PrefetchOp, frame: Frame) -> None:
    """Nothing: it is about time alone."""
    del op, frame


def _subscripts(op: LoadOp | StoreOp, frame: Frame) -> list[Array]:
    return apply_map(op.map.data, [frame[v] for v in op.indices])


@executes(ConstantOp)
def constant(op: ConstantOp, frame: Frame) -> None:
    """Read-only data."""
    data = constant_data(op.value, frame.resources)[...]
    data.flags.writeable = False
    frame[op.result] = data
