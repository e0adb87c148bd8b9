"""Transposed convolutions of images with two and three spatial dimensions."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import (
    I64ArrayConstr,
    NumberTensor,
    Shape,
    Tensor,
    Value,
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
    require_numbers,
    spatial_dims,
    zeros,
)

__all__ = ["ConvTranspose2dOp", "ConvTranspose3dOp", "ConvTransposeOp"]


class ConvTransposeOp(GraphOp, ABC):
    """What transposed convolutions share; a class has the number of its spatial dimensions, and defaults of that
    length."""

    CONTRACTS: ClassVar[bool] = True
    SPATIAL: ClassVar[int]

    input = operand_def(NumberTensor)
    weights = operand_def(NumberTensor)
    strides = prop_def(I64ArrayConstr)
    padding = prop_def(I64ArrayConstr)
    output_padding = prop_def(I64ArrayConstr)
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
        output_padding: Shape | None = None,
        dilations: Shape | None = None,
        groups: int = 1,
        layout: str | None = None,
    ) -> None:
        """Lists and a layout that are not given are the defaults."""
        layout = LAYOUTS[self.SPATIAL][0] if layout is None else layout
        result = self.infer(
            type_of(input), type_of(weights), strides, padding, output_padding, dilations, groups, layout
        )
        window = Window.of((1,) * self.SPATIAL, strides, padding, dilations)
        super().__init__(
            operands=[input, weights],
            result_types=[result],
            properties={
                "strides": i64_array(window.strides),
                "padding": i64_array(window.padding),
                "output_padding": i64_array((0,) * self.SPATIAL if output_padding is None else output_padding),
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
        output_padding: Shape | None = None,
        dilations: Shape | None = None,
        groups: int = 1,
        layout: str | None = None,
    ) -> Tensor:
        """The image that all taps reach, cut by the padding, with the output channels of the weights.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 padding cuts off
                everything, c4 more output padding than taps of one pixel lie apart, c5 an unknown layout, c6 a rank
                that is not that of an image, c7 channels, weights and groups do not agree, c8 element types differ.
        """
        layout = LAYOUTS[cls.SPATIAL][0] if layout is None else layout
        output_padding = (0,) * cls.SPATIAL if output_padding is None else output_padding
        require_layout(cls.name, layout, cls.SPATIAL)
        x, w = input.get_shape(), weights.get_shape()
        if len(x) != len(layout) or len(w) != len(layout):
            raise violation(
                cls.name,
                6,
                f"the image is {input} and the weights are {weights}; both must have {len(layout)} dimensions",
            )
        if has_channels_last(layout):
            *kernel, taken, per_group = w
        else:
            taken, per_group, *kernel = w
        channels = x[channel_dim(layout)]
        if groups < 1 or taken != channels or channels % groups:
            raise violation(
                cls.name,
                7,
                f"{input} has {channels} channels, {weights} takes {taken}, with {groups} groups and layout {layout}; "
                f"the weights must take all channels, and groups must divide them",
            )
        if input.element_type != weights.element_type:
            raise violation(cls.name, 8, f"{input} and {weights} have different element types", "insert graph.cast")
        window = Window.of(tuple(kernel), strides, padding, dilations)
        require_numbers(cls.name, "kernel", window.kernel, cls.SPATIAL)
        require_numbers(cls.name, "strides", window.strides, cls.SPATIAL)
        require_numbers(cls.name, "padding", window.padding, 2 * cls.SPATIAL, least=0)
        require_numbers(cls.name, "output_padding", output_padding, cls.SPATIAL, least=0)
        require_numbers(cls.name, "dilations", window.dilations, cls.SPATIAL)
        extents: list[int] = []
        for i, d in enumerate(spatial_dims(layout)):
            if output_padding[i] >= max(window.strides[i], window.dilations[i]):
                raise violation(
                    cls.name,
                    4,
                    f"output_padding is {list(output_padding)}; each element must be below the stride or the dilation, "
                    f"which are {list(window.strides)} and {list(window.dilations)}",
                )
            reached = (x[d] - 1) * window.strides[i] + window.spans[i] + output_padding[i]
            low, high = window.padding[i], window.padding[i + cls.SPATIAL]
            extents.append(reached - low - high)
            if extents[-1] < 1:
                raise violation(
                    cls.name,
                    3,
                    f"padding cuts {low} and {high} off an extent of {reached}; nothing is left",
                )
        return tensor(image_shape(layout, x[0], per_group * groups, tuple(extents)), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), type_of(self.weights), **self.options)

    @property
    def options(self) -> dict[str, Any]:
        """The properties as arguments of the builder."""
        return {
            "strides": ints(self.strides),
            "padding": ints(self.padding),
            "output_padding": ints(self.output_padding),
            "dilations": ints(self.dilations),
            "groups": self.groups.value.data,
            "layout": self.layout.data,
        }

    @property
    def window(self) -> Window:
        """The kernel of each pixel, and how kernels lie in the result."""
        shape = type_of(self.weights).get_shape()
        kernel = shape[:-2] if has_channels_last(self.layout.data) else shape[2:]
        return Window(kernel, ints(self.strides), ints(self.padding), ints(self.dilations))

    @property
    def kinds(self) -> Sequence[str]:
        groups, per_group = (
            self.groups.value.data,
            type_of(self.weights).get_shape()[-1 if has_channels_last(self.layout.data) else 1],
        )
        return list(self.window.kinds(groups, per_group))


@irdl_op_definition
class ConvTranspose2dOp(ConvTransposeOp):
    """The transpose of a two-dimensional convolution, without bias: each pixel adds the kernel, times its value.

    Tap `(ky, kx)` of pixel `(y, x)` goes to row `y * stride + ky * dilation - padding` of the result, likewise for
    columns. Padding (top, left, bottom, right) is what is cut off the result, and `output_padding` (bottom, right) is
    what is kept after all. Weights are `[in, out / groups, kh, kw]` in layout "NCHW" and `[kh, kw, in, out / groups]`
    in "NHWC". Attributes at their defaults are not written.

    ```mlir
    %y = graph.conv_transpose2d %x, %w {padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}
        : tensor<1x16x8x8xf32>, tensor<16x3x4x4xf32> -> tensor<1x3x16x16xf32>
    ```
    """

    name = "graph.conv_transpose2d"
    SPATIAL: ClassVar[int] = 2

    strides = prop_def(I64ArrayConstr, default_value=ones(2))
    padding = prop_def(I64ArrayConstr, default_value=zeros(4))
    output_padding = prop_def(I64ArrayConstr, default_value=zeros(2))
    dilations = prop_def(I64ArrayConstr, default_value=ones(2))
    layout = prop_def(StringAttr, default_value=layout_attr(2))


@irdl_op_definition
class ConvTranspose3dOp(ConvTransposeOp):
    """The transpose of a three-dimensional convolution: `graph.conv_transpose2d` with a depth before the height.

    Weights are `[in, out / groups, kd, kh, kw]` in layout "NCDHW" and `[kd, kh, kw, in, out / groups]` in "NDHWC".
    Padding is front, top, left, back, bottom, right, and `output_padding` is back, bottom, right.

    ```mlir
    %y = graph.conv_transpose3d %x, %w {strides = array<i64: 2, 2, 2>}
        : tensor<1x16x4x8x8xf32>, tensor<16x3x2x2x2xf32> -> tensor<1x3x8x16x16xf32>
    ```
    """

    name = "graph.conv_transpose3d"
    SPATIAL: ClassVar[int] = 3

    strides = prop_def(I64ArrayConstr, default_value=ones(3))
    padding = prop_def(I64ArrayConstr, default_value=zeros(6))
    output_padding = prop_def(I64ArrayConstr, default_value=zeros(3))
    dilations = prop_def(I64ArrayConstr, default_value=ones(3))
    layout = prop_def(StringAttr, default_value=layout_attr(3))
