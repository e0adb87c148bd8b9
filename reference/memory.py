"""Access to buffers, as the loop, memref and vector dialects share it.

A buffer is an array like any other value: lane axes (if it was allocated in a parallel loop, each iteration has its
own), then the axes of the memref. Bytes that nobody has written are 0xff, which reads as NaN, -1 or true.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.loop import CONSECUTIVE, Lanes
from mlc.reference.execution import Array, Frame, UndefinedBehavior
from mlc.support.dtypes import to_numpy
from mlc.support.locations import location_of
from mlc.support.types import MemRef, memref_type, vector_type

ArrayIndex = tuple["Array | slice", ...]


def unwritten(shape: Sequence[int], element_type: Attribute) -> Array:
    """A new buffer."""
    dtype = to_numpy(element_type)
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    return np.reshape(np.frombuffer(bytearray(b"\xff" * prod(shape) * dtype.itemsize), dtype), shape)


def read(
    op: Operation,
    frame: Frame,
    memref: SSAValue,
    subscripts: Sequence[Array],
    accessed: Attribute,
    lanes: Lanes = CONSECUTIVE,
) -> Array:
    """The element at `subscripts`, or the vector that starts there, for each lane; what is not active is 0.

    Raises:
        UndefinedBehavior: it is outside of the buffer.
    """
    buffer = frame[memref]
    found = np.array(buffer[_index(op, buffer, memref_type(memref), subscripts, accessed, lanes)])
    if lanes.active is None:
        return found
    inactive = _length(accessed) - lanes.active
    return np.concatenate([found, np.zeros((*found.shape[:-1], inactive), found.dtype)], -1)


def write(
    op: Operation,
    frame: Frame,
    memref: SSAValue,
    subscripts: Sequence[Array],
    value: SSAValue,
    lanes: Lanes = CONSECUTIVE,
) -> None:
    """Put `value` at `subscripts`, for each lane.

    Raises:
        UndefinedBehavior: it is outside of the buffer, the buffer is read-only, or lanes write different values to
            one element.
    """
    buffer, array = frame[memref], frame[value]
    if not buffer.flags.writeable:
        raise fault(op, f"writes to {memref_type(memref)}, which is an input or a constant")
    index = _index(op, buffer, memref_type(memref), subscripts, value.type, lanes)
    if lanes.active is not None:
        array = array[..., : lanes.active]
    try:
        buffer[index] = array
    except ValueError:
        raise fault(op, "iterations of a parallel loop write to the same element") from None


def fault(op: Operation, message: str) -> UndefinedBehavior:
    """The error of `op`, with its source location if it has one."""
    location = location_of(op)
    return UndefinedBehavior(f"{f'{location}: ' if location else ''}{op.name}: {message}")


def _length(accessed: Attribute) -> int:
    vector = vector_type(accessed)
    return 1 if vector is None else prod(vector.get_shape())


def _index(
    op: Operation, buffer: Array, memref: MemRef, subscripts: Sequence[Array], accessed: Attribute, lanes: Lanes
) -> ArrayIndex:
    """What to index `buffer` with: its own lane in each lane axis, then the subscripts, then a vector's elements."""
    shaped = vector_type(accessed)
    shape = (1,) if shaped is None else shaped.get_shape()
    length = shape[-1] if lanes.active is None else lanes.active
    along = len(subscripts) - 1 if lanes.along is None else lanes.along
    reach = [0] * len(subscripts)
    if shaped is not None:
        reach[along] += (length - 1) * lanes.stride
    if lanes.rows is not None:
        reach[lanes.rows] += (shape[0] - 1) * lanes.row_stride
    for axis, (subscript, extent) in enumerate(zip(subscripts, memref.get_shape(), strict=True)):
        last = extent - 1 - reach[axis]
        low, high = (subscript.min(), subscript.max()) if subscript.ndim else (subscript.item(),) * 2
        if low < 0 or high > last:
            beyond = f" for {prod(shape[:-1]) * length} elements" if last != extent - 1 else ""
            raise fault(op, f"subscript {axis} runs from {low} to {high}{beyond}, outside of {memref}")
    own_lanes: tuple[int, ...] = buffer.shape[: buffer.ndim - len(subscripts)]
    own: list[Array] = [
        np.reshape(np.arange(n), (n,) + (1,) * (len(own_lanes) - i - 1)) for i, n in enumerate(own_lanes)
    ]
    index = [*own, *subscripts]
    if shaped is None:
        return tuple(index)
    index = [a.reshape(a.shape + (1,) * len(shape)) if a.ndim else a for a in index]
    steps = np.reshape(np.arange(length) * lanes.stride, (1,) * (len(shape) - 1) + (-1,))
    index[len(own) + along] = index[len(own) + along] + steps
    if lanes.rows is not None:
        rows = np.arange(shape[0])[:, None] * lanes.row_stride
        index[len(own) + lanes.rows] = index[len(own) + lanes.rows] + rows
    return tuple(index)
