"""Dims and subscripts of windows that slide over images of any number of spatial dimensions."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from mlc.dialects.graph.windows import Window, has_channels_last
from mlc.passes.graph_to_tensor._builder import Dims, Subscripts, d

_NAMES = {"N": "b", "C": "n", "D": "z", "H": "y", "W": "x"}
"""The names of dims, by the letters of a layout."""


def image_dims(layout: str, shape: Sequence[int]) -> list[tuple[str, int]]:
    """The dims of an image."""
    return [(_NAMES[letter], size) for letter, size in zip(layout, shape, strict=True)]


def spatial_names(layout: str) -> list[str]:
    """The names of the spatial dims."""
    return [_NAMES[letter] for letter in layout if letter in "DHW"]


def tap_dims(layout: str, window: Window) -> Dims:
    """The dims of the taps of a window."""
    return [(f"k{name}", size) for name, size in zip(spatial_names(layout), window.kernel, strict=True)]


def in_layout(layout: str, batch: AffineExpr, channel: AffineExpr, spatial: Subscripts) -> list[AffineExpr]:
    """The subscripts of an image."""
    return [batch, *spatial, channel] if has_channels_last(layout) else [batch, channel, *spatial]


def places(layout: str, window: Window) -> list[AffineExpr]:
    """Where each tap of a window is in the padded image: `position * stride + tap * dilation`.

    The dims are those of the result in this layout, and then those of the taps.
    """
    positions = [d(i) for i, letter in enumerate(layout) if letter in "DHW"]
    taps = [d(len(layout) + i) for i in range(len(positions))]
    return [
        position * stride + tap * dilation
        for position, stride, tap, dilation in zip(positions, window.strides, taps, window.dilations, strict=True)
    ]
