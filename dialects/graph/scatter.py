"""Changing a tensor at positions that another tensor holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from xdsl.dialects.builtin import TensorType
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, irdl_op_definition, operand_def, opt_prop_def, prop_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.utils.str_enum import StrEnum

from mlc.dialects.graph.placement import IndexedOp, IndexElements, Placement
from mlc.dialects.graph.types import (
    AnyTensor,
    I64ArrayConstr,
    NumberTensor,
    Tensor,
    Value,
    i64_array,
    ints,
    shape_of,
    tensor,
    type_of,
    violation,
)
from mlc.support.semantics import Array

__all__ = ["ScatterKind", "ScatterKindAttr", "ScatterNdOp"]


class ScatterKind(StrEnum):
    """What becomes of an element that an update meets; `max` and `min` yield NaN if one of the two is NaN."""

    SET = "set"
    ADD = "add"
    MUL = "mul"
    MAX = "max"
    MIN = "min"


@irdl_attr_definition
class ScatterKindAttr(EnumAttribute[ScatterKind], SpacedOpaqueSyntaxAttribute):
    """A kind of scatter as an attribute."""

    name = "graph.scatter_kind"


@irdl_op_definition
class ScatterNdOp(IndexedOp, HasCanonicalizationPatternsInterface):
    """A copy of `data` with `updates` combined into it, at the places where `graph.gather_nd` would read them.

    `axes` and `own` are those of `graph.gather_nd`: `y[b, indices[b, m, 0], n] += updates[b, m, n]` has coordinates
    along axis 1, axis 0 is the point's own. Updates are applied one after the other in row-major order, so that of
    several at one place the last one is `set`, and sums are repeatable.

    A negative coordinate counts from the end. One that is out of range is an error of the model: the reference says so,
    compiled code leaves out the update. There is no copy where `data` is computed by a kernel and read here only.

    ```mlir
    %y = graph.scatter_nd add %table, %ids, %gradients axes [0]
        : tensor<1000x64xf32>, tensor<16x1xi64>, tensor<16x64xf32> -> tensor<1000x64xf32>
    %z = graph.scatter_nd set %cache, %at, %keys axes [2] own [0, 1]
        : tensor<1x8x512x64xf32>, tensor<1x8x3x1xi64>, tensor<1x8x3x64xf32> -> tensor<1x8x512x64xf32>
    ```
    """

    name = "graph.scatter_nd"

    kind = prop_def(ScatterKindAttr)
    data = operand_def(AnyTensor)
    indices = operand_def(TensorType.constr(IndexElements))
    updates = operand_def(AnyTensor)
    axes = prop_def(I64ArrayConstr)
    own = opt_prop_def(I64ArrayConstr)

    assembly_format = "$kind operands `axes` $axes (`own` $own^)? attr-dict `:` type(operands) `->` type($result)"

    def __init__(
        self, kind: str, data: Value, indices: Value, updates: Value, axes: Sequence[int], own: Sequence[int] = ()
    ) -> None:
        types = type_of(data), type_of(indices), type_of(updates)
        super().__init__(
            operands=[data, indices, updates],
            properties={
                "kind": ScatterKindAttr(ScatterKind(kind)),
                "axes": i64_array(axes),
                "own": i64_array(own) if own else None,
            },
            result_types=[self.infer(kind, *types, axes, own)],
        )

    @classmethod
    def infer(
        cls, kind: str, data: Tensor, indices: Tensor, updates: Tensor, axes: Sequence[int], own: Sequence[int] = ()
    ) -> Tensor:
        """The type of the data.

        Raises:
            VerifyException: c1 axes are not the data's or listed twice, c2 the last dim of the indices does not hold a
                coordinate for each axis, c3 an own axis is none of the indices, c4 it is longer there than in the data,
                c5 there is not one update of the data's type for each place, c6 truth values are to be computed with.
        """
        placement = Placement.of(cls.name, data, indices, axes, own)
        if updates != (needed := tensor(placement.points, data.element_type)):
            raise violation(cls.name, 5, f"the updates are {updates}; one for each place is {needed}")
        if kind != ScatterKind.SET and not NumberTensor.verifies(data):
            raise violation(cls.name, 6, f"{kind} needs numbers, got {data}", "insert graph.cast")
        return data

    def inferred_type(self) -> Tensor:
        types = type_of(self.data), type_of(self.indices), type_of(self.updates)
        return self.infer(self.kind.data, *types, *self._axes)

    def coordinates(self, indices: Array) -> Iterable[tuple[int, Array]]:
        return self.placement.coordinates(indices)

    @property
    def placement(self) -> Placement:
        """Which axis is reached where."""
        return Placement.of(self.name, type_of(self.data), type_of(self.indices), *self._axes)

    @property
    def _axes(self) -> tuple[Sequence[int], Sequence[int]]:
        return ints(self.axes), ints(self.own) if self.own else ()

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (DropEmptyScatter(),)


class DropEmptyScatter(RewritePattern):
    """Without updates nothing changes."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScatterNdOp, rewriter: PatternRewriter) -> None:
        if 0 in shape_of(op.updates):
            rewriter.replace(op, [], [op.data])
