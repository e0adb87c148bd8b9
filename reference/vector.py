"""The vector dialect: every op works on the last axes, whatever lane axes come before."""

from __future__ import annotations

import numpy as np
from xdsl.dialects import vector
from xdsl.ir import Attribute

from mlc.reference.execution import Array, Frame, evaluates, executes, rank_of
from mlc.reference.math import fused_multiply_add
from mlc.reference.memory import fault, read, write
from mlc.reference.tensor import combine, leave_out_nan
from mlc.support.dtypes import to_numpy
from mlc.support.types import Vector, vector_type

_COMBINE = {
    "maximumf": "max",
    "minimumf": "min",
    "maxsi": "max",
    "minsi": "min",
    **{kind: kind for kind in ("maxui", "minui", "add", "mul")},
}


def _vector(type: Attribute) -> Vector:
    found = vector_type(type)
    assert found is not None
    return found


@evaluates(vector.BroadcastOp)
def broadcast(op: vector.BroadcastOp, source: Array) -> Array:
    """A scalar, or a vector of fewer axes, repeated."""
    shape, own = _vector(op.vector.type).get_shape(), rank_of(op.source.type)
    lanes = source.shape[: source.ndim - own]
    new_axes = (1,) * (len(shape) - own)
    spread = np.reshape(source, lanes + new_axes + source.shape[source.ndim - own :])
    return np.broadcast_to(spread, lanes + shape)


@evaluates(vector.BitcastOp)
def bitcast(op: vector.BitcastOp, source: Array) -> Array:
    """The same bits as fewer or more elements along the last axis."""
    return np.ascontiguousarray(source).view(to_numpy(_vector(op.result.type).element_type))


@evaluates(vector.FMAOp)
def fma(op: vector.FMAOp, lhs: Array, rhs: Array, acc: Array) -> Array:
    """See `fused_multiply_add`."""
    return fused_multiply_add(lhs, rhs, acc)


@evaluates(vector.ExtractOp)
def extract(op: vector.ExtractOp, source: Array, *dynamic: Array) -> Array:
    """The part at a static position."""
    if dynamic:
        raise fault(op, "only static positions can be run")
    position = op.static_position.get_values()
    rest = rank_of(op.vector.type) - len(position)
    return np.asarray(source[(..., *position, *[slice(None)] * rest)])


@evaluates(vector.InsertOp)
def insert(op: vector.InsertOp, source: Array, dest: Array, *dynamic: Array) -> Array:
    """A copy of `dest` with the part at a static position replaced."""
    if dynamic:
        raise fault(op, "only static positions can be run")
    position, own = op.static_position.get_values(), rank_of(op.dest.type)
    rest = own - len(position)
    lanes = np.broadcast_shapes(source.shape[: source.ndim - rest], dest.shape[: dest.ndim - own])
    result = np.array(np.broadcast_to(dest, lanes + dest.shape[dest.ndim - own :]))
    result[(..., *position, *[slice(None)] * rest)] = source
    return result


@evaluates(vector.ShuffleOp)
def shuffle(op: vector.ShuffleOp, first: Array, second: Array) -> Array:
    """Elements of the two 1-D vectors, numbered one after the other."""
    lanes = np.broadcast_shapes(first.shape[:-1], second.shape[:-1])
    both = [np.broadcast_to(v, lanes + v.shape[-1:]) for v in (first, second)]
    return np.concatenate(both, -1)[..., list(op.mask.get_values())]


@evaluates(vector.ReductionOp)
def reduction(op: vector.ReductionOp, source: Array, *acc: Array) -> Array:
    """Combines all elements, and the accumulator if there is one."""
    kind = str(op.kind.data)
    if kind not in _COMBINE and kind != "maxnumf":
        raise fault(op, f"the kind '{kind}' cannot be run")
    if acc:
        source = np.concatenate([source, np.broadcast_to(acc[0][..., None], (*source.shape[:-1], 1))], -1)
    last = (source.ndim - 1,)
    return leave_out_nan(source, last) if kind == "maxnumf" else combine(_COMBINE[kind], source, last)


@executes(vector.LoadOp)
def load(op: vector.LoadOp, frame: Frame) -> None:
    """Elements that follow each other in the last dim."""
    frame[op.result] = read(op, frame, op.base, [np.asarray(frame[v]) for v in op.indices], op.result.type)


@executes(vector.StoreOp)
def store(op: vector.StoreOp, frame: Frame) -> None:
    """Elements that follow each other in the last dim."""
    write(op, frame, op.base, [np.asarray(frame[v]) for v in op.indices], op.vector)
