"""The classes of elementwise ops: each element of the result depends on one element of each operand.

Ops of one operand are in `unary.py` and `trigonometry.py`, those of two in `binary.py`; here are comparison, selection
and conversions.
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import AnyFloat, i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, OpResult, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.str_enum import StrEnum

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.broadcast import BroadcastOp
from mlc.dialects.graph.constant import splat_of
from mlc.dialects.graph.types import (
    AnyTensor,
    BooleanTensor,
    ComparableTensor,
    Tensor,
    Value,
    broadcast_shapes,
    shape_of,
    tensor,
    type_of,
    violation,
)
from mlc.support.ir import clone
from mlc.support.types import integer_width

__all__ = ["BitcastOp", "CastOp", "CompareOp", "ElementwiseOp", "Predicate", "PredicateAttr", "WhereOp"]


class ElementwiseOp(GraphOp, ABC):
    """An op that computes element by element, its operands broadcast to the shape of the result.

    Broadcasting is NumPy's: shapes are aligned at their last dimensions, and extent 1 stretches.
    """

    MAPS: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True
    POINT: ClassVar[tuple[str, ...]] = ()
    """The scalar op of arith or math that computes a point, or those for floats, for integers and for unsigned ones.
    Such an op needs no lowering of its own."""

    @classmethod
    def broadcast(cls, *types: Tensor) -> tuple[int, ...]:
        """The common shape of the operands.

        Raises:
            VerifyException: c1, two extents differ and neither is 1.
        """
        shape = broadcast_shapes(*(t.get_shape() for t in types))
        if shape is None:
            names = " and ".join(map(str, types))
            raise violation(cls.name, 1, f"{names} do not broadcast; aligned at the right, extents must be equal or 1")
        return shape

    @classmethod
    def common_element(cls, *types: Tensor) -> Attribute:
        """The element type that all operands have.

        Raises:
            VerifyException: c2, element types differ.
        """
        if any(t.element_type != types[0].element_type for t in types):
            names = " and ".join(map(str, types))
            raise violation(cls.name, 2, f"{names} have different element types", "insert graph.cast")
        return types[0].element_type


class ReadUnbroadcast(RewritePattern):
    """`x - broadcast(m)` is `x - m`: the op broadcasts by itself, as long as the other operands have its shape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ElementwiseOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.result)
        for place, operand in enumerate(op.operands):
            if isinstance(wide := operand.owner, BroadcastOp):
                others = [shape_of(v) for i, v in enumerate(op.operands) if i != place]
                if broadcast_shapes(shape_of(wide.input), *others) == shape:
                    narrow = clone(op)
                    narrow.operands[place] = wide.input
                    rewriter.replace(op, narrow)
                    return


class Predicate(StrEnum):
    """How `graph.compare` compares; a comparison with NaN is false, except `ne`."""

    EQ = "eq"
    NE = "ne"
    LT = "lt"
    LE = "le"
    GT = "gt"
    GE = "ge"


@irdl_attr_definition
class PredicateAttr(EnumAttribute[Predicate], SpacedOpaqueSyntaxAttribute):
    """A predicate as an attribute."""

    name = "graph.predicate"


@irdl_op_definition
class CompareOp(ElementwiseOp, HasCanonicalizationPatternsInterface):
    """Compares two tensors of one element type; the elements of the result are `i1`.

    ```mlir
    %m = graph.compare lt, %a, %b : tensor<4x8xf32>, tensor<8xf32> -> tensor<4x8xi1>
    ```
    """

    name = "graph.compare"

    predicate = prop_def(PredicateAttr)
    lhs = operand_def(ComparableTensor)
    rhs = operand_def(ComparableTensor)
    result: OpResult[Tensor] = result_def(BooleanTensor)

    assembly_format = "$predicate `,` $lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, predicate: str, lhs: Value, rhs: Value) -> None:
        result = self.infer(type_of(lhs), type_of(rhs))
        properties = {"predicate": PredicateAttr(Predicate(predicate))}
        super().__init__(operands=[lhs, rhs], properties=properties, result_types=[result])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        """The broadcast shape, of `i1`.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 element types differ.
        """
        shape = cls.broadcast(lhs, rhs)
        cls.common_element(lhs, rhs)
        return tensor(shape, i1)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.lhs), type_of(self.rhs))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReadUnbroadcast(),)


@irdl_op_definition
class WhereOp(ElementwiseOp, HasCanonicalizationPatternsInterface):
    """Selects `on_true` where the condition holds and `on_false` elsewhere.

    ```mlir
    %r = graph.where %c, %a, %b : tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32> -> tensor<4x8xf32>
    ```
    """

    name = "graph.where"
    POINT: ClassVar[tuple[str, ...]] = ("arith.select",)

    condition = operand_def(BooleanTensor)
    on_true = operand_def(AnyTensor)
    on_false = operand_def(AnyTensor)

    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, condition: Value, on_true: Value, on_false: Value) -> None:
        result = self.infer(type_of(condition), type_of(on_true), type_of(on_false))
        super().__init__(operands=[condition, on_true, on_false], result_types=[result])

    @classmethod
    def infer(cls, condition: Tensor, on_true: Tensor, on_false: Tensor) -> Tensor:
        """The broadcast shape of all three, with the element type of the branches.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 the branches have different element types.
        """
        return tensor(cls.broadcast(condition, on_true, on_false), cls.common_element(on_true, on_false))

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.condition), type_of(self.on_true), type_of(self.on_false))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldWhereOfEqualBranches(), FoldKnownWhere(), ReadUnbroadcast())


class FoldWhereOfEqualBranches(RewritePattern):
    """`where(c, x, x)` is `x`, unless the condition makes it larger."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WhereOp, rewriter: PatternRewriter) -> None:
        if op.on_true is op.on_false and op.on_true.type == op.result.type:
            rewriter.replace(op, (), (op.on_true,))


class FoldKnownWhere(RewritePattern):
    """`where(true, x, y)` is `x`, and `where(false, x, y)` is `y`, unless what is left out makes it larger."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WhereOp, rewriter: PatternRewriter) -> None:
        condition = splat_of(op.condition)
        if condition is not None:
            taken = op.on_true if condition else op.on_false
            if taken.type == op.result.type:
                rewriter.replace(op, (), (taken,))


@irdl_op_definition
class CastOp(ElementwiseOp, HasCanonicalizationPatternsInterface):
    """Converts elements: to `i1` by `x != 0`, float to integer towards zero, else to the nearest value.

    A float beyond the integers of a type becomes the least or the greatest of them, and NaN becomes 0. A number beyond
    the floats of a type becomes infinity, or NaN where the type has no infinity, or the greatest number where it has
    neither; there NaN becomes 0. `f8E8M0FNU` has powers of two only: 0 and negative numbers become NaN, and the
    middle between two powers becomes the greater one.

    Floats of 16 bits and less are computed with in f32; each op rounds its result once. Integers of less than 8 bits
    are only stored: this op, bitcasts, `graph.where` and ops that move elements take them.

    ```mlir
    %f = graph.cast %i : tensor<8xi64> -> tensor<8xf32>
    %q = graph.cast %f : tensor<8xf32> -> tensor<8xf8E4M3FN>
    ```
    """

    name = "graph.cast"

    input = operand_def(AnyTensor)

    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, element_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[self.infer(type_of(input), element_type)])

    @classmethod
    def infer(cls, input: Tensor, element_type: Attribute) -> Tensor:
        """The same shape, with the element type asked for."""
        return tensor(input.get_shape(), element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.result.type.element_type)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldCastToSameType(),)


class FoldCastToSameType(RewritePattern):
    """A cast to the type that the value has is the value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: CastOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


@irdl_op_definition
class BitcastOp(ElementwiseOp, HasCanonicalizationPatternsInterface):
    """The bits of each element, read as an element of another type of the same width.

    ```mlir
    %b = graph.bitcast %x : tensor<8xf32> -> tensor<8xi32>
    ```
    """

    name = "graph.bitcast"

    input = operand_def(AnyTensor)

    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, element_type: Attribute) -> None:
        super().__init__(operands=[input], result_types=[self.infer(type_of(input), element_type)])

    @classmethod
    def infer(cls, input: Tensor, element_type: Attribute) -> Tensor:
        """The same shape, with the element type asked for.

        Raises:
            VerifyException: c1 the element types differ in width.
        """
        before, after = _bits(input.element_type), _bits(element_type)
        if before is None or before != after:
            raise violation(
                cls.name,
                1,
                f"{input.element_type} has {before} bits and {element_type} has {after}; name a type of the same width",
            )
        return tensor(input.get_shape(), element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.result.type.element_type)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldBitcast(),)


def _bits(element: Attribute) -> int | None:
    """How many bits an element has; None for types that are neither integers nor floats."""
    return element.bitwidth if isinstance(element, AnyFloat) else integer_width(element)


class FoldBitcast(RewritePattern):
    """Of several bitcasts in a row the last one counts, and one to the type that the value has is the value."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BitcastOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))
        elif isinstance(inner := op.input.owner, BitcastOp):
            rewriter.replace(op, BitcastOp(inner.input, op.result.type.element_type))
