"""Pooling."""

from __future__ import annotations

from functools import reduce

import numpy as np

from mlc.dialects.graph.pooling import ArgMaxPoolOp, AvgPoolOp, MaxPoolOp, PoolOp
from mlc.reference.any_order import sums
from mlc.reference.execution import Array, evaluates
from mlc.reference.graph.windows import channels_first, in_layout, taps
from mlc.support.dtypes import is_float


@evaluates(MaxPoolOp)
def max_pool(op: MaxPoolOp, image: Array) -> Array:
    """Padding is the least value of the type, so it never wins; NaN always does."""
    return in_layout(_largest(op, channels_first(image, op.layout.data)), op.layout.data)


def _largest(op: PoolOp, image: Array) -> Array:
    least = -np.inf if is_float(image.dtype) else np.iinfo(image.dtype).min
    return reduce(np.maximum, taps(image, op.window, least))


@evaluates(ArgMaxPoolOp)
def arg_max_pool(op: ArgMaxPoolOp, image: Array) -> Array:
    """The first tap inside the image that holds the largest element, or NaN."""
    image = channels_first(image, op.layout.data)
    largest = _largest(op, image)
    place = np.arange(np.prod(image.shape[2:]), dtype=np.int64).reshape(1, 1, *image.shape[2:])
    found = np.full(largest.shape, -1, np.int64)
    for x, at in zip(taps(image, op.window, 0), taps(place, op.window, -1), strict=True):
        found = np.where((found < 0) & (at >= 0) & ((x == largest) | (x != x)), at, found)
    return in_layout(found, op.layout.data)


@evaluates(AvgPoolOp)
@sums
def avg_pool(op: AvgPoolOp, image: Array) -> Array:
    """The sum with zeros as padding, over the number of taps, or of those inside the image."""
    window, layout = op.window, op.layout.data
    image = channels_first(image, layout)
    counted = np.ones((1, 1, *image.shape[2:]), image.dtype)
    count = reduce(np.add, taps(counted, window, 1 if op.count_include_pad.value.data else 0))
    return in_layout(reduce(np.add, taps(image, window, 0)) / count, layout)
