"""Reductions along axes; they accumulate in the element type, so sums of integers wrap."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlc.dialects.graph.reduction import ArgMaxOp, ArgMinOp, ReduceOp
from mlc.dialects.graph.types import ints
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import mean, product, total

_KINDS: dict[str, Callable[[Array, tuple[int, ...], bool], Array]] = {
    "sum": total,
    "mean": mean,
    "max": lambda x, axes, keep: x.max(axes, keepdims=keep),
    "min": lambda x, axes, keep: x.min(axes, keepdims=keep),
    "prod": product,
}


@evaluates(ReduceOp)
def reduce(op: ReduceOp, x: Array) -> Array:
    """No axes: nothing is combined."""
    return np.asarray(_KINDS[op.kind.data.value](x, ints(op.axes), op.keepdims is not None))


@evaluates(ArgMaxOp, ArgMinOp)
def arg_reduce(op: ArgMaxOp | ArgMinOp, x: Array) -> Array:
    """As NumPy: the first of equal elements, and NaN before all others."""
    find = np.argmax if isinstance(op, ArgMaxOp) else np.argmin
    return np.asarray(find(x, op.axis.value.data, keepdims=op.keepdims is not None), np.int64)
