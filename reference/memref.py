"""The memref dialect: buffers and views of them."""

from __future__ import annotations

from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr

from mlc.dialects.memref import (
    AssumeAlignmentOp,
    CopyOp,
    ExtractAlignedPointerAsIndexOp,
    GlobalOp,
)
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.memory import fault, read, unwritten, write
from mlc.support.dtypes import to_numpy
from mlc.support.types import memref_type


@executes(memref.AllocOp, memref.AllocaOp)
def alloc(op: memref.AllocOp | memref.AllocaOp, frame: Frame) -> None:
    """A buffer for each lane."""
    result = memref_type(op.memref)
    frame[op.memref] = unwritten((*frame.lanes, *result.get_shape()), result.element_type)


@executes(memref.DeallocOp)
def dealloc(op: memref.DeallocOp, frame: Frame) -> None:
    """Nothing to do."""


@executes(memref.GetGlobalOp)
def get_global(op: memref.GetGlobalOp, frame: Frame) -> None:
    """The read-only data of the `memref.global`."""
    definition = frame.symbols[op.name_.string_value()]
    assert isinstance(definition, GlobalOp)
    value = definition.initial_value
    if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        raise fault(op, f"'{definition.sym_name.data}' has no data")
    data = np.reshape(constant_data(value, frame.resources), memref_type(op.memref).get_shape())
    data.flags.writeable = False
    frame[op.memref] = data


@executes(memref.LoadOp)
def load(op: memref.LoadOp, frame: Frame) -> None:
    """One element for each lane."""
    frame[op.res] = read(op, frame, op.memref, [np.asarray(frame[v]) for v in op.indices], op.res.type)


@executes(memref.StoreOp)
def store(op: memref.StoreOp, frame: Frame) -> None:
    """One element for each lane."""
    write(op, frame, op.memref, [np.asarray(frame[v]) for v in op.indices], op.value)


@executes(CopyOp)
def copy(op: CopyOp, frame: Frame) -> None:
    """All elements."""
    frame[op.destination][...] = frame[op.source]


@executes(memref.ViewOp)
def view(op: memref.ViewOp, frame: Frame) -> None:
    """A typed buffer in a byte buffer, from a byte offset on."""
    source, offset = frame[op.source], frame[op.byte_shift]
    result = memref_type(op.result)
    dtype, shape = to_numpy(result.element_type), result.get_shape()
    if source.ndim != 1 or offset.size != 1:
        raise fault(op, "the byte buffer and the offset must not depend on a parallel loop")
    start = int(np.ravel(offset)[0])
    stop = start + prod(shape) * dtype.itemsize
    if start < 0 or stop > source.size:
        raise fault(op, f"takes bytes {start} to {stop} of {source.size}")
    frame[op.result] = np.reshape(cast(Any, source[start:stop]).view(dtype), shape)


@evaluates(memref.ReinterpretCastOp)
def reinterpret_cast(op: memref.ReinterpretCastOp, source: Array, *dynamic: Array) -> Array:
    """A buffer, or part of one, as a row-major buffer of another shape."""
    old, new = memref_type(op.source), memref_type(op.result)
    shape, offset = new.get_shape(), op.static_offsets.get_values()[0]
    row_major = tuple(prod(shape[i + 1 :]) for i in range(len(shape)))
    if dynamic or op.static_strides.get_values() != row_major:
        raise fault(op, "only static, row-major views can be run")
    lanes = source.shape[: source.ndim - old.get_num_dims()]
    if prod(shape) == prod(old.get_shape()):
        return np.reshape(source, lanes + shape)
    if lanes:
        raise fault(op, "part of a buffer of a parallel loop cannot be run")
    return np.reshape(np.reshape(source, -1)[offset : offset + prod(shape)], shape)


@evaluates(memref.CastOp, memref.MemorySpaceCastOp)
def same_buffer(_op: memref.CastOp | memref.MemorySpaceCastOp, source: Array) -> Array:
    """Only the type changes."""
    return source


@evaluates(ExtractAlignedPointerAsIndexOp)
def address(_op: ExtractAlignedPointerAsIndexOp, source: Array) -> Array:
    """Where the array lies."""
    return np.asarray(cast(Any, source).__array_interface__["data"][0], np.int64)


@evaluates(AssumeAlignmentOp)
def assume_alignment(_op: AssumeAlignmentOp, _source: Array) -> Any:
    """Nothing to run: it is a promise."""
    return []


@evaluates(memref.CollapseShapeOp, memref.ExpandShapeOp)
def reshape(op: memref.CollapseShapeOp | memref.ExpandShapeOp, source: Array, *dynamic: Array) -> Array:
    """The same elements in row-major order."""
    lanes = source.shape[: source.ndim - memref_type(op.src).get_num_dims()]
    return np.reshape(source, lanes + memref_type(op.result).get_shape())
