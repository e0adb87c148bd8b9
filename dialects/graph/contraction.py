"""Contractions: matrix products and convolutions."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import (
    I64ArrayConstr,
    NumberTensor,
    Shape,
    Tensor,
    Value,
    broadcast_shapes,
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
    Window,
    channel_dim,
    image_shape,
    require_layout,
    spatial_dims,
)


@irdl_op_definition
class MatmulOp(GraphOp):
    """The product of matrices, or of stacks of them: the last two dimensions multiply, leading ones broadcast.

    ```mlir
    %y = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.matmul"
    CONTRACTS: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    lhs = operand_def(NumberTensor)
    rhs = operand_def(NumberTensor)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: Value, rhs: Value) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[self.infer(type_of(lhs), type_of(rhs))])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        """`[..., m, k] x [..., k, n] -> [..., m, n]`.

        Raises:
            VerifyException: c1 rank below 2, c2 inner extents differ, c3 leading dimensions do not broadcast, c4
                element types differ.
        """
        a, b = lhs.get_shape(), rhs.get_shape()
        if min(len(a), len(b)) < 2:
            raise violation(cls.name, 1, f"{lhs} and {rhs} must both have at least 2 dimensions; use graph.reshape")
        if a[-1] != b[-2]:
            raise violation(cls.name, 2, f"{lhs} has {a[-1]} columns and {rhs} has {b[-2]} rows; these must be equal")
        batch = broadcast_shapes(a[:-2], b[:-2])
        if batch is None:
            raise violation(cls.name, 3, f"the leading dimensions of {lhs} and {rhs} do not broadcast")
        if lhs.element_type != rhs.element_type:
            raise violation(cls.name, 4, f"{lhs} and {rhs} have different element types; insert graph.cast")
        return tensor((*batch, a[-2], b[-1]), lhs.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.lhs), type_of(self.rhs))


@irdl_op_definition
class Conv2dOp(GraphOp):
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
    CONTRACTS: ClassVar[bool] = True

    input = operand_def(NumberTensor)
    weights = operand_def(NumberTensor)
    strides = prop_def(I64ArrayConstr, default_value=ONES)
    padding = prop_def(I64ArrayConstr, default_value=NO_PADDING)
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
        dilations: Shape = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
    ) -> None:
        result = self.infer(type_of(input), type_of(weights), strides, padding, dilations, groups, layout)
        super().__init__(
            operands=[input, weights],
            result_types=[result],
            properties={
                "strides": i64_array(strides),
                "padding": i64_array(padding),
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
        dilations: Shape = (1, 1),
        groups: int = 1,
        layout: str = "NCHW",
    ) -> Tensor:
        """The image of window positions, with the output channels of the weights.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 the window does not fit
                into the padded image, c4 padding as wide as the window, c5 an unknown layout, c6 a rank that is not 4,
                c7 channels, weights and groups do not agree, c8 element types differ.
        """
        require_layout(cls.name, layout)
        x, w = input.get_shape(), weights.get_shape()
        if len(x) != 4 or len(w) != 4:
            raise violation(
                cls.name,
                6,
                f"the image is {input} and the weights are {weights}; both must have 4 dimensions",
            )
        out, per_group, kernel = (w[0], w[1], w[2:]) if layout == "NCHW" else (w[3], w[2], w[:2])
        channels = x[channel_dim(layout)]
        if groups < 1 or per_group * groups != channels or out % groups:
            raise violation(
                cls.name,
                7,
                f"{input} has {channels} channels, {weights} takes {per_group} and gives {out}, with {groups} groups "
                f"and layout {layout}; channels must be groups x what is taken, and groups must divide what is given",
            )
        if input.element_type != weights.element_type:
            raise violation(cls.name, 8, f"{input} and {weights} have different element types; insert graph.cast")
        spatial = tuple(x[d] for d in spatial_dims(layout))
        positions = Window(kernel, strides, padding, dilations).output(cls.name, spatial)
        return tensor(image_shape(layout, x[0], out, positions), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(
            type_of(self.input),
            type_of(self.weights),
            ints(self.strides),
            ints(self.padding),
            ints(self.dilations),
            self.groups.value.data,
            self.layout.data,
        )
