"""Which axes of a tensor coordinates are along, where gathers and scatters reach it at computed places."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType, i32, i64
from xdsl.irdl import EqAttrConstraint, operand_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import AnyTensor, Shape, Tensor, is_static, shape_of, violation
from mlc.support.input_values import AllowedValues, DeclaresInputs
from mlc.support.semantics import Array

IndexElements = EqAttrConstraint(i32) | EqAttrConstraint(i64)
"""What positions may be."""


@dataclass(frozen=True)
class Placement:
    """Points at places of a tensor `data`, the last dim of whose index tensor holds coordinates.

    Attributes:
        data: the shape of the tensor.
        indices: the shape of the index tensor without its last dim.
        axes: the axes of the data that the coordinates are along.
        own: the axes of the data that are at a point where the point itself is: axis `a` at its axis `a`.
    """

    data: Shape
    indices: Shape
    axes: tuple[int, ...]
    own: tuple[int, ...]

    @property
    def whole(self) -> tuple[int, ...]:
        """The axes of the data of which each point has all elements."""
        return tuple(axis for axis in range(len(self.data)) if axis not in (*self.axes, *self.own))

    @property
    def points(self) -> Shape:
        """The shape of all elements that are reached: the axes of the indices, then those that are read whole."""
        return (*self.indices, *(self.data[axis] for axis in self.whole))

    def coordinates(self, indices: Array) -> Iterable[tuple[int, Array]]:
        """The axes that coordinates are along, each with those that an index tensor with these elements holds."""
        return [(axis, indices[..., number]) for number, axis in enumerate(self.axes)]

    @staticmethod
    def of(op_name: str, data: Tensor, indices: Tensor, axes: Sequence[int], own: Sequence[int]) -> Placement:
        """The placement that an op says.

        Raises:
            VerifyException: c1 axes are not the data's or listed twice, c2 the last dim of the indices does not hold a
                coordinate for each axis, c3 an own axis is none of the indices, c4 it is longer there than in the data.
        """
        rank, points = data.get_num_dims(), indices.get_shape()[:-1]
        listed = [*axes, *own]
        if len(set(listed)) != len(listed) or not all(0 <= axis < rank for axis in listed) or not axes:
            raise violation(
                op_name,
                1,
                f"axes are {list(axes)}, own axes {list(own)}; list axes of {data} once, and at least one of axes",
            )
        if not indices.get_num_dims() or indices.get_shape()[-1] != len(axes):
            raise violation(
                op_name, 2, f"the last dim of {indices} holds the coordinates; it needs {len(axes)}, one for each axis"
            )
        for axis in own:
            if axis >= len(points):
                raise violation(op_name, 3, f"axis {axis} is an own axis; {indices} has axes 0 to {len(points) - 1}")
            if points[axis] > data.get_shape()[axis]:
                raise violation(op_name, 4, f"own axis {axis} is longer in {indices} than in {data}; it may not be")
        return Placement(data.get_shape(), points, tuple(axes), tuple(own))


class IndexedOp(GraphOp, DeclaresInputs, ABC):
    """An op that reads or changes its operand `data` at the coordinates in its operand `indices`."""

    data = operand_def(AnyTensor)
    indices = operand_def(TensorType.constr(IndexElements))

    @abstractmethod
    def coordinates(self, indices: Array) -> Iterable[tuple[int, Array]]:
        """The axes of `data` that coordinates are along, each with those that indices with these elements hold."""

    def input_values(self, operand: int) -> AllowedValues | None:
        """Of indices, those of an element of each axis, from the start or from the end."""
        if self.operands[operand] is not self.indices or not all(is_static(v.type) for v in self.operands):
            return None
        import numpy as np

        axes = [axis for axis, _ in self.coordinates(np.empty(shape_of(self.indices)))]
        extent = min((shape_of(self.data)[axis] for axis in axes), default=0)
        return AllowedValues(-extent, extent - 1) if extent else None

    def out_of_range(self, indices: Array) -> str | None:
        """Which of these indices is one of no element, counted from the start or from the end; None if all are."""
        for axis, each in self.coordinates(indices):
            extent = shape_of(self.data)[axis]
            wrong = each[(each < -extent) | (each >= extent)]
            if wrong.size:
                found = f"index {wrong[0]} is out of range for axis {axis} of extent {extent}"
                return f"{found}; required: {-extent} to {extent - 1}"
        return None
