"""Views of buffers: the same memory under another shape."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.ir import SSAValue

from mlc.support.types import MemRef


def reinterpret(source: SSAValue, target: MemRef) -> memref.ReinterpretCastOp:
    """`source` seen with the shape of `target`; both are row-major."""
    shape = target.get_shape()
    strides = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        strides[axis - 1] = strides[axis] * shape[axis]
    return memref.ReinterpretCastOp(source, [], [], [], [0], shape, strides, target)


def unreshaped(value: SSAValue) -> SSAValue:
    """The buffer that `value` is, before it was given other shapes."""
    while isinstance(owner := value.owner, memref.ReinterpretCastOp):
        value = owner.source
    return value
