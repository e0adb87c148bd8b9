"""Convolutions of images with two and three spatial dimensions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.contraction import type_of_sums
from mlc.dialects.graph.types import (
    I64ArrayConstr,
    NumberTensor,
    Shape,
    Tensor,
    Value,
    element_of,
    i64_array,
    ints,
    tensor,
    type_of,
    violation,
)
from mlc.dialects.graph.windows import (
    LAYOUTS,
    Window,
    channel_dim,
    has_channels_last,
    image_shape,
    layout_attr,
    ones,
    require_layout,
    spatial_dims,
    zeros,
)

__all__ = ["Conv2dOp", "Conv3dOp", "ConvOp"]


class ConvOp(GraphOp, ABC):
    """What convolutions share; a class has the number of its spatial dimensions, and defaults of that length.

    Products are added in the element type of the operands, or in a wider one, as in `graph.matmul`.
    """

    CONTRACTS: ClassVar[bool] = True
    SPATIAL: ClassVar[int]

    input = operand_def(NumberTensor)
    weights = operand_def(NumberTensor)
    strides = prop_def(I64ArrayConstr)
    padding = prop_def(I64ArrayConstr)
    dilations = prop_def(I64ArrayConstr)
    groups = prop_def(IntegerAttr.constr(i64), default_value=IntegerAttr(1, i64))
    layout = prop_def(StringAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input `,` $weights attr-dict `:` type($input) `,` type($weights) `->` type($result)"

    def __init__(
        self,
        input: Value,
        weights: Value,
        strides: Shape | None = None,
        padding: Shape | None = None,
        dilations: Shape | None = None,
        groups: int = 1,
        layout: str | None = None,
        element: Attribute | None = None,
    ) -> None:
        """Lists and a layout that are not given are the defaults, and sums are of the type of the operands."""
        layout = LAYOUTS[self.SPATIAL][0] if layout is None else layout
        result = self.infer(type_of(input), type_of(weights), strides, padding, dilations, groups, layout, element)
        window = Window.of((1,) * self.SPATIAL, strides, padding, dilations)
        super().__init__(
            operands=[input, weights],
            result_types=[result],
            properties={
                "strides": i64_array(window.strides),
                "padding": i64_array(window.padding),
                "dilations": i64_array(window.dilations),
                "groups": IntegerAttr(groups, i64),
                "layout": StringAttr(layout),
            },
        )

    @classmethod
    def infer(
        cls,
        input: Tensor,
        weights: Tensor,
        strides: Shape | None = None,
        padding: Shape | None = None,
        dilations: Shape | None = None,
        groups: int = 1,
        layout: str | None = None,
        element: Attribute | None = None,
    ) -> Tensor:
        """The image of window positions, with the output channels of the weights.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 the window does not fit
                into the padded image, c4 padding as wide as the window, c5 an unknown layout, c6 a rank that is not
                that of an image, c7 channels, weights and groups do not agree, c8
                products of these element types are not added in `element`.
        """
        layout = LAYOUTS[cls.SPATIAL][0] if layout is None else layout
        require_layout(cls.name, layout, cls.SPATIAL)
        x, w = input.get_shape(), weights.get_shape()
        if len(x) != len(layout) or len(w) != len(layout):
            raise violation(
                cls.name,
                6,
                f"the image is {input} and the weights are {weights}; both must have {len(layout)} dimensions",
            )
        if has_channels_last(layout):
            *kernel, per_group, out = w
        else:
            out, per_group, *kernel = w
        channels = x[channel_dim(layout)]
        if groups < 1 or per_group * groups != channels or out % groups:
            raise violation(
                cls.name,
                7,
                f"{input} has {channels} channels, {weights} takes {per_group} and gives {out}, with {groups} groups "
                f"and layout {layout}; channels must be groups x what is taken, and groups must divide what is given",
            )
        sums = type_of_sums(cls.name, 8, input, weights, element)
        spatial = tuple(x[d] for d in spatial_dims(layout))
        positions = Window.of(tuple(kernel), strides, padding, dilations).output(cls.name, spatial)
        return tensor(image_shape(layout, x[0], out, positions), sums)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), type_of(self.weights), **self.options, element=element_of(self.result))

    @property
    def options(self) -> dict[str, Any]:
        """The properties as arguments of the builder."""
        return {
            "strides": ints(self.strides),
            "padding": ints(self.padding),
            "dilations": ints(self.dilations),
            "groups": self.groups.value.data,
            "layout": self.layout.data,
        }

    @property
    def summed_axes(self) -> tuple[int, int]:
        """The axes of image and weights along which products are summed, beside those of the window: channels."""
        layout = self.layout.data
        return channel_dim(layout), len(layout) - 2 if has_channels_last(layout) else 1

    @property
    def output_axis(self) -> int:
        """The axis of the weights whose elements are for different channels of the result."""
        layout = self.layout.data
        return len(layout) - 1 if has_channels_last(layout) else 0

    @property
    def window(self) -> Window:
        """The window that slides over the image."""
        shape = type_of(self.weights).get_shape()
        kernel = shape[:-2] if has_channels_last(self.layout.data) else shape[2:]
        return Window(kernel, ints(self.strides), ints(self.padding), ints(self.dilations))

    @property
    def kinds(self) -> Sequence[str]:
        groups, per_group = self.groups.value.data, type_of(self.weights).get_shape()[self.summed_axes[1]]
        return list(self.window.kinds(groups, per_group))


@irdl_op_definition
class Conv2dOp(ConvOp):
    """A two-dimensional convolution (cross-correlation, as in all frameworks), without bias.

    Weights are `[out, in / groups, kh, kw]` in layout "NCHW" and `[kh, kw, in / groups, out]` in "NHWC". Padding is
    zeros: top, left, bottom, right; products with it may be left out, which only an infinite or NaN weight can tell.
    Attributes at their defaults are not written.

    ```mlir
    %y = graph.conv2d %x, %w {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
        : tensor<1x3x32x32xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x16x16xf32>
    ```
    """

    name = "graph.conv2d"
    SPATIAL: ClassVar[int] = 2

    strides = prop_def(I64ArrayConstr, default_value=ones(2))
    padding = prop_def(I64ArrayConstr, default_value=zeros(4))
    dilations = prop_def(I64ArrayConstr, default_value=ones(2))
    layout = prop_def(StringAttr, default_value=layout_attr(2))


@irdl_op_definition
class Conv3dOp(ConvOp):
    """A three-dimensional convolution: `graph.conv2d` with a depth before the height.

    Weights are `[out, in / groups, kd, kh, kw]` in layout "NCDHW" and `[kd, kh, kw, in / groups, out]` in "NDHWC".
    Padding is front, top, left, back, bottom, right.

    ```mlir
    %y = graph.conv3d %x, %w {padding = array<i64: 1, 1, 1, 1, 1, 1>}
        : tensor<1x3x8x32x32xf32>, tensor<16x3x3x3x3xf32> -> tensor<1x16x8x32x32xf32>
    ```
    """

    name = "graph.conv3d"
    SPATIAL: ClassVar[int] = 3

    strides = prop_def(I64ArrayConstr, default_value=ones(3))
    padding = prop_def(I64ArrayConstr, default_value=zeros(6))
    dilations = prop_def(I64ArrayConstr, default_value=ones(3))
    layout = prop_def(StringAttr, default_value=layout_attr(3))
