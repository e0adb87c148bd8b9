"""Ops that cut tensors and put them together."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.slicing import ConcatOp, PadOp, SliceOp
from mlc.dialects.graph.types import ints
from mlc.reference.execution import Array, evaluates


@evaluates(ConcatOp)
def concat(op: ConcatOp, *inputs: Array) -> Array:
    """In the order of the operands."""
    return np.concatenate(inputs, op.axis.value.data)


@evaluates(SliceOp)
def slice_(op: SliceOp, x: Array) -> Array:
    """One range per dimension."""
    bounds = zip(ints(op.starts), ints(op.ends), ints(op.strides), strict=True)
    return x[tuple(slice(*b) for b in bounds)]


@evaluates(PadOp)
def pad(op: PadOp, x: Array) -> Array:
    """Constant padding."""
    amounts = list(zip(ints(op.low), ints(op.high), strict=True))
    return np.pad(x, amounts, constant_values=op.value.value.data) if amounts else x
