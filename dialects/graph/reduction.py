"""Reductions along axes: combining elements, and finding the greatest or least one."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import OpResult, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    EqAttrConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.str_enum import StrEnum

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.shape import ReshapeOp
from mlc.dialects.graph.types import (
    I64ArrayConstr,
    NumberTensor,
    Tensor,
    Value,
    i64_array,
    ints,
    is_float,
    require_axis,
    shape_of,
    tensor,
    type_of,
    violation,
)

__all__ = ["ArgMaxOp", "ArgMinOp", "ArgReduceOp", "ReduceKind", "ReduceKindAttr", "ReduceOp"]


class ReduceKind(StrEnum):
    """How elements are combined; `max` and `min` yield NaN if any element is NaN."""

    SUM = "sum"
    MEAN = "mean"
    MAX = "max"
    MIN = "min"
    PROD = "prod"


@irdl_attr_definition
class ReduceKindAttr(EnumAttribute[ReduceKind], SpacedOpaqueSyntaxAttribute):
    """A kind of reduction as an attribute."""

    name = "graph.reduce_kind"


@irdl_op_definition
class ReduceOp(GraphOp, HasCanonicalizationPatternsInterface):
    """Combines the elements along some axes; `keepdims` leaves these axes with extent 1.

    ```mlir
    %s = graph.reduce sum %x axes [1] : tensor<64x10xf32> -> tensor<64xf32>
    %m = graph.reduce mean %y axes [2, 3] keepdims : tensor<1x8x4x4xf32> -> tensor<1x8x1x1xf32>
    ```
    """

    name = "graph.reduce"
    REDUCES: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    kind = prop_def(ReduceKindAttr)
    input = operand_def(NumberTensor)
    axes = prop_def(I64ArrayConstr)
    keepdims = opt_prop_def(UnitAttr)

    assembly_format = "$kind $input `axes` $axes (`keepdims` $keepdims^)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, kind: str, input: Value, axes: Sequence[int], keepdims: bool = False) -> None:
        super().__init__(
            operands=[input],
            properties={
                "kind": ReduceKindAttr(ReduceKind(kind)),
                "axes": i64_array(axes),
                "keepdims": UnitAttr() if keepdims else None,
            },
            result_types=[self.infer(kind, type_of(input), axes, keepdims)],
        )

    @classmethod
    def infer(cls, kind: str, input: Tensor, axes: Sequence[int], keepdims: bool = False) -> Tensor:
        """The input without the axes, or with extent 1 there.

        Raises:
            VerifyException: c1 an axis out of range, c2 axes not ascending, c3 the mean of integers.
        """
        shape = input.get_shape()
        if not all(0 <= axis < len(shape) for axis in axes):
            raise violation(cls.name, 1, f"axes are {list(axes)}; {input} has axes 0 to {len(shape) - 1}")
        if list(axes) != sorted(set(axes)):
            raise violation(cls.name, 2, f"axes are {list(axes)}; list each once, in ascending order")
        if kind == ReduceKind.MEAN and not is_float(input):
            raise violation(cls.name, 3, f"the mean of {input} needs floating-point elements", "insert graph.cast")
        if keepdims:
            return tensor(tuple(1 if i in axes else e for i, e in enumerate(shape)), input.element_type)
        return tensor(tuple(e for i, e in enumerate(shape) if i not in axes), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(self.kind.data, type_of(self.input), ints(self.axes), self.keepdims is not None)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReplaceUnitReduce(),)


class ReplaceUnitReduce(RewritePattern):
    """A reduction of axes that all have extent 1 combines nothing: it is a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReduceOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.input)
        if all(shape[axis] == 1 for axis in ints(op.axes)):
            rewriter.replace(op, ReshapeOp(op.input, shape_of(op.result)))


class ArgReduceOp(GraphOp, ABC):
    """What `argmax` and `argmin` share: the position of an element along one axis, as i64."""

    REDUCES: ClassVar[bool] = True

    input = operand_def(NumberTensor)
    axis = prop_def(IntegerAttr.constr(i64))
    keepdims = opt_prop_def(UnitAttr)
    result: OpResult[Tensor] = result_def(TensorType.constr(EqAttrConstraint(i64)))

    assembly_format = "$input `axis` $axis (`keepdims` $keepdims^)? attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, axis: int, keepdims: bool = False) -> None:
        super().__init__(
            operands=[input],
            properties={"axis": IntegerAttr(axis, i64), "keepdims": UnitAttr() if keepdims else None},
            result_types=[self.infer(type_of(input), axis, keepdims)],
        )

    @classmethod
    def infer(cls, input: Tensor, axis: int, keepdims: bool = False) -> Tensor:
        """The input without the axis, or with extent 1 there, of i64.

        Raises:
            VerifyException: c1 the axis is out of range, c2 there are no elements along it.
        """
        require_axis(cls.name, input, axis)
        shape = input.get_shape()
        if shape[axis] == 0 and 0 not in (*shape[:axis], *shape[axis + 1 :]):
            raise violation(cls.name, 2, f"{input} has no elements along axis {axis}; it needs at least one")
        return tensor((*shape[:axis], *((1,) if keepdims else ()), *shape[axis + 1 :]), i64)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.axis.value.data, self.keepdims is not None)


@irdl_op_definition
class ArgMaxOp(ArgReduceOp):
    """The position of the greatest element along an axis, the first one if there are several; NaN is the greatest.

    ```mlir
    %i = graph.argmax %x axis 1 : tensor<64x10xf32> -> tensor<64xi64>
    ```
    """

    name = "graph.argmax"


@irdl_op_definition
class ArgMinOp(ArgReduceOp):
    """The position of the least element along an axis, the first one if there are several; NaN is the least.

    ```mlir
    %i = graph.argmin %x axis 1 keepdims : tensor<64x10xf32> -> tensor<64x1xi64>
    ```
    """

    name = "graph.argmin"
