"""Windows that slide over the two spatial dimensions of an image: what convolution and pooling share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr

from mlc.dialects.graph.types import Shape, i64_array, violation

"""The order of the dimensions of an image: batch, channels, height, width, or channels last."""

ONES = i64_array((1, 1))
NO_PADDING = i64_array((0, 0, 0, 0))
NCHW = StringAttr("NCHW")


def spatial_dims(layout: str) -> tuple[int, int]:
    """The positions of height and width."""
    return (2, 3) if layout == "NCHW" else (1, 2)


def channel_dim(layout: str) -> int:
    """The position of the channels."""
    return 1 if layout == "NCHW" else 3


def image_shape(layout: str, batch: int, channels: int, spatial: Shape) -> Shape:
    """The shape of an image in a layout."""
    return (batch, channels, *spatial) if layout == "NCHW" else (batch, *spatial, channels)


def image_padding(layout: str, padding: Sequence[int]) -> tuple[Shape, Shape]:
    """What (top, left, bottom, right) puts in front of and behind each dimension of an image."""
    top, left, bottom, right = padding
    return image_shape(layout, 0, 0, (top, left)), image_shape(layout, 0, 0, (bottom, right))


@dataclass(frozen=True)
class Window:
    """A window of `kernel` taps per dimension, `dilations` apart, that moves by `strides` over a padded image."""

    kernel: Shape
    strides: Shape = (1, 1)
    padding: Shape = (0, 0, 0, 0)
    """top, left, bottom, right"""
    dilations: Shape = (1, 1)

    def output(self, op_name: str, image: Shape) -> Shape:
        """The number of window positions per spatial dimension of `image`, (height, width).

        Raises:
            VerifyException: c1 lengths, c2 signs, c3 the window does not fit, c4 it could lie wholly in the padding.
        """
        require_numbers(op_name, "kernel", self.kernel, 2)
        require_numbers(op_name, "strides", self.strides, 2)
        require_numbers(op_name, "padding", self.padding, 4, least=0)
        require_numbers(op_name, "dilations", self.dilations, 2)
        return tuple(self._positions(op_name, i, extent) for i, extent in enumerate(image))

    def _positions(self, op_name: str, i: int, extent: int) -> int:
        """The number of window positions in spatial dimension `i`."""
        low, high = self.padding[i], self.padding[i + 2]
        span = (self.kernel[i] - 1) * self.dilations[i] + 1
        if extent + low + high < span:
            raise violation(
                op_name,
                3,
                f"a window of {span} does not fit into an extent of {extent} padded by {low} and {high}",
            )
        if max(low, high) >= span:
            raise violation(
                op_name,
                4,
                f"padding by {low} and {high} is as wide as the window of {span}; use graph.pad",
            )
        return (extent + low + high - span) // self.strides[i] + 1


def require_numbers(op_name: str, name: str, values: Shape, length: int, least: int = 1) -> None:
    """c1 and c2: the list `name` has `length` elements, none below `least`.

    Raises:
        VerifyException: it has not.
    """
    if len(values) != length:
        raise violation(op_name, 1, f"{name} has {len(values)} elements; it must have {length}")
    if min(values) < least:
        raise violation(op_name, 2, f"{name} is {list(values)}; each element must be at least {least}")


def require_layout(op_name: str, layout: str) -> None:
    """c5: the layout is one that we know.

    Raises:
        VerifyException: it is not.
    """
    if layout not in ("NCHW", "NHWC"):
        raise violation(op_name, 5, f'layout is "{layout}"; use "NCHW" or "NHWC"')
