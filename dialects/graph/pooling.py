"""Pooling: a window slides over each channel of an image, and each position yields one number."""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import BoolAttr, StringAttr
from xdsl.irdl import ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import (
    FloatTensor,
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
    Window,
    channel_dim,
    image_shape,
    require_layout,
    spatial_dims,
)


class Pool2dOp(GraphOp, ABC):
    """What the pooling ops share."""

    REDUCES: ClassVar[bool] = True

    input = operand_def(NumberTensor)
    kernel = prop_def(I64ArrayConstr)
    strides = prop_def(I64ArrayConstr, default_value=ONES)
    padding = prop_def(I64ArrayConstr, default_value=NO_PADDING)
    layout = prop_def(StringAttr, default_value=NCHW)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    @classmethod
    def infer(cls, input: Tensor, window: Window, layout: str = "NCHW") -> Tensor:
        """The image of window positions.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 the window does not fit
                into the padded image, c4 padding as wide as the window, c5 an unknown layout, c6 a rank that is not 4.
        """
        require_layout(cls.name, layout)
        shape = input.get_shape()
        if len(shape) != 4:
            raise violation(cls.name, 6, f"the image is {input}; it must have 4 dimensions")
        positions = window.output(cls.name, tuple(shape[d] for d in spatial_dims(layout)))
        channels = shape[channel_dim(layout)]
        return tensor(image_shape(layout, shape[0], channels, positions), input.element_type)


@irdl_op_definition
class MaxPool2dOp(Pool2dOp):
    """The largest element under each window position; padding never wins, NaN always does.

    ```mlir
    %y = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
    ```
    """

    name = "graph.max_pool2d"
    dilations = prop_def(I64ArrayConstr, default_value=ONES)

    def __init__(
        self,
        input: Value,
        kernel: Shape,
        strides: Shape = (1, 1),
        padding: Shape = (0, 0, 0, 0),
        dilations: Shape = (1, 1),
        layout: str = "NCHW",
    ) -> None:
        result = self.infer(type_of(input), Window(kernel, strides, padding, dilations), layout)
        super().__init__(
            operands=[input],
            result_types=[result],
            properties={
                "kernel": i64_array(kernel),
                "strides": i64_array(strides),
                "padding": i64_array(padding),
                "dilations": i64_array(dilations),
                "layout": StringAttr(layout),
            },
        )

    def inferred_type(self) -> Tensor:
        window = Window(ints(self.kernel), ints(self.strides), ints(self.padding), ints(self.dilations))
        return self.infer(type_of(self.input), window, self.layout.data)


@irdl_op_definition
class AvgPool2dOp(Pool2dOp):
    """The mean of the elements under each window position.

    Padding counts as zeros if `count_include_pad` holds; else the mean is over the elements inside the image.

    ```mlir
    %y = graph.avg_pool2d %x {kernel = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x7x7xf32>
    ```
    """

    name = "graph.avg_pool2d"
    input = operand_def(FloatTensor)
    count_include_pad = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))

    def __init__(
        self,
        input: Value,
        kernel: Shape,
        strides: Shape = (1, 1),
        padding: Shape = (0, 0, 0, 0),
        count_include_pad: bool = False,
        layout: str = "NCHW",
    ) -> None:
        result = self.infer(type_of(input), Window(kernel, strides, padding), layout)
        super().__init__(
            operands=[input],
            result_types=[result],
            properties={
                "kernel": i64_array(kernel),
                "strides": i64_array(strides),
                "padding": i64_array(padding),
                "count_include_pad": BoolAttr.from_bool(count_include_pad),
                "layout": StringAttr(layout),
            },
        )

    def inferred_type(self) -> Tensor:
        window = Window(ints(self.kernel), ints(self.strides), ints(self.padding))
        return self.infer(type_of(self.input), window, self.layout.data)
