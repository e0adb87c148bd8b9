"""Winograd's minimal filtering: what a window of an image becomes, and what a tile of results is made of."""

from __future__ import annotations

from abc import ABC
from functools import reduce
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import (
    FloatTensor,
    I64ArrayConstr,
    Tensor,
    Value,
    i64_array,
    ints,
    tensor,
    type_of,
    violation,
)
from mlc.support.semantics import Array, evaluates
from mlc.support.winograd import RESULT, TILES, WINDOW, Matrix, span

__all__ = ["WinogradInputOp", "WinogradOp", "WinogradOutputOp"]


class WinogradOp(GraphOp, ABC):
    """What both transforms have: the width of a tile, in results."""

    input = operand_def(FloatTensor)
    tile = prop_def(IntegerAttr.constr(i64))

    @property
    def width(self) -> int:
        """How many results a tile has along each axis."""
        return self.tile.value.data

    @classmethod
    def _require_tile(cls, tile: int) -> None:
        if tile not in TILES:
            raise violation(cls.name, 1, f"tiles of {tile} x {tile} results; required: one of {TILES}")


@irdl_op_definition
class WinogradInputOp(WinogradOp):
    """`B^T d B` of each window `d` of an image, channels last: what the products of Winograd's filtering read.

    Windows of `tile + 2` rows and columns overlap by two. Number `i * (tile + 2) + j` of what a window becomes, for all
    images, rows and columns of windows, and channels, is one slice of the result (`mlc.support.winograd`).

    ```mlir
    %v = graph.winograd_input %x tile 4 : tensor<1x14x14x8xf32> -> tensor<36x1x3x3x8xf32>
    ```
    """

    name = "graph.winograd_input"
    REDUCES: ClassVar[bool] = True

    assembly_format = "$input `tile` $tile attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, tile: int) -> None:
        result = self.infer(type_of(input), tile)
        super().__init__(operands=[input], properties={"tile": IntegerAttr(tile, i64)}, result_types=[result])

    @classmethod
    def infer(cls, input: Tensor, tile: int) -> Tensor:
        """One window more for each `tile` rows and columns after the first two.

        Raises:
            VerifyException: c1 no such tile, c2 the operand is not an image that windows cover.
        """
        cls._require_tile(tile)
        shape = input.get_shape()
        if len(shape) != 4 or any(s < span(tile) or (s - 2) % tile for s in shape[1:3]):
            raise violation(
                cls.name, 2, f"the image is {input}; required: rows and columns that are 2 more than tiles of {tile}"
            )
        batch, rows, columns, channels = shape
        tiles = (rows - 2) // tile, (columns - 2) // tile
        return tensor((span(tile) ** 2, batch, *tiles, channels), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.width)


@irdl_op_definition
class WinogradOutputOp(WinogradOp):
    """`A^T m A` of each tile of products `m`: an image of `size` rows and columns, channels last.

    Operand and tiles are numbered as in `graph.winograd_input`. What tiles have beyond the size is left out.

    ```mlir
    %y = graph.winograd_output %m tile 4 size [11, 12] : tensor<36x1x3x3x8xf32> -> tensor<1x11x12x8xf32>
    ```
    """

    name = "graph.winograd_output"
    REDUCES: ClassVar[bool] = True

    size = prop_def(I64ArrayConstr)

    assembly_format = "$input `tile` $tile `size` $size attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, tile: int, size: tuple[int, ...]) -> None:
        result = self.infer(type_of(input), tile, size)
        properties = {"tile": IntegerAttr(tile, i64), "size": i64_array(size)}
        super().__init__(operands=[input], properties=properties, result_types=[result])

    @classmethod
    def infer(cls, input: Tensor, tile: int, size: tuple[int, ...]) -> Tensor:
        """An image of this size.

        Raises:
            VerifyException: c1 no such tile, c2 the operand does not hold tiles, c3 they are not those of the size.
        """
        cls._require_tile(tile)
        shape = input.get_shape()
        if len(shape) != 5 or shape[0] != span(tile) ** 2:
            raise violation(cls.name, 2, f"the products are {input}; required: {span(tile) ** 2} of each of the tiles")
        if len(size) != 2 or any(-(-s // tile) != n or s < 1 for s, n in zip(size, shape[2:4], strict=True)):
            raise violation(cls.name, 3, f"{shape[2]} x {shape[3]} tiles do not make up an image of {list(size)}")
        return tensor((shape[1], *size, shape[4]), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.width, ints(self.size))


@evaluates(WinogradInputOp)
def winograd_input(op: WinogradInputOp, x: Array) -> Array:
    """Windows as a view, then B^T on both sides."""
    import numpy as np

    windows = np.lib.stride_tricks.sliding_window_view(x, (span(op.width),) * 2, axis=(1, 2))
    windows = windows[:, :: op.width, :: op.width]
    found = _on_both_sides(WINDOW[op.width], np.moveaxis(windows, (4, 5), (0, 1)))
    return found.reshape(-1, *found.shape[2:])


@evaluates(WinogradOutputOp)
def winograd_output(op: WinogradOutputOp, products: Array) -> Array:
    """A^T on both sides, then the tiles side by side, cut off at the size."""
    import numpy as np

    tiles = products.reshape(span(op.width), span(op.width), *products.shape[1:])
    image = np.transpose(_on_both_sides(RESULT[op.width], tiles), (2, 3, 0, 4, 1, 5))
    batch, rows, _, columns, _, channels = image.shape
    whole = image.reshape(batch, rows * op.width, columns * op.width, channels)
    height, width = op.size.get_values()
    return np.ascontiguousarray(whole[:, :height, :width])


def _on_both_sides(matrix: Matrix, squares: Array) -> Array:
    """The matrix times squares times its transpose; these lie along the first two axes."""
    import numpy as np

    return np.swapaxes(_times(matrix, np.swapaxes(_times(matrix, squares), 0, 1)), 0, 1)


def _times(matrix: Matrix, values: Array) -> Array:
    import numpy as np

    sums: list[Array] = []
    for row in matrix:
        terms = [value * values.dtype.type(factor) for factor, value in zip(row, values, strict=True) if factor]
        sums.append(reduce(np.add, terms))
    return np.stack(sums)
