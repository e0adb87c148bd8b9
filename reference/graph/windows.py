"""Windows that slide over an image: what convolution and pooling share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mlc.dialects.graph.windows import Window
from mlc.reference.execution import Array


def channels_first(image: Array, layout: str) -> Array:
    """The image as [batch, channels, height, width]."""
    return np.transpose(image, (0, 3, 1, 2)) if layout == "NHWC" else image


def in_layout(image: Array, layout: str) -> Array:
    """Undo `channels_first`."""
    return np.transpose(image, (0, 2, 3, 1)) if layout == "NHWC" else image


def taps(image: Array, window: Window, fill: float) -> Iterator[Array]:
    """For each tap of the window, row by row, the elements [batch, channels, positions...] under it.

    The image is [batch, channels, height, width]; outside of it there is `fill`.
    """
    top, left, bottom, right = window.padding
    padded = np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    down, across = ((window.kernel[i] - 1) * window.dilations[i] for i in range(2))  # from the first tap to the last
    height, width = padded.shape[2:]
    for row in range(0, down + 1, window.dilations[0]):
        for column in range(0, across + 1, window.dilations[1]):
            rows = slice(row, height - down + row, window.strides[0])
            columns = slice(column, width - across + column, window.strides[1])
            yield padded[:, :, rows, columns]
