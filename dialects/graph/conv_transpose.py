"""Transposed convolution."""

from __future__ import annotations

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
    NCHW,
    NO_PADDING,
    ONES,
    channel_dim,
    image_shape,
    require_layout,
    require_numbers,
    spatial_dims,
)


@irdl_op_definition
class ConvTranspose2dOp(GraphOp):
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
    CONTRACTS: ClassVar[bool] = True

    input = operand_def(NumberTensor)
    weights = operand_def(NumberTensor)
    strides = prop_def(I64ArrayConstr, default_value=ONES)
    padding = prop_def(I64ArrayConstr, default_value=NO_PADDING)
    output_padding = prop_def(I64ArrayConstr, default_value=i64_array((0, 0)))
    dilations = prop_def(I64ArrayConstr, default_value=ONES)
    groups = prop_def(IntegerAttr.constr(i64), default_value=IntegerAttr(1, i64))
    layout = prop_def(StringAttr, default_value=NCHW)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input `,` $weights attr-dict `:` type($input) `,` type($weights) `->` type($result)"

    def __init__(
        self,
        input: Value,
        weights: Value,
        strides: Shape = (1, 1),
        padding: Shape = (0, 0, 0, 0),
        output_padding: Shape = (0, 0),
        dilations: Shape = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
    ) -> None:
        result = self.infer(
            type_of(input), type_of(weights), strides, padding, output_padding, dilations, groups, layout
        )
        super().__init__(
            operands=[input, weights],
            result_types=[result],
            properties={
                "strides": i64_array(strides),
                "padding": i64_array(padding),
                "output_padding": i64_array(output_padding),
                "dilations": i64_array(dilations),
                "groups": IntegerAttr(groups, i64),
                "layout": StringAttr(layout),
            },
        )

    @classmethod
    def infer(
        cls,
        input: Tensor,
        weights: Tensor,
        strides: Shape = (1, 1),
        padding: Shape = (0, 0, 0, 0),
        output_padding: Shape = (0, 0),
        dilations: Shape = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
    ) -> Tensor:
        """The image that all taps reach, cut by the padding, with the output channels of the weights.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 padding cuts off
                everything, c4 more output padding than taps of one pixel lie apart, c5 an unknown layout, c6 a rank
                that is not 4, c7 channels, weights and groups do not agree, c8 element types differ.
        """
        require_layout(cls.name, layout)
        x, w = input.get_shape(), weights.get_shape()
        if len(x) != 4 or len(w) != 4:
            raise violation(
                cls.name,
                6,
                f"the image is {input} and the weights are {weights}; both must have 4 dimensions",
            )
        taken, per_group, kernel = (w[0], w[1], w[2:]) if layout == "NCHW" else (w[2], w[3], w[:2])
        channels = x[channel_dim(layout)]
        if groups < 1 or taken != channels or channels % groups:
            raise violation(
                cls.name,
                7,
                f"{input} has {channels} channels, {weights} takes {taken}, with {groups} groups and layout {layout}; "
                f"the weights must take all channels, and groups must divide them",
            )
        if input.element_type != weights.element_type:
            raise violation(cls.name, 8, f"{input} and {weights} have different element types; insert graph.cast")
        require_numbers(cls.name, "kernel", kernel, 2)
        require_numbers(cls.name, "strides", strides, 2)
        require_numbers(cls.name, "padding", padding, 4, least=0)
        require_numbers(cls.name, "output_padding", output_padding, 2, least=0)
        require_numbers(cls.name, "dilations", dilations, 2)
        extents: list[int] = []
        for i, d in enumerate(spatial_dims(layout)):
            if output_padding[i] >= max(strides[i], dilations[i]):
                raise violation(
                    cls.name,
                    4,
                    f"output_padding is {list(output_padding)}; each element must be below the stride or the dilation, "
                    f"which are {list(strides)} and {list(dilations)}",
                )
            reached = (x[d] - 1) * strides[i] + (kernel[i] - 1) * dilations[i] + 1 + output_padding[i]
            extents.append(reached - padding[i] - padding[i + 2])
            if extents[-1] < 1:
                raise violation(
                    cls.name,
                    3,
                    f"padding cuts {padding[i]} and {padding[i + 2]} off an extent of {reached}; nothing is left",
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
