"""Ops that keep every element."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.broadcast import BroadcastOp, ReverseOp
from mlc.dialects.graph.shape import ReshapeOp, TransposeOp
from mlc.dialects.graph.types import ints, shape_of
from mlc.reference.execution import Array, evaluates


@evaluates(ReshapeOp)
def reshape(op: ReshapeOp, x: Array) -> Array:
    """In row-major order."""
    return np.reshape(x, shape_of(op.result))


@evaluates(TransposeOp)
def transpose(op: TransposeOp, x: Array) -> Array:
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""
    return np.transpose(x, ints(op.permutation))


@evaluates(BroadcastOp)
def broadcast(op: BroadcastOp, x: Array) -> Array:
    """As NumPy does."""
    return np.broadcast_to(x, shape_of(op.result))


@evaluates(ReverseOp)
def reverse(op: ReverseOp, x: Array) -> Array:
    """Along the op's axes."""
    return np.flip(x, ints(op.axes))
