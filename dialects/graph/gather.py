"""Reading a tensor at positions that another tensor holds.

`gather` takes slices along one axis. `gather_nd` is the general op: axis by axis it says what an index tensor has
coordinates for, what is the point's own, and what is read whole (`Placement`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def

from mlc.dialects.graph.placement import IndexedOp, IndexElements, Placement
from mlc.dialects.graph.types import (
    AnyTensor,
    I64ArrayConstr,
    Tensor,
    Value,
    i64_array,
    ints,
    require_axis,
    tensor,
    type_of,
    violation,
)
from mlc.support.semantics import Array

__all__ = ["GatherNdOp", "GatherOp"]


@irdl_op_definition
class GatherOp(IndexedOp):
    """The slices of `data` at `indices` along an axis: rows of an embedding table, say.

    The shape of the indices takes the place of the axis. A negative index counts from the end. An index out of range is
    an error of the model: the reference says so, compiled code takes the nearest slice.

    ```mlir
    %y = graph.gather %table, %ids axis 0 : tensor<1000x64xf32>, tensor<1x16xi64> -> tensor<1x16x64xf32>
    ```
    """

    name = "graph.gather"
    MOVES: ClassVar[bool] = True

    data = operand_def(AnyTensor)
    indices = operand_def(TensorType.constr(IndexElements))
    axis = prop_def(IntegerAttr.constr(i64))

    assembly_format = "operands `axis` $axis attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, data: Value, indices: Value, axis: int = 0) -> None:
        super().__init__(
            operands=[data, indices],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[self.infer(type_of(data), type_of(indices), axis)],
        )

    @classmethod
    def infer(cls, data: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        """The shape of the data, with that of the indices in place of the axis.

        Raises:
            VerifyException: c1 the axis is out of range, c2 there is nothing along it that an index could mean.
        """
        require_axis(cls.name, data, axis)
        shape = data.get_shape()
        if shape[axis] == 0 and 0 not in indices.get_shape():
            raise violation(cls.name, 2, f"{data} has no elements along axis {axis}; it needs at least one")
        return tensor((*shape[:axis], *indices.get_shape(), *shape[axis + 1 :]), data.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.data), type_of(self.indices), self.axis.value.data)

    def coordinates(self, indices: Array) -> Iterable[tuple[int, Array]]:
        return [(self.axis.value.data, indices)]


@irdl_op_definition
class GatherNdOp(IndexedOp):
    """The elements, or slices, of `data` at the coordinates that the last dim of `indices` holds.

    `axes` are the axes of `data` that the coordinates are along. An axis in `own` is read where the point is along that
    axis of `indices`. All other axes are read whole, and stand after those of `indices` in the result:
    `y[b, m, n] = data[b, indices[b, m, 0], n]` has coordinates along axis 1, axis 0 is the point's own.

    A negative coordinate counts from the end. One that is out of range is an error of the model: the reference says so,
    compiled code takes the nearest.

    ```mlir
    %points = graph.gather_nd %x, %yx axes [1, 2] own [0]
        : tensor<8x32x32x3xf32>, tensor<8x100x2xi64> -> tensor<8x100x3xf32>
    %best = graph.gather_nd %scores, %order axes [1] own [0]
        : tensor<64x1000xf32>, tensor<64x5x1xi64> -> tensor<64x5xf32>
    ```
    """

    name = "graph.gather_nd"
    MOVES: ClassVar[bool] = True

    data = operand_def(AnyTensor)
    indices = operand_def(TensorType.constr(IndexElements))
    axes = prop_def(I64ArrayConstr)
    own = opt_prop_def(I64ArrayConstr)

    assembly_format = "operands `axes` $axes (`own` $own^)? attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, data: Value, indices: Value, axes: Sequence[int], own: Sequence[int] = ()) -> None:
        super().__init__(
            operands=[data, indices],
            properties={"axes": i64_array(axes), "own": i64_array(own) if own else None},
            result_types=[self.infer(type_of(data), type_of(indices), axes, own)],
        )

    @classmethod
    def infer(cls, data: Tensor, indices: Tensor, axes: Sequence[int], own: Sequence[int] = ()) -> Tensor:
        """The shape of the indices without the last dim, and then the axes of the data that are read whole.

        Raises:
            VerifyException: c1 axes are not the data's or listed twice, c2 the last dim of the indices does not hold a
                coordinate for each axis, c3 an own axis is none of the indices, c4 it is longer there than in the data,
                c5 there is nothing along an axis of the coordinates.
        """
        placement = Placement.of(cls.name, data, indices, axes, own)
        shape = placement.points
        if 0 not in shape and any(data.get_shape()[axis] == 0 for axis in axes):
            raise violation(cls.name, 5, f"{data} has no elements along an axis of {list(axes)}; it needs at least one")
        return tensor(shape, data.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.data), type_of(self.indices), *self._axes)

    def coordinates(self, indices: Array) -> Iterable[tuple[int, Array]]:
        return self.placement.coordinates(indices)

    @property
    def placement(self) -> Placement:
        """Which axis is read where."""
        return Placement.of(self.name, type_of(self.data), type_of(self.indices), *self._axes)

    @property
    def _axes(self) -> tuple[Sequence[int], Sequence[int]]:
        return ints(self.axes), ints(self.own) if self.own else ()
