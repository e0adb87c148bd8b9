"""Tensors in tiles: `tensor.pack` and `tensor.unpack`."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, I64, DenseArrayBase, IndexType, TensorType, i64
from xdsl.dialects.utils.dynamic_index_list import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
    verify_dynamic_index_list,
)
from xdsl.ir import SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import Tensor, tensor_type

_OUTER, _POSITIONS, _TILES = "outer_dims_perm", "inner_dims_pos", "inner_tiles"


class PackingOp(IRDLOperation, ABC):
    """What both ops share: a whole tensor, and the same elements in tiles.

    Axis `inner_dims_pos[i]` of the whole is cut in tiles of `inner_tiles[i]` elements. The tiles have the whole's
    axes, which count tiles, in the order of `outer_dims_perm`; the axes inside of a tile come after these.

    Constraints:
      pack_c1: there is a tile for each of the positions, which are axes of the whole, each once, and tiles are positive
      pack_c2: `outer_dims_perm`, if given, has each axis of the whole once
      pack_c3: the packed tensor has these axes and the whole's elements, and room for all of them
      pack_c4: the result has the type of the destination
    """

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    tiles = var_operand_def(IndexType)
    result = result_def(TensorType)
    outer_dims_perm = opt_prop_def(DenseArrayBase[I64])
    inner_dims_pos = prop_def(DenseArrayBase[I64])
    static_inner_tiles = prop_def(DenseArrayBase[I64])

    traits = traits_def(Pure())

    @property
    def whole(self) -> Tensor:
        """The type that is not in tiles."""
        raise NotImplementedError

    @property
    def packed(self) -> Tensor:
        """The type that is."""
        raise NotImplementedError

    @property
    def positions(self) -> list[int]:
        """The axes that are cut."""
        return list(self.inner_dims_pos.get_values())

    @property
    def known_tiles(self) -> list[int]:
        """How long tiles are, with a mark where a value says it."""
        return list(self.static_inner_tiles.get_values())

    @property
    def order(self) -> list[int]:
        """For each outer axis of the packed tensor, the axis of the whole."""
        found = self.outer_dims_perm
        return list(found.get_values()) if found is not None and len(found) else list(range(self.whole.get_num_dims()))

    def verify_(self) -> None:
        rank, positions, tiles = self.whole.get_num_dims(), self.positions, self.known_tiles
        verify_dynamic_index_list(tiles, self.tiles, DYNAMIC_INDEX, " in the tiles")
        is_fit = len(set(positions)) == len(positions) == len(tiles) and all(0 <= axis < rank for axis in positions)
        if not is_fit or any(tile < 1 for tile in tiles if tile != DYNAMIC_INDEX):
            raise VerifyException(
                f"{self.name}: found tiles {tiles} of axes {positions}; required: a positive tile for each, axes of "
                f"{self.whole}, each once (pack_c1)"
            )
        if sorted(self.order) != list(range(rank)):
            raise VerifyException(
                f"{self.name}: found {_OUTER} {self.order}; required: each axis of {self.whole} once (pack_c2)"
            )
        self._verify_packed()
        if self.result.type != self.dest.type:
            raise VerifyException(
                f"{self.name}: the result is {self.result.type}, the destination {self.dest.type} (pack_c4)"
            )

    def tile_of(self, axis: int) -> int:
        """How many elements of an axis of the whole a tile has: 1 where it is not cut."""
        return self.known_tiles[self.positions.index(axis)] if axis in self.positions else 1

    def _verify_packed(self) -> None:
        packed, whole = self.packed, self.whole
        shape, extents, tiles = list(packed.get_shape()), whole.get_shape(), self.known_tiles
        needed = [_tiles(extents[axis], self.tile_of(axis)) for axis in self.order] + tiles
        fits = len(shape) == len(needed) and all(
            DYNAMIC_INDEX in (found, least) or found >= least for found, least in zip(shape, needed, strict=True)
        )
        if not fits or shape[len(extents) :] != tiles or packed.element_type != whole.element_type:
            of = "x".join("?" if extent == DYNAMIC_INDEX else str(extent) for extent in needed)
            raise VerifyException(
                f"{self.name}: found {packed} beside {whole}; required: tensor<{of}x{whole.element_type}> (pack_c3)"
            )

    def print_tiles(self, printer: Printer) -> None:
        """Print all from `outer_dims_perm` on."""
        for word, numbers in ((_OUTER, self.outer_dims_perm), (_POSITIONS, self.inner_dims_pos)):
            if numbers is not None and (len(numbers) or word == _POSITIONS):
                printer.print_string(f" {word} = [")
                printer.print_list(numbers.get_values(), printer.print_int)
                printer.print_string("]")
        printer.print_string(f" {_TILES} = ")
        print_dynamic_index_list(printer, DYNAMIC_INDEX, self.tiles, self.known_tiles)
        printer.print_string(" into ")
        printer.print_ssa_value(self.dest)
        printer.print_op_attributes(self.attributes)
        printer.print_string(f" : {self.source.type} -> {self.dest.type}")

    @classmethod
    def parse_tiles(cls, parser: Parser, source: UnresolvedOperand, padding: SSAValue | None) -> PackingOp:
        """Parse what `print_tiles` prints."""
        outer = _parse_numbers(parser) if _parse_word(parser, _OUTER) else None
        parser.parse_keyword(_POSITIONS)
        parser.parse_punctuation("=")
        positions = _parse_numbers(parser)
        parser.parse_keyword(_TILES)
        parser.parse_punctuation("=")
        names, tiles = parse_dynamic_index_list_without_types(parser, DYNAMIC_INDEX)
        parser.parse_keyword("into")
        dest = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        kinds = [parser.parse_type(), parser.parse_punctuation("->") and parser.parse_type()]
        whole, into = parser.resolve_operands([source, dest], kinds, position)
        values = [parser.resolve_operand(name, IndexType()) for name in names]
        properties = {"inner_dims_pos": positions, "static_inner_tiles": DenseArrayBase.from_list(i64, tiles)}
        return cls.build(
            operands=[whole, into, *([[padding] if padding else []] if cls is PackOp else []), values],
            result_types=[into.type],
            properties=properties | ({} if outer is None else {"outer_dims_perm": outer}),
            attributes=attributes,
        )


@irdl_op_definition
class PackOp(PackingOp):
    """Puts a tensor in tiles, which are padded where they go over its end: spelled as upstream spells it.

    ```mlir
    %y = tensor.pack %x padding_value(%zero : f32) outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [4]
         into %e : tensor<7x5xf32> -> tensor<5x2x4xf32>
    ```

    Constraints, beyond those of `PackingOp`:
      pack_c5: the padding is an element; without it, tiles end where the tensor ends
    """

    name = "tensor.pack"

    source = operand_def(TensorType)
    dest = operand_def(TensorType)
    padding_value = opt_operand_def()
    tiles = var_operand_def(IndexType)

    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @property
    def whole(self) -> Tensor:
        return tensor_type(self.source)

    @property
    def packed(self) -> Tensor:
        return tensor_type(self.dest)

    def verify_(self) -> None:
        super().verify_()
        padding, extents = self.padding_value, self.whole.get_shape()
        if padding is not None and padding.type != self.whole.element_type:
            raise VerifyException(
                f"{self.name}: the padding is of type {padding.type}, elements are of {self.whole.element_type} "
                "(pack_c5)"
            )
        cut = [(axis, tile) for axis, tile in zip(self.positions, self.known_tiles, strict=True) if tile > 0]
        if padding is None and any(extents[axis] > 0 and extents[axis] % tile for axis, tile in cut):
            raise VerifyException(
                f"{self.name}: found tiles {self.known_tiles} of axes {self.positions} of {self.whole}, which go over "
                "its end; required: padding_value (pack_c5)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> PackingOp:
        source, padding = parser.parse_unresolved_operand(), None
        if parser.parse_optional_keyword("padding_value"):
            with parser.in_parens():
                name = parser.parse_unresolved_operand()
                parser.parse_punctuation(":")
                padding = parser.resolve_operand(name, parser.parse_type())
        return cls.parse_tiles(parser, source, padding)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        if self.padding_value is not None:
            printer.print_string(" padding_value(")
            printer.print_ssa_value(self.padding_value)
            printer.print_string(f" : {self.padding_value.type})")
        self.print_tiles(printer)


@irdl_op_definition
class UnPackOp(PackingOp):
    """Takes a tensor out of tiles; what these have beyond its end is left out: spelled as upstream spells it.

    ```mlir
    %y = tensor.unpack %x outer_dims_perm = [1, 0] inner_dims_pos = [0] inner_tiles = [4]
         into %e : tensor<5x2x4xf32> -> tensor<7x5xf32>
    ```
    """

    name = "tensor.unpack"

    @property
    def whole(self) -> Tensor:
        return tensor_type(self.dest)

    @property
    def packed(self) -> Tensor:
        return tensor_type(self.source)

    @classmethod
    def parse(cls, parser: Parser) -> PackingOp:
        return cls.parse_tiles(parser, parser.parse_unresolved_operand(), None)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.source)
        self.print_tiles(printer)


def _tiles(extent: int, tile: int) -> int:
    return DYNAMIC_INDEX if DYNAMIC_INDEX in (extent, tile) else -(-extent // tile)


def _parse_word(parser: Parser, word: str) -> bool:
    return parser.parse_optional_keyword(word) is not None and parser.parse_punctuation("=") == "="


def _parse_numbers(parser: Parser) -> DenseArrayBase[I64]:
    numbers: Sequence[int] = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return DenseArrayBase.from_list(i64, numbers)
