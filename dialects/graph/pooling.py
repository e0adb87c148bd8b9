"""Pooling: a window slides over each channel of an image, and each position yields one number."""

from __future__ import annotations

from abc import ABC
from typing import Any, ClassVar

from xdsl.dialects.builtin import BoolAttr, StringAttr, TensorType, i64
from xdsl.ir import Attribute, OpResult
from xdsl.irdl import EqAttrConstraint, ParsePropInAttrDict, irdl_op_definition, operand_def, prop_def, result_def

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
    LAYOUTS,
    Window,
    channel_dim,
    image_shape,
    layout_attr,
    ones,
    require_layout,
    spatial_dims,
    zeros,
)

__all__ = [
    "ArgMaxPool2dOp", "ArgMaxPool3dOp", "ArgMaxPoolOp", "AvgPool2dOp", "AvgPool3dOp", "AvgPoolOp", "MaxPool2dOp",
    "MaxPool3dOp", "MaxPoolOp", "PoolOp"
]  # fmt: skip


class PoolOp(GraphOp, ABC):
    """What pooling ops share; a class has the number of its spatial dimensions, and defaults of that length."""

    REDUCES: ClassVar[bool] = True
    SPATIAL: ClassVar[int]

    input = operand_def(NumberTensor)
    kernel = prop_def(I64ArrayConstr)
    strides = prop_def(I64ArrayConstr)
    padding = prop_def(I64ArrayConstr)
    dilations = prop_def(I64ArrayConstr)
    layout = prop_def(StringAttr)

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(
        self,
        input: Value,
        kernel: Shape,
        strides: Shape | None = None,
        padding: Shape | None = None,
        dilations: Shape | None = None,
        layout: str | None = None,
        **more: Attribute,
    ) -> None:
        """Lists and a layout that are not given are the defaults; `more` are properties of the class."""
        window = Window.of(kernel, strides, padding, dilations)
        layout = LAYOUTS[self.SPATIAL][0] if layout is None else layout
        super().__init__(
            operands=[input],
            result_types=[self.infer(type_of(input), window, layout)],
            properties={
                "kernel": i64_array(window.kernel),
                "strides": i64_array(window.strides),
                "padding": i64_array(window.padding),
                "dilations": i64_array(window.dilations),
                "layout": StringAttr(layout),
                **more,
            },
        )

    @classmethod
    def infer(cls, input: Tensor, window: Window, layout: str) -> Tensor:
        """The image of window positions.

        Raises:
            VerifyException: c1 a list of the wrong length, c2 a number in it is too small, c3 the window does not fit
                into the padded image, c4 padding as wide as the window, c5 an unknown layout, c6 a rank that is not
                that of an image.
        """
        require_layout(cls.name, layout, cls.SPATIAL)
        shape = input.get_shape()
        if len(shape) != len(layout):
            raise violation(cls.name, 6, f"the image is {input}; it must have {len(layout)} dimensions")
        positions = window.output(cls.name, tuple(shape[d] for d in spatial_dims(layout)))
        channels = shape[channel_dim(layout)]
        return tensor(image_shape(layout, shape[0], channels, positions), cls.element_from(input))

    @classmethod
    def element_from(cls, input: Tensor) -> Attribute:
        """The element type of the result: that of the image."""
        return input.element_type

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.window, self.layout.data)

    @property
    def window(self) -> Window:
        """The window that slides over the image."""
        return Window(ints(self.kernel), ints(self.strides), ints(self.padding), ints(self.dilations))


class _Pool2dOp(PoolOp, ABC):
    SPATIAL: ClassVar[int] = 2

    strides = prop_def(I64ArrayConstr, default_value=ones(2))
    padding = prop_def(I64ArrayConstr, default_value=zeros(4))
    dilations = prop_def(I64ArrayConstr, default_value=ones(2))
    layout = prop_def(StringAttr, default_value=layout_attr(2))


class _Pool3dOp(PoolOp, ABC):
    SPATIAL: ClassVar[int] = 3

    strides = prop_def(I64ArrayConstr, default_value=ones(3))
    padding = prop_def(I64ArrayConstr, default_value=zeros(6))
    dilations = prop_def(I64ArrayConstr, default_value=ones(3))
    layout = prop_def(StringAttr, default_value=layout_attr(3))


class MaxPoolOp(PoolOp, ABC):
    """The largest element under each window position; padding never wins, NaN always does."""


class ArgMaxPoolOp(PoolOp, ABC):
    """Where the largest element under each window position is, as i64."""

    result: OpResult[Tensor] = result_def(TensorType.constr(EqAttrConstraint(i64)))

    @classmethod
    def element_from(cls, input: Tensor) -> Attribute:
        """Positions are i64."""
        return i64


class AvgPoolOp(PoolOp, ABC):
    """The mean of the elements under each window position."""

    input = operand_def(FloatTensor)
    count_include_pad = prop_def(BoolAttr, default_value=BoolAttr.from_bool(False))

    def __init__(self, *arguments: Any, count_include_pad: bool = False, **options: Any) -> None:
        super().__init__(*arguments, **options, count_include_pad=BoolAttr.from_bool(count_include_pad))


@irdl_op_definition
class MaxPool2dOp(_Pool2dOp, MaxPoolOp):
    """The largest element under each window position; padding never wins, NaN always does.

    Padding is top, left, bottom, right. A window at the end of the image that is only partly inside ("ceil mode") is
    one more position, which more padding at the bottom or on the right makes room for.

    ```mlir
    %y = graph.max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xf32>
    ```
    """

    name = "graph.max_pool2d"


@irdl_op_definition
class MaxPool3dOp(_Pool3dOp, MaxPoolOp):
    """The largest element under each window position: `graph.max_pool2d` with a depth before the height.

    ```mlir
    %y = graph.max_pool3d %x {kernel = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>}
        : tensor<1x16x8x8x8xf32> -> tensor<1x16x4x4x4xf32>
    ```
    """

    name = "graph.max_pool3d"


@irdl_op_definition
class ArgMaxPool2dOp(_Pool2dOp, ArgMaxPoolOp):
    """Where the element is that `graph.max_pool2d` gives: `row * width + column` in the image, as i64.

    It is the first of several, row by row, and the first NaN where there is one; -1 where a window has no element
    inside the image, which takes dilations.

    ```mlir
    %i = graph.arg_max_pool2d %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>}
        : tensor<1x16x8x8xf32> -> tensor<1x16x4x4xi64>
    ```
    """

    name = "graph.arg_max_pool2d"


@irdl_op_definition
class ArgMaxPool3dOp(_Pool3dOp, ArgMaxPoolOp):
    """Where the element is that `graph.max_pool3d` gives: `(plane * height + row) * width + column` in the image.

    ```mlir
    %i = graph.arg_max_pool3d %x {kernel = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>}
        : tensor<1x16x8x8x8xf32> -> tensor<1x16x4x4x4xi64>
    ```
    """

    name = "graph.arg_max_pool3d"


@irdl_op_definition
class AvgPool2dOp(_Pool2dOp, AvgPoolOp):
    """The mean of the elements under each window position.

    Padding counts as zeros if `count_include_pad` holds; else the mean is over the elements inside the image, and NaN
    where there are none. Where some padding counts and some does not (windows that reach beyond a padded image, as
    "ceil mode" has them), the former is a `graph.pad` in front, and the latter the padding of the pool.

    ```mlir
    %y = graph.avg_pool2d %x {kernel = array<i64: 2, 2>} : tensor<1x16x8x8xf32> -> tensor<1x16x7x7xf32>
    ```
    """

    name = "graph.avg_pool2d"


@irdl_op_definition
class AvgPool3dOp(_Pool3dOp, AvgPoolOp):
    """The mean of the elements under each window position: `graph.avg_pool2d` with a depth before the height.

    ```mlir
    %y = graph.avg_pool3d %x {kernel = array<i64: 2, 2, 2>} : tensor<1x16x8x8x8xf32> -> tensor<1x16x7x7x7xf32>
    ```
    """

    name = "graph.avg_pool3d"
