"""What all ops of linalg that compute say of themselves: loops over points, and a scalar computation for each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from xdsl.dialects.builtin import (
    AffineMapAttr,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    MemRefType,
    TensorType,
    i64,
)
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineMap
from xdsl.parser import Parser
from xdsl.printer import Printer


class LinalgOp(Operation, ABC):
    """An op over an iteration space: generic, a named op, map, reduce, transpose or broadcast.

    `ins` are read at each point, `outs` hold what is there before the first one. The block takes an element of each of
    `ins`, then of each of `outs` (`linalg.map` leaves these out), and yields the new elements of `outs`.
    """

    @property
    @abstractmethod
    def ins(self) -> Sequence[SSAValue]:
        """What is read: tensors, buffers or scalars."""

    @property
    @abstractmethod
    def outs(self) -> Sequence[SSAValue]:
        """What is there before the first point."""

    @property
    @abstractmethod
    def index_maps(self) -> Sequence[AffineMap]:
        """For each of `ins`, then of `outs`, the map from dims to its subscripts; a scalar has none."""

    @property
    @abstractmethod
    def iterators(self) -> Sequence[IteratorType]:
        """The kind of each dim."""

    @property
    def point(self) -> Block:
        """The computation of a point."""
        return self.regions[0].block

    def sizes(self, shapes: Sequence[Sequence[int]] | None = None) -> list[int | None]:
        """The extent of each dim, from the operands that it alone subscripts; None where their `shapes`, those of the
        types unless others are given, do not say it."""
        found: list[int | None] = [None] * len(self.iterators)
        shapes = [shape_of(v.type) for v in (*self.ins, *self.outs)] if shapes is None else shapes
        for shape, affine in zip(shapes, self.index_maps, strict=True):
            for subscript, extent in zip(affine.results, shape, strict=True):
                if isinstance(subscript, AffineDimExpr) and extent >= 0:
                    found[subscript.position] = extent
        return found


def shape_of(kind: Attribute) -> tuple[int, ...]:
    """The extents of a tensor or a buffer; none for a scalar."""
    return tuple(kind.get_shape()) if isinstance(kind, TensorType | MemRefType) else ()


def tensor_types(values: Sequence[SSAValue]) -> list[Attribute]:
    """The types of those values that are tensors."""
    types: list[Attribute] = [v.type for v in values]
    return [kind for kind in types if isinstance(kind, TensorType)]


def window_of(said: Attribute | None, dims: int) -> list[int]:
    """The strides or dilations of an op, which are 1 where it has none."""
    if not isinstance(said, DenseIntOrFPElementsAttr):
        return [1] * dims
    return [int(value) for value in said.get_values()]


def parse_operands(parser: Parser, keyword: str) -> Sequence[SSAValue]:
    """`ins(%x, %y : type, type)`, or nothing."""
    if not parser.parse_optional_keyword(keyword):
        return []
    with parser.in_parens():
        start = parser.pos
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        return parser.resolve_operands(unresolved, types, start)


def print_operands(printer: Printer, keyword: str, operands: Sequence[SSAValue]) -> None:
    """` ins(%x, %y : type, type)`, or nothing."""
    if operands:
        printer.print_string(f" {keyword}(")
        printer.print_list(operands, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list([v.type for v in operands], printer.print_attribute)
        printer.print_string(")")


def maps_of(said: ArrayAttr[Attribute]) -> list[AffineMap]:
    """The maps that an attribute lists."""
    return [each.data for each in said if isinstance(each, AffineMapAttr)]


def parse_dims(parser: Parser, keyword: str) -> DenseArrayBase[Any]:
    """`keyword = [0, 2]`."""
    parser.parse_keyword(keyword)
    parser.parse_punctuation("=")
    dims = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return DenseArrayBase.from_list(i64, dims)
