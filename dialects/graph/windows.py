"""Windows that slide over the spatial dimensions of an image: what convolutions and pooling share.

An image has a batch, channels, and two spatial dimensions (height, width) or three (depth, height, width). One with a
single spatial dimension is an image of height 1: `graph.reshape` gives it that shape, and moves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import StringAttr

from mlc.dialects.graph.types import I64Array, Shape, i64_array, violation

LAYOUTS = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}
"""By the number of spatial dimensions, the orders of dimensions: channels first, and channels last."""


def layout_attr(spatial: int) -> StringAttr:
    """The default layout, channels first."""
    return StringAttr(LAYOUTS[spatial][0])


def ones(spatial: int) -> I64Array:
    """1 along each spatial dimension: the default of strides and dilations."""
    return i64_array((1,) * spatial)


def zeros(count: int) -> I64Array:
    """The default of padding, which has two numbers for each spatial dimension."""
    return i64_array((0,) * count)


def has_channels_last(layout: str) -> bool:
    """Whether channels are the last dimension."""
    return layout.endswith("C")


def spatial_dims(layout: str) -> Shape:
    """The positions of the spatial dimensions."""
    return tuple(i for i, name in enumerate(layout) if name in "DHW")


def channel_dim(layout: str) -> int:
    """The position of the channels."""
    return layout.index("C")


def image_shape(layout: str, batch: int, channels: int, spatial: Sequence[int]) -> Shape:
    """The shape of an image in a layout."""
    return (batch, *spatial, channels) if has_channels_last(layout) else (batch, channels, *spatial)


def image_padding(layout: str, padding: Sequence[int]) -> tuple[Shape, Shape]:
    """What (top, left, bottom, right) and the like put before and after each dimension of an image."""
    spatial = len(padding) // 2
    return image_shape(layout, 0, 0, padding[:spatial]), image_shape(layout, 0, 0, padding[spatial:])


@dataclass(frozen=True)
class Window:
    """A window of `kernel` taps per spatial dimension, `dilations` apart, that moves by `strides` over a padded image.

    Attributes:
        padding: how far the image is padded before each spatial dimension (top, left), then after each.
    """

    kernel: Shape
    strides: Shape
    padding: Shape
    dilations: Shape

    @classmethod
    def of(
        cls,
        kernel: Shape,
        strides: Shape | None = None,
        padding: Shape | None = None,
        dilations: Shape | None = None,
    ) -> Window:
        """A window with strides and dilations of 1, and no padding, unless they are given."""
        unit = (1,) * len(kernel)
        return cls(
            kernel,
            unit if strides is None else strides,
            (0,) * (2 * len(kernel)) if padding is None else padding,
            unit if dilations is None else dilations,
        )

    @property
    def spans(self) -> Shape:
        """How many elements lie between the first tap and the last one, with both of them."""
        return tuple((taps - 1) * step + 1 for taps, step in zip(self.kernel, self.dilations, strict=True))

    def kinds(self, groups: int, per_group: int) -> Iterator[str]:
        """What people call a convolution with this window and so many groups, of so many channels in the weights."""
        yield "x".join(map(str, self.kernel))
        if set(self.kernel) == {1}:
            yield "pointwise"
        if set(self.strides) != {1}:
            yield f"stride {'x'.join(map(str, dict.fromkeys(self.strides)))}"
        if set(self.dilations) != {1}:
            yield "dilated"
        if groups > 1:
            yield from ("depthwise" if per_group == 1 else "grouped", f"groups {groups}")

    def output(self, op_name: str, image: Shape) -> Shape:
        """The number of window positions per spatial dimension of `image`.

        Raises:
            VerifyException: c1 lengths, c2 signs, c3 the window does not fit, c4 it could lie wholly in the padding.
        """
        spatial = len(image)
        require_numbers(op_name, "kernel", self.kernel, spatial)
        require_numbers(op_name, "strides", self.strides, spatial)
        require_numbers(op_name, "padding", self.padding, 2 * spatial, least=0)
        require_numbers(op_name, "dilations", self.dilations, spatial)
        return tuple(self._positions(op_name, i, extent) for i, extent in enumerate(image))

    def _positions(self, op_name: str, i: int, extent: int) -> int:
        """The number of window positions in spatial dimension `i`."""
        low, high = self.padding[i], self.padding[i + len(self.kernel)]
        span = self.spans[i]
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


def require_layout(op_name: str, layout: str, spatial: int) -> None:
    """c5: the layout is one of images with this number of spatial dimensions.

    Raises:
        VerifyException: it is not.
    """
    first, last = LAYOUTS[spatial]
    if layout not in (first, last):
        raise violation(op_name, 5, f'layout is "{layout}"; use "{first}" or "{last}"')
