"""Pictures of values: pixels of a byte, which the page draws on a canvas."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import OpResult, SSAValue

from mlc.dialects.graph.windows import LAYOUTS, has_channels_last
from mlc.tools.explorer.document_values import Picture

Array = NDArray[Any]

_COLOURS = 3
_LEAST_SIDE, _MOST_SIDE = 4, 96
"""The least pixels along a side of what is taken for an image, and the most that are drawn of it."""


def picture_of(value: SSAValue, array: Array) -> Picture | None:
    """The first image of a batch, in colours if it has three channels, else its first channel in grey; None if the
    value is no image.

    The smallest number is black and the largest white; a number that is not finite is the pixel 0, which no other has.
    """
    image = _image(array, channels_last(value))
    if image is None:
        return None
    channels = image.shape[2]
    shown = image if channels == _COLOURS else image[:, :, :1]
    height, width = image.shape[:2]
    step = -(-max(height, width) // _MOST_SIDE)
    shown = shown[::step, ::step].astype(np.float64)
    is_known = np.isfinite(shown)
    least, most = (float(f(shown, where=is_known, initial=i)) for f, i in ((np.min, np.inf), (np.max, -np.inf)))
    pixels = np.zeros(shown.shape, np.uint8)
    if is_known.any():
        half = max(most / 2 - least / 2, np.finfo(np.float64).tiny)  # the range itself may be infinite
        share = np.where(is_known, (shown / 2 - least / 2) / half, 0)
        pixels = np.where(is_known, 1 + np.rint(254 * share), 0).astype(np.uint8)
    words = f"{height} x {width}"
    if channels not in (1, _COLOURS):
        words += f", the first of {channels} channels"
    if array.ndim == 4 and array.shape[0] > 1:
        words += f", the first of {array.shape[0]} images"
    data = base64.b64encode(pixels.tobytes()).decode()
    return Picture(shown.shape[1], shown.shape[0], shown.shape[2], words, data)


def channels_last(value: SSAValue) -> bool | None:
    """Whether an op that makes or reads an image as its first operand says that channels are its last dim; None if no
    op says where they are."""
    ops = [use.operation for use in value.uses if use.index == 0]
    for op in [*ops, *([value.op] if isinstance(value, OpResult) else [])]:
        layout = op.properties.get("layout")
        if isinstance(layout, StringAttr) and layout.data in LAYOUTS[2]:
            return has_channels_last(layout.data)
    return None


def _image(array: Array, is_last: bool | None) -> Array | None:
    """The first image, [height, width, channels]; by its shape where no op says what its dims are."""
    if array.dtype.kind == "c" or array.ndim not in (3, 4) or not array.size:
        return None
    image = array[0] if array.ndim == 4 else array
    if is_last is None:
        few = (1, _COLOURS)
        is_last = image.shape[2] in few and image.shape[0] not in few
    image = image if is_last else image.transpose(1, 2, 0)
    return image if min(image.shape[:2]) >= _LEAST_SIDE else None
