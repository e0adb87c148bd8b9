"""Constant matrices that rows are multiplied with, and looked up in: of floats, or of short integers in groups."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseResourceAttr, f32, i8
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of, tensor
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support import dtypes

_SPELLED = 64
"""Constants of up to this number of elements are spelled out."""


def named_constant(b: GraphBuilder, name: str, array: NDArray[Any], element: Attribute | None = None) -> SSAValue:
    """A constant whose data have a name: who asks for that name again in the same compilation gets the same data."""
    if array.size <= _SPELLED:
        return b.constant(array, element)
    resources = b.knowledge.resources
    element = element or dtypes.from_numpy(array.dtype)
    if name not in resources:
        resources.define(name, np.ascontiguousarray(array))
    kind = tensor(array.shape, element)
    return b.insert_constant(graph.ConstantOp(DenseResourceAttr.from_params(name, kind)))


class WeightMatrix(ABC):
    """A matrix of constants, `[rows, columns]`: `columns` numbers are multiplied with, and give `rows`."""

    name: str
    rows: int
    columns: int

    @abstractmethod
    def part(self, start: int, end: int) -> WeightMatrix:
        """The rows from `start` up to, not including, `end`."""

    @abstractmethod
    def product(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """`x w^T` of rows `x`, `[m, columns]` of f32: `[m, rows]`."""

    @abstractmethod
    def at(self, b: GraphBuilder, indices: SSAValue) -> SSAValue:
        """The rows at indices, `[m]` of i64: `[m, columns]` of f32."""


@dataclass(frozen=True)
class FloatMatrix(WeightMatrix):
    """Floats of f32, f16 or bf16, `[rows, columns]`."""

    name: str
    floats: NDArray[Any]

    @property
    def rows(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many numbers a product has."""
        return self.floats.shape[0]

    @property
    def columns(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many numbers it is a product of."""
        return self.floats.shape[1]

    def part(self, start: int, end: int) -> FloatMatrix:
        return FloatMatrix(f"{self.name}.{start}", self.floats[start:end])

    def product(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        return b.matmul(x, b.cast(named_constant(b, f"{self.name}.columns", self.floats.T), f32))

    def at(self, b: GraphBuilder, indices: SSAValue) -> SSAValue:
        return b.cast(b(graph.GatherOp, named_constant(b, f"{self.name}.rows", self.floats), indices, 0), f32)


@dataclass(frozen=True)
class ShortMatrix(WeightMatrix):
    """Numbers `integers * scale + offset`, of which neighbours of a row share the scale and the offset.

    Attributes:
        integers: of i8, `[rows, columns]`.
        scale: of f32, `[rows, groups]`.
        offset: of f32, likewise; None if there is none.
    """

    name: str
    integers: NDArray[np.int8]
    scale: NDArray[np.float32]
    offset: NDArray[np.float32] | None = None

    @property
    def rows(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many numbers a product has."""
        return self.integers.shape[0]

    @property
    def columns(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        """How many numbers it is a product of."""
        return self.integers.shape[1]

    def part(self, start: int, end: int) -> ShortMatrix:
        offset = None if self.offset is None else self.offset[start:end]
        return ShortMatrix(f"{self.name}.{start}", self.integers[start:end], self.scale[start:end], offset)

    def is_scaled_safely(self) -> bool:
        """Whether sums of groups, scaled once, are those of the numbers but for rounding: what is subtracted of a sum,
        in units of the scale, is finite."""
        with np.errstate(all="ignore"):
            widest = self.scale * np.float32(256)
            zero = np.float32(0) if self.offset is None else self.offset / np.where(self.scale == 0, 1, self.scale)
            return bool(np.isfinite(widest).all() and np.isfinite(zero).all())

    def product(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """`(integers - zero) * scale`, where the sums of groups of `x` are multiplied with `zero`.

        A group whose scale is 0 is all offset: integers of 0 with a scale of 1.
        """
        integers, scale, zero = self.integers, self.scale, None
        least, most = int(integers.min(initial=0)), int(integers.max(initial=0))
        middle = 8 if least >= 0 and most <= 15 else 0
        if self.offset is not None:
            flat = scale == 0
            scale = np.where(flat, np.float32(1), scale)
            zero = np.where(flat, -self.offset, -self.offset / scale - np.float32(middle)).astype(np.float32)
            group = self.columns // scale.shape[1]
            integers = np.where(np.repeat(flat, group, 1), np.int8(0), integers - np.int8(middle))
        q = named_constant(b, f"{self.name}.integers", integers.T, i8)
        s = named_constant(b, f"{self.name}.scales", scale.T)
        if zero is None:
            return b(graph.ScaledMatmulOp, x, q, s)
        z = named_constant(b, f"{self.name}.zeros", zero.T)
        groups = scale.shape[1]
        sums = b.reduce("sum", b.reshape(x, (shape_of(x)[0], groups, self.columns // groups)), [2])
        return b(graph.ScaledMatmulOp, x, q, s, (z, sums))

    def at(self, b: GraphBuilder, indices: SSAValue) -> SSAValue:
        count, groups = shape_of(indices)[0], self.scale.shape[1]

        def rows(part: str, array: NDArray[Any]) -> SSAValue:
            return b(graph.GatherOp, named_constant(b, f"{self.name}.{part}", array), indices, 0)

        integers = b.reshape(rows("row_integers", self.integers), (count, groups, self.columns // groups))
        scale = b.unsqueeze(rows("row_scales", self.scale), [2])
        found = b(graph.DequantizeOp, integers, scale, b.constant(np.zeros((), np.int8)))
        if self.offset is not None:
            found = b.add(found, b.unsqueeze(rows("row_offsets", self.offset), [2]))
        return b.reshape(found, (count, self.columns))


class ModelWeights(ABC):
    """The constants of a model, by name."""

    @abstractmethod
    def has(self, name: str) -> bool:
        """Whether there is one of that name."""

    @abstractmethod
    def matrix(self, name: str, rows: int, columns: int) -> WeightMatrix:
        """The matrix of a name and a shape.

        Raises:
            UserError: there is none.
        """

    @abstractmethod
    def vector(self, name: str, size: int) -> NDArray[np.float32]:
        """The numbers of a name, so many.

        Raises:
            UserError: there are none.
        """
