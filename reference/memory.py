"""Access to buffers, as the loop, memref and vector dialects share it.

A buffer is an array like any other value: lane axes (if it was allocated in a parallel loop, each iteration has its
own), then the axes of the memref. Bytes that nobody has written are 0xff, which reads as NaN, -1 or true.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.reference.execution import Array, Frame, UndefinedBehavior
from mlc.support.dtypes import to_numpy
from mlc.support.locations import location_of
from mlc.support.types import MemRef, memref_type, vector_type

Index = tuple["Array | slice", ...]


def unwritten(shape: Sequence[int], element_type: Attribute) -> Array:
    """A new buffer."""
    dtype = to_numpy(element_type)
    if dtype == np.bool_:
        return np.ones(shape, dtype)
    return np.reshape(np.frombuffer(bytearray(b"\xff" * prod(shape) * dtype.itemsize), dtype), shape)


def read(op: Operation, frame: Frame, memref: SSAValue, subscripts: Sequence[Array], accessed: Attribute) -> Array:
    """The element at `subscripts`, or the vector that starts there, for each lane.

    Raises:
        UndefinedBehavior: it is outside of the buffer.
    """
    buffer = frame[memref]
    return np.array(buffer[_index(op, buffer, memref_type(memref), subscripts, accessed)])


def write(op: Operation, frame: Frame, memref: SSAValue, subscripts: Sequence[Array], value: SSAValue) -> None:
    """Put `value` at `subscripts`, for each lane.

    Raises:
        UndefinedBehavior: it is outside of the buffer, the buffer is read-only, or lanes write different values to
            one element.
    """
    buffer, array = frame[memref], frame[value]
    if not buffer.flags.writeable:
        raise fault(op, f"writes to {memref_type(memref)}, which is an input or a constant")
    index = _index(op, buffer, memref_type(memref), subscripts, value.type)
    try:
        buffer[index] = array
    except ValueError:
        raise fault(op, "iterations of a parallel loop write to the same element") from None


def fault(op: Operation, message: str) -> UndefinedBehavior:
    """The error of `op`, with its source location if it has one."""
    location = location_of(op)
    return UndefinedBehavior(f"{f'{location}: ' if location else ''}{op.name}: {message}")


def _index(op: Operation, buffer: Array, memref: MemRef, subscripts: Sequence[Array], accessed: Attribute) -> Index:
    """What to index `buffer` with: its own lane in each lane axis, then the subscripts, then a vector's elements."""
    vector = vector_type(accessed)
    length = 1 if vector is None else prod(vector.get_shape())
    for axis, (subscript, extent) in enumerate(zip(subscripts, memref.get_shape(), strict=True)):
        last = extent - (length if axis == len(subscripts) - 1 else 1)
        if subscript.min() < 0 or subscript.max() > last:
            beyond = f" for {length} elements" if last != extent - 1 else ""
            raise fault(
                op,
                f"subscript {axis} runs from {subscript.min()} to {subscript.max()}{beyond}, outside of {memref}",
            )
    own_lanes: tuple[int, ...] = buffer.shape[: buffer.ndim - len(subscripts)]
    lanes: list[Array] = [
        np.reshape(np.arange(n), (n,) + (1,) * (len(own_lanes) - i - 1)) for i, n in enumerate(own_lanes)
    ]
    index = [*lanes, *subscripts]
    if vector is None:
        return tuple(index)
    index = [a[..., None] for a in index]
    index[-1] = index[-1] + np.arange(length)
    return tuple(index)
