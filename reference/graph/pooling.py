"""Pooling."""

from __future__ import annotations

from functools import reduce

import numpy as np

from mlc.dialects.graph.pooling import AvgPool2dOp, MaxPool2dOp
from mlc.dialects.graph.types import ints
from mlc.dialects.graph.windows import Window
from mlc.reference.execution import Array, evaluates
from mlc.reference.graph.windows import channels_first, in_layout, taps


@evaluates(MaxPool2dOp)
def max_pool2d(op: MaxPool2dOp, image: Array) -> Array:
    """Padding is the least value of the type, so it never wins; NaN always does."""
    least = -np.inf if np.issubdtype(image.dtype, np.floating) else np.iinfo(image.dtype).min
    window = Window(ints(op.kernel), ints(op.strides), ints(op.padding), ints(op.dilations))
    layout = op.layout.data
    return in_layout(reduce(np.maximum, taps(channels_first(image, layout), window, least)), layout)


@evaluates(AvgPool2dOp)
def avg_pool2d(op: AvgPool2dOp, image: Array) -> Array:
    """The sum with zeros as padding, over the number of taps, or of those inside the image."""
    window = Window(ints(op.kernel), ints(op.strides), ints(op.padding))
    layout = op.layout.data
    image = channels_first(image, layout)
    counted = np.ones((1, 1, *image.shape[2:]), image.dtype)
    count = reduce(np.add, taps(counted, window, 1 if op.count_include_pad.value.data else 0))
    return in_layout(reduce(np.add, taps(image, window, 0)) / count, layout)
