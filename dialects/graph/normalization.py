"""Normalisations: softmax, layer, RMS and group normalisation, batch normalisation at inference."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, f64, i64
from xdsl.ir import OpResult
from xdsl.irdl import VarConstraint, irdl_op_definition, operand_def, prop_def, result_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import FloatTensor, Tensor, Value, require_axis, tensor, type_of, violation

__all__ = ["BatchNormOp", "GroupNormOp", "LayerNormOp", "RmsNormOp", "SoftmaxOp"]

AxisConstr = IntegerAttr.constr(i64)
EpsilonConstr = FloatAttr.constr(f64)


@irdl_op_definition
class SoftmaxOp(GraphOp):
    """`exp(x - max) / sum(exp(x - max))` along one axis.

    ```mlir
    %p = graph.softmax %x axis 1 : tensor<64x10xf32>
    ```
    """

    name = "graph.softmax"
    REDUCES: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    T: ClassVar = VarConstraint("T", FloatTensor)
    input = operand_def(T)
    axis = prop_def(AxisConstr)
    result: OpResult[Tensor] = result_def(T)

    assembly_format = "$input `axis` $axis attr-dict `:` type($result)"

    def __init__(self, input: Value, axis: int) -> None:
        result = self.infer(type_of(input), axis)
        super().__init__(operands=[input], properties={"axis": IntegerAttr(axis, i64)}, result_types=[result])

    @classmethod
    def infer(cls, input: Tensor, axis: int) -> Tensor:
        """The type of the operand.

        Raises:
            VerifyException: c1 the axis is out of range.
        """
        require_axis(cls.name, input, axis)
        return input

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.axis.value.data)


@irdl_op_definition
class LayerNormOp(GraphOp):
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias`, statistics over the dimensions from `axis` on.

    Scale and bias have the shape of those dimensions; the variance is that of the population.

    ```mlir
    %y = graph.layer_norm %x, %scale, %bias axis 2 epsilon 1.0e-05
        : tensor<1x16x64xf32>, tensor<64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
    ```
    """

    name = "graph.layer_norm"
    REDUCES: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    input = operand_def(FloatTensor)
    scale = operand_def(FloatTensor)
    bias = operand_def(FloatTensor)
    axis = prop_def(AxisConstr)
    epsilon = prop_def(EpsilonConstr)

    assembly_format = "operands `axis` $axis `epsilon` $epsilon attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, input: Value, scale: Value, bias: Value, axis: int, epsilon: float = 1e-5) -> None:
        result = self.infer(type_of(input), type_of(scale), type_of(bias), axis)
        super().__init__(
            operands=[input, scale, bias],
            properties={"axis": IntegerAttr(axis, i64), "epsilon": FloatAttr(epsilon, f64)},
            result_types=[result],
        )

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, bias: Tensor, axis: int) -> Tensor:
        """The type of the input.

        Raises:
            VerifyException: c1 the axis is out of range, c2 scale or bias has another type than the normalised
                dimensions call for.
        """
        require_axis(cls.name, input, axis)
        expected = tensor(input.get_shape()[axis:], input.element_type)
        for role, found in (("scale", scale), ("bias", bias)):
            if found != expected:
                raise violation(
                    cls.name,
                    2,
                    f"the {role} is {found}; {input} normalised from axis {axis} needs {expected}",
                )
        return input

    def inferred_type(self) -> Tensor:
        x, scale, bias = (type_of(v) for v in self.operands)
        return self.infer(x, scale, bias, self.axis.value.data)


@irdl_op_definition
class RmsNormOp(GraphOp):
    """`x / sqrt(mean(x^2) + epsilon) * scale`, the mean over the dimensions from `axis` on.

    Scale has the shape of those dimensions (Zhang and Sennrich, "Root Mean Square Layer Normalization",
    arXiv:1910.07467).

    ```mlir
    %y = graph.rms_norm %x, %scale axis 2 epsilon 1.0e-05 : tensor<1x16x64xf32>, tensor<64xf32> -> tensor<1x16x64xf32>
    ```
    """

    name = "graph.rms_norm"
    REDUCES: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    input = operand_def(FloatTensor)
    scale = operand_def(FloatTensor)
    axis = prop_def(AxisConstr)
    epsilon = prop_def(EpsilonConstr)

    assembly_format = "operands `axis` $axis `epsilon` $epsilon attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, input: Value, scale: Value, axis: int, epsilon: float = 1e-5) -> None:
        super().__init__(
            operands=[input, scale],
            properties={"axis": IntegerAttr(axis, i64), "epsilon": FloatAttr(epsilon, f64)},
            result_types=[self.infer(type_of(input), type_of(scale), axis)],
        )

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, axis: int) -> Tensor:
        """The type of the input.

        Raises:
            VerifyException: c1 the axis is out of range, c2 the scale has another type than the normalised dimensions
                call for.
        """
        require_axis(cls.name, input, axis)
        expected = tensor(input.get_shape()[axis:], input.element_type)
        if scale != expected:
            raise violation(cls.name, 2, f"the scale is {scale}; {input} normalised from axis {axis} needs {expected}")
        return input

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), type_of(self.scale), self.axis.value.data)


@irdl_op_definition
class GroupNormOp(GraphOp):
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias`, statistics over each group of channels of each image.

    The channels are at `axis`, dimension 0 counts images; scale and bias hold one element per channel (Wu and He,
    "Group Normalization", arXiv:1803.08494). With one group per channel it is instance normalisation.

    ```mlir
    %y = graph.group_norm %x, %scale, %bias axis 1 groups 4 epsilon 1.0e-05
        : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<1x8x4x4xf32>
    ```
    """

    name = "graph.group_norm"
    REDUCES: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    input = operand_def(FloatTensor)
    scale = operand_def(FloatTensor)
    bias = operand_def(FloatTensor)
    axis = prop_def(AxisConstr)
    groups = prop_def(IntegerAttr.constr(i64))
    epsilon = prop_def(EpsilonConstr)

    assembly_format = (
        "operands `axis` $axis `groups` $groups `epsilon` $epsilon attr-dict `:` type(operands) `->` type($result)"
    )

    def __init__(
        self, input: Value, scale: Value, bias: Value, groups: int, axis: int = 1, epsilon: float = 1e-5
    ) -> None:
        super().__init__(
            operands=[input, scale, bias],
            properties={
                "axis": IntegerAttr(axis, i64),
                "groups": IntegerAttr(groups, i64),
                "epsilon": FloatAttr(epsilon, f64),
            },
            result_types=[self.infer(type_of(input), type_of(scale), type_of(bias), groups, axis)],
        )

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, bias: Tensor, groups: int, axis: int = 1) -> Tensor:
        """The type of the input.

        Raises:
            VerifyException: c1 the axis is out of range, c2 scale or bias is not one element per channel, c3 the axis
                is that of images, c4 groups do not divide the channels.
        """
        require_axis(cls.name, input, axis)
        if axis == 0:
            raise violation(cls.name, 3, f"axis is 0, which counts images in {input}; channels need another axis")
        channels = input.get_shape()[axis]
        expected = tensor((channels,), input.element_type)
        for role, found in (("scale", scale), ("bias", bias)):
            if found != expected:
                raise violation(
                    cls.name,
                    2,
                    f"the {role} is {found}; {input} with channels at axis {axis} needs {expected}",
                )
        if groups < 1 or channels % groups:
            raise violation(
                cls.name, 4, f"groups is {groups}; it must divide the {channels} channels of {input} at axis {axis}"
            )
        return input

    def inferred_type(self) -> Tensor:
        x, scale, bias = (type_of(v) for v in self.operands)
        return self.infer(x, scale, bias, self.groups.value.data, self.axis.value.data)


@irdl_op_definition
class BatchNormOp(GraphOp):
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias`, one of each per channel, statistics given.

    ```mlir
    %y = graph.batch_norm %x, %scale, %bias, %mean, %var axis 1 epsilon 1.0e-05
        : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32> -> tensor<1x8x4x4xf32>
    ```
    """

    name = "graph.batch_norm"

    input = operand_def(FloatTensor)
    scale = operand_def(FloatTensor)
    bias = operand_def(FloatTensor)
    mean = operand_def(FloatTensor)
    variance = operand_def(FloatTensor)
    axis = prop_def(AxisConstr)
    epsilon = prop_def(EpsilonConstr)

    assembly_format = "operands `axis` $axis `epsilon` $epsilon attr-dict `:` type(operands) `->` type($result)"

    def __init__(
        self,
        input: Value,
        scale: Value,
        bias: Value,
        mean: Value,
        variance: Value,
        axis: int = 1,
        epsilon: float = 1e-5,
    ) -> None:
        parameters = (scale, bias, mean, variance)
        result = self.infer(type_of(input), *(type_of(p) for p in parameters), axis=axis)
        super().__init__(
            operands=[input, *parameters],
            properties={"axis": IntegerAttr(axis, i64), "epsilon": FloatAttr(epsilon, f64)},
            result_types=[result],
        )

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, bias: Tensor, mean: Tensor, variance: Tensor, axis: int = 1) -> Tensor:
        """The type of the input.

        Raises:
            VerifyException: c1 the axis is out of range, c2 a parameter is not one element per channel.
        """
        require_axis(cls.name, input, axis)
        expected = tensor((input.get_shape()[axis],), input.element_type)
        for role, found in (("scale", scale), ("bias", bias), ("mean", mean), ("variance", variance)):
            if found != expected:
                raise violation(
                    cls.name,
                    2,
                    f"the {role} is {found}; {input} with channels at axis {axis} needs {expected}",
                )
        return input

    def inferred_type(self) -> Tensor:
        x, scale, bias, mean, variance = (type_of(v) for v in self.operands)
        return self.infer(x, scale, bias, mean, variance, self.axis.value.data)
