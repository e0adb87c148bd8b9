"""Reductions along axes; they accumulate in the element type, so sums of integers wrap."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlc.dialects.graph.reduction import ArgMaxOp, ArgMinOp, ReduceOp
from mlc.dialects.graph.types import ints
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import mean, product, total


def _limits(x: Array) -> tuple[Any, Any]:
    """What is neutral in a maximum and in a minimum: the least and the greatest value of the type."""
    if x.dtype == np.bool_:
        return False, True
    return (-np.inf, np.inf) if np.issubdtype(x.dtype, np.floating) else (np.iinfo(x.dtype).min, np.iinfo(x.dtype).max)


_KINDS: dict[str, Callable[[Array, tuple[int, ...], bool], Array]] = {
    "sum": total,
    "mean": mean,
    "max": lambda x, axes, keep: x.max(axes, keepdims=keep, initial=_limits(x)[0]),
    "min": lambda x, axes, keep: x.min(axes, keepdims=keep, initial=_limits(x)[1]),
    "prod": product,
}


@evaluates(ReduceOp)
def reduce(op: ReduceOp, x: Array) -> Array:
    """No axes: nothing is combined. No elements: what is neutral, and NaN for the mean."""
    return np.asarray(_KINDS[op.kind.data.value](x, ints(op.axes), op.keepdims is not None))


@evaluates(ArgMaxOp, ArgMinOp)
def arg_reduce(op: ArgMaxOp | ArgMinOp, x: Array) -> Array:
    """As NumPy: the first of equal elements, and NaN before all others."""
    find = np.argmax if isinstance(op, ArgMaxOp) else np.argmin
    return np.asarray(find(x, op.axis.value.data, keepdims=op.keepdims is not None), np.int64)
