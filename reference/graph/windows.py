"""Windows that slide over an image: what convolution and pooling share."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np

from mlc.dialects.graph.windows import Window, has_channels_last
from mlc.reference.execution import Array


def channels_first(image: Array, layout: str) -> Array:
    """The image as [batch, channels, spatial...]."""
    return np.moveaxis(image, -1, 1) if has_channels_last(layout) else image


def in_layout(image: Array, layout: str) -> Array:
    """Undo `channels_first`."""
    return np.moveaxis(image, 1, -1) if has_channels_last(layout) else image


def taps(image: Array, window: Window, fill: float) -> Iterator[Array]:
    """For each tap of the window, in row-major order, the elements [batch, channels, positions...] under it.

    The image is [batch, channels, spatial...]; outside of it there is `fill`.
    """
    spatial = len(window.kernel)
    amounts = list(zip(window.padding[:spatial], window.padding[spatial:], strict=True))
    padded = np.pad(image, [(0, 0), (0, 0), *amounts], constant_values=fill)
    for tap in product(*(range(0, span, step) for span, step in zip(window.spans, window.dilations, strict=True))):
        under = [
            slice(first, extent - span + 1 + first, stride)
            for first, extent, span, stride in zip(tap, padded.shape[2:], window.spans, window.strides, strict=True)
        ]
        yield padded[:, :, *under]
