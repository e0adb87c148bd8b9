"""The loop dialect: serial loops iterate, parallel ones run in any order that the caller asks for.

Lockstep is the default, because it is fast: NumPy computes all lanes at once. It shows some of the loops that are
wrongly parallel (their lanes see each other's values in an unexpected order, or write one element twice) and hides
others: a stencil in place whose rows advance together is right in lockstep only. Running the iterations one after the
other, forwards and then backwards, shows these (`mlc.reference.orders`).
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects import affine
from xdsl.dialects.memref import ViewOp
from xdsl.ir import Attribute

from mlc.dialects.loop import (
    ConstantOp,
    DotOp,
    ForOp,
    LoadOp,
    MmaOp,
    OuterDotOp,
    PrefetchOp,
    RowOp,
    SpanOp,
    StoreOp,
    WordOp,
)
from mlc.dialects.loop.common_ends import find_differing_end
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.memory import fault, read, write
from mlc.reference.scf import ONE_WAY
from mlc.reference.subscripts import apply_map
from mlc.support.dtypes import to_numpy
from mlc.support.types import memref_type

_MAX_LANES = 1 << 18
"""A parallel loop that would exceed this many lanes iterates instead, to bound memory."""

ONE_AT_A_TIME = (ViewOp, RowOp, SpanOp, *ONE_WAY, affine.ForOp, affine.IfOp)
"""What iterations of a parallel loop do each in its own way, and so not in lockstep: views, branches, loops between
values. So are iterations in which a loop begins or ends elsewhere."""


@executes(ForOp)
def for_(op: ForOp, frame: Frame) -> None:
    """A parallel loop as `frame` asks for; what cannot run in lockstep runs forwards (`ONE_AT_A_TIME`)."""
    order = frame.order_of(op) if op.is_parallel else "forwards"
    if order == "lockstep" and _fits_lockstep(op, frame):
        _run_in_lockstep(op, frame)
        return
    carried, values = [frame[v] for v in op.iter_args], _values(op, frame)
    for i in reversed(values) if order == "backwards" else values:
        carried = frame.run_block(op.body.block, [np.asarray(i), *carried])
    for result, array in zip(op.results, carried, strict=True):
        frame[result] = array


def _fits_lockstep(op: ForOp, frame: Frame) -> bool:
    lanes = prod(frame.lanes) * len(op.range)
    if lanes > _MAX_LANES or any(isinstance(inner, ONE_AT_A_TIME) for inner in op.walk()):
        return False
    return find_differing_end(op) is None


def _values(op: ForOp, frame: Frame) -> range:
    """What the counter is, from the start to the limit; the first iteration of a loop from 0 is run without a start."""
    if op.limit is None:
        return op.range
    first, stop, step = op.range.start, op.range.stop, op.range.step
    if op.start is not None:
        first += max(int(np.min(frame[op.start])) - first, 0) // step * step
    return range(first, min(stop, max(int(np.max(frame[op.limit])), 1)), step)


def _run_in_lockstep(op: ForOp, frame: Frame) -> None:
    if not (values := _values(op, frame)):
        return
    counter = np.reshape(np.asarray(values), (1,) * len(frame.lanes) + (-1,))
    frame.lanes.append(len(values))
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


@executes(RowOp)
def row(op: RowOp, frame: Frame) -> None:
    """The same memory, from the row on."""
    source, index = frame[op.source], frame[op.index]
    number, rows = int(np.ravel(index)[0]), source.shape[0]
    if not 0 <= number < rows:
        raise fault(op, f"row {number}, the buffer has the rows 0 to {rows - 1}")
    frame[op.result] = source[number : number + 1].reshape(source.shape[1:])


@executes(SpanOp)
def span(op: SpanOp, frame: Frame) -> None:
    """The same memory, as one row of elements."""
    start, (length,) = op.start.value.data, memref_type(op.result).get_shape()
    frame[op.result] = frame[op.source].reshape(-1)[start : start + length]


@evaluates(DotOp)
def dot(op: DotOp, lhs: Array, rhs: Array, accumulator: Array) -> Array:
    """Products of the numbers in words, the lowest bits first; floats are added one after the other, in f32."""
    left, right = _numbers(lhs, op.lhs_type, accumulator), _numbers(rhs, op.rhs_type, accumulator)
    total = accumulator
    with np.errstate(all="ignore"):
        for number in range(left.shape[-1]):
            total = total + left[..., number] * right[..., number]
    return np.asarray(total)


@evaluates(OuterDotOp)
def outer_dot(op: OuterDotOp, lhs: Array, rhs: Array, accumulator: Array) -> Array:
    """The dot product of each word with each other word, as `loop.dot` adds it up."""
    left, right = _numbers(lhs, op.lhs_type, accumulator), _numbers(rhs, op.rhs_type, accumulator)
    total = accumulator.reshape(*accumulator.shape[:-1], left.shape[-2], right.shape[-2])
    with np.errstate(all="ignore"):
        for number in range(left.shape[-1]):
            total = total + left[..., :, np.newaxis, number] * right[..., np.newaxis, :, number]
    return total.reshape(*total.shape[:-2], -1)


@evaluates(MmaOp)
def mma(op: MmaOp, lhs: Array, rhs: Array, accumulator: Array) -> Array:
    """Rows times columns, word by word as `loop.dot` adds them up."""
    left, right = _numbers(lhs, op.lhs_type, accumulator), _numbers(rhs, op.rhs_type, accumulator)
    total = accumulator
    with np.errstate(all="ignore"):
        for word in range(right.shape[-3]):
            for number in range(right.shape[-1]):
                row, column = left[..., word, number], right[..., word, :, number]
                total = total + row[..., :, np.newaxis] * column[..., np.newaxis, :]
    return np.asarray(total)


def _numbers(words: Array, element: Attribute, sums: Array) -> Array:
    """The numbers in words, along a new last dim, in the type of the sums."""
    return np.ascontiguousarray(words[..., np.newaxis]).view(to_numpy(element)).astype(sums.dtype)


@evaluates(WordOp)
def word(op: WordOp, *numbers: Array) -> Array:
    """The bits of numbers side by side, as those of an i32."""
    return np.asarray(np.ascontiguousarray(np.stack(np.broadcast_arrays(*numbers), axis=-1)).view(np.int32)[..., 0])
