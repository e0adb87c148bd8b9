"""Reads and writes of memrefs at affine subscripts of loop counters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AffineMapAttr,
    IndexType,
    IntegerAttr,
    MemRefType,
    NoneAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.affine_syntax import parse_affine_expr, print_affine_expr
from mlc.dialects.loop.bounds import find_outside
from mlc.support.affine import row_major
from mlc.support.types import MemRef, element_type, memref_type, vector_type


class Lanes(NamedTuple):
    """Which elements a vector is made of, where they are not simply those that follow each other in the last dim."""

    along: int | None = None
    """The dim that the lanes run along; None for the last one."""
    stride: int = 1
    """How many elements of that dim two neighbouring lanes are apart."""
    active: int | None = None
    """How many lanes, counted from the first, touch memory; None for all."""
    rows: int | None = None
    """The dim that the rows of a matrix run along; None for a vector of one dim."""
    row_stride: int = 1
    """How many elements of that dim two neighbouring rows are apart."""

    @property
    def properties(self) -> dict[str, Attribute]:
        """The properties of an access that say this."""
        numbers = {
            "along": self.along,
            "stride": self.stride if self.stride != 1 else None,
            "active": self.active,
            "rows": self.rows,
            "row_stride": self.row_stride if self.row_stride != 1 else None,
        }
        return {name: IntegerAttr(n, i64) for name, n in numbers.items() if n is not None}


CONSECUTIVE = Lanes()
"""Elements that follow each other in the last dim."""


class SubscriptedOp(IRDLOperation):
    """What names an element of a memref: index operands, and the map from these to subscripts.

    Constraints:
      place_c1: the memref has a static shape and is row-major
      place_c2: the map gives one subscript per dim of the memref
      place_c3: the map takes one dim per index operand, and no symbols
    """

    memref = operand_def(MemRefType)
    indices = var_operand_def(IndexType())
    map = prop_def(AffineMapAttr)

    def verify_(self) -> None:
        memref = memref_type(self.memref)
        affine = self.map.data
        if not isinstance(memref.layout, NoneAttr) or DYNAMIC_INDEX in memref.get_shape():
            raise VerifyException(f"{self.name}: the memref must be static and row-major, got {memref} (place_c1)")
        if len(affine.results) != memref.get_num_dims():
            raise VerifyException(
                f"{self.name}: {len(affine.results)} subscripts for {memref}, which takes {memref.get_num_dims()} "
                "(place_c2)"
            )
        if affine.num_dims != len(self.indices) or affine.num_symbols:
            raise VerifyException(
                f"{self.name}: the map {affine} takes {affine.num_dims} dims and {affine.num_symbols} "
                f"symbols, got {len(self.indices)} index operands (place_c3)"
            )

    @property
    def element(self) -> AffineExpr:
        """The number of the element in memory, row-major, in the dims of `map`."""
        return row_major(self.map.data.results, memref_type(self.memref).get_shape())

    @staticmethod
    def parse_access(parser: Parser) -> tuple[UnresolvedOperand, list[SSAValue], AffineMapAttr]:
        """Parse `%x[%m + 1, %k]`; every SSA value in the subscripts becomes one operand."""
        memref = parser.parse_unresolved_operand()
        indices: list[SSAValue] = []

        def leaf() -> AffineExpr | None:
            operand = parser.parse_optional_unresolved_operand()
            if operand is None:
                return None
            value = parser.resolve_operand(operand, IndexType())
            if value not in indices:
                indices.append(value)
            return AffineExpr.dimension(indices.index(value))

        subscripts = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, lambda: parse_affine_expr(parser, leaf))
        return memref, indices, AffineMapAttr(AffineMap(len(indices), 0, tuple(subscripts)))

    def print_access(self, printer: Printer) -> None:
        """Print what `parse_access` reads."""
        printer.print_ssa_value(self.memref)
        printer.print_string("[")
        printer.print_list(
            self.map.data.results,
            lambda e: print_affine_expr(e, printer.print_string, lambda i: self._print_index(printer, i)),
        )
        printer.print_string("]")

    def _print_index(self, printer: Printer, position: int) -> None:
        printer.print_ssa_value(self.indices[position])


class _AccessOp(SubscriptedOp):
    """What load and store share: beyond the place, the lanes of a vector.

    Constraints:
      access_c1: only a vector has lanes to speak of (`along`, `stride`, `active`, `rows`, `row_stride`)
      access_c2: `along` and `rows` are dims of the memref
      access_c3: `stride` and `row_stride` are positive
      access_c4: at least one lane is active, at most all are
      access_c5: a vector has one dim, or two with `rows`, and its memref at least one
      access_c6: what is accessed has the element type of the memref, or is a vector of it
      access_c7: subscripts stay inside of the memref, where they are sums of counters of loops that all run
      access_c8: the lanes of each row of a matrix follow each other in the last dim, and all of them are active
    """

    along = opt_prop_def(IntegerAttr[I64])
    stride = opt_prop_def(IntegerAttr[I64])
    active = opt_prop_def(IntegerAttr[I64])
    rows = opt_prop_def(IntegerAttr[I64])
    row_stride = opt_prop_def(IntegerAttr[I64])

    @property
    def accessed(self) -> Attribute:
        """The type that is read or written: the element type, or a vector of consecutive elements."""
        raise NotImplementedError

    @property
    def lanes(self) -> Lanes:
        """Which elements a vector is made of."""
        return Lanes(
            None if self.along is None else self.along.value.data,
            1 if self.stride is None else self.stride.value.data,
            None if self.active is None else self.active.value.data,
            None if self.rows is None else self.rows.value.data,
            1 if self.row_stride is None else self.row_stride.value.data,
        )

    @property
    def is_consecutive(self) -> bool:
        """Whether this is one element, or a vector of elements that follow each other in memory."""
        lanes = self.lanes
        last = memref_type(self.memref).get_num_dims() - 1
        return lanes.stride == 1 and lanes.along in (None, last) and lanes.rows is None

    @property
    def reach(self) -> list[int]:
        """How far the last element that is touched is from the first one, along each dim of the memref."""
        reach = [0] * memref_type(self.memref).get_num_dims()
        if (vector := vector_type(self.accessed)) is None:
            return reach
        lanes, shape = self.lanes, vector.get_shape()
        count = shape[-1] if lanes.active is None else lanes.active
        reach[-1 if lanes.along is None else lanes.along] += (count - 1) * lanes.stride
        if lanes.rows is not None:
            reach[lanes.rows] += (shape[0] - 1) * lanes.row_stride
        return reach

    def verify_(self) -> None:
        super().verify_()
        memref = memref_type(self.memref)
        accessed = self.accessed
        vector = vector_type(accessed)
        dims = 1 if self.rows is None else 2
        if vector is not None and (vector.get_num_dims() != dims or memref.get_num_dims() == 0):
            raise VerifyException(
                f"{self.name}: a vector access takes a {dims}-D vector and at least one subscript, "
                f"got {accessed} from {memref} (access_c5)"
            )
        if element_type(accessed) != memref.element_type:
            raise VerifyException(
                f"{self.name}: {accessed} does not fit the elements of {memref}: "
                f"required {memref.element_type}, or a vector of it (access_c6)"
            )
        self._verify_lanes(memref.get_num_dims(), None if vector is None else vector.get_shape()[-1])
        self._verify_bounds()

    def _verify_bounds(self) -> None:
        if (outside := find_outside(cast(Any, self))) is not None:
            raise VerifyException(f"{self.name}: {outside} (access_c7)")

    def _verify_lanes(self, rank: int, length: int | None) -> None:
        lanes = self.lanes
        if length is None:
            if lanes != CONSECUTIVE:
                raise VerifyException(
                    f"{self.name}: 'along', 'stride', 'active', 'rows' and 'row_stride' are about lanes, got one "
                    "element (access_c1)"
                )
            return
        for name, dim in (("along", lanes.along), ("rows", lanes.rows)):
            if dim is not None and not 0 <= dim < rank:
                raise VerifyException(f"{self.name}: {name} {dim}, the memref has the dims 0 to {rank - 1} (access_c2)")
        for name, stride in (("stride", lanes.stride), ("row_stride", lanes.row_stride)):
            if stride < 1:
                raise VerifyException(f"{self.name}: {name} {stride}, required a positive number (access_c3)")
        active = lanes.active
        if active is not None and not 1 <= active <= length:
            raise VerifyException(f"{self.name}: {active} active lanes, required 1 to {length} (access_c4)")
        if lanes.rows is not None and lanes._replace(rows=None, row_stride=1) != CONSECUTIVE:
            raise VerifyException(
                f"{self.name}: the rows of a matrix are read as they lie, without along, stride and active (access_c8)"
            )

    @staticmethod
    def parse_lanes(parser: Parser) -> Lanes:
        """Parse `along 0 stride 2 active 8 rows 1 row_stride 2`, each of which may be missing."""
        found = {
            word: parser.parse_integer(allow_boolean=False)
            for word in Lanes._fields
            if parser.parse_optional_keyword(word)
        }
        return Lanes(**found)

    def print_lanes(self, printer: Printer) -> None:
        """Print what `parse_lanes` reads."""
        for name, number in self.lanes.properties.items():
            assert isinstance(number, IntegerAttr)
            printer.print_string(f" {name} {number.value.data}")

    def print_types(self, printer: Printer) -> None:
        """Print the attributes and `: memref<…>`, with `, vector<…>` where it is not one element."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.memref.type)
        if (vector := vector_type(self.accessed)) is not None:
            printer.print_string(", ")
            printer.print_attribute(vector)


@irdl_op_definition
class LoadOp(_AccessOp):
    """Reads one element, or a vector of elements that follow each other in the last dim.

    ```mlir
    %a = loop.load %x[%m, %k + 1] : memref<64x784xf32>
    %v = loop.load %w[%k, %n * 16] : memref<784x208xf32>, vector<16xf32>
    %c = loop.load %w[0, %n] along 0 stride 2 : memref<784x208xf32>, vector<16xf32>
    %t = loop.load %w[%k, 203] active 5 : memref<784x208xf32>, vector<16xf32>
    ```

    `along 0` makes the lanes run down a column instead, `stride 2` takes every second element. Of `active 5` only the
    first five lanes are read; the others are 0, and their places in memory need not exist.

    A matrix is read row by row: `rows 0` says that its rows run along dim 0, `row_stride 2` takes every second one.

    ```mlir
    %a = loop.load %x[%m, %k] rows 0 : memref<64x784xi8>, vector<16x64xi8>
    ```
    """

    name = "loop.load"
    result = result_def()
    traits = traits_def(MemoryReadEffect())

    def __init__(
        self,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        map: AffineMap | None = None,
        result_type: Attribute | None = None,
        lanes: Lanes = CONSECUTIVE,
    ) -> None:
        super().__init__(
            operands=[memref, indices],
            result_types=[result_type or memref_type(memref).element_type],
            properties={"map": AffineMapAttr(map or AffineMap.identity(len(indices))), **lanes.properties},
        )

    @property
    def accessed(self) -> Attribute:
        return self.result.type

    @classmethod
    def parse(cls, parser: Parser) -> LoadOp:
        memref, indices, affine = cls.parse_access(parser)
        lanes = cls.parse_lanes(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        shaped = parse_memref_type(parser)
        result_type = parser.parse_type() if parser.parse_optional_punctuation(",") else None
        op = cls(parser.resolve_operand(memref, shaped), indices, affine.data, result_type, lanes)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        self.print_access(printer)
        self.print_lanes(printer)
        self.print_types(printer)


@irdl_op_definition
class StoreOp(_AccessOp):
    """Writes one element, or a vector of elements that follow each other in the last dim.

    ```mlir
    loop.store %r, %y[%m, %n] : memref<64x200xf32>
    loop.store %v, %z[%m, %n * 16] : memref<64x208xf32>, vector<16xf32>
    loop.store %v, %z[%m, 203] active 5 : memref<64x208xf32>, vector<16xf32>
    ```

    `along`, `stride`, `active`, `rows` and `row_stride` are as for `loop.load`; lanes that are not active are not
    written.
    """

    name = "loop.store"
    value = operand_def()
    traits = traits_def(MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        memref: SSAValue,
        indices: Sequence[SSAValue],
        map: AffineMap | None = None,
        lanes: Lanes = CONSECUTIVE,
    ) -> None:
        super().__init__(
            operands=[value, memref, indices],
            properties={"map": AffineMapAttr(map or AffineMap.identity(len(indices))), **lanes.properties},
        )

    @property
    def accessed(self) -> Attribute:
        return self.value.type

    @classmethod
    def parse(cls, parser: Parser) -> StoreOp:
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        memref, indices, affine = cls.parse_access(parser)
        lanes = cls.parse_lanes(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        shaped = parse_memref_type(parser)
        stored = parser.parse_type() if parser.parse_optional_punctuation(",") else None
        op = cls(
            parser.resolve_operand(value, stored or shaped.element_type),
            parser.resolve_operand(memref, shaped),
            indices,
            affine.data,
            lanes,
        )
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.value)
        printer.print_string(", ")
        self.print_access(printer)
        self.print_lanes(printer)
        self.print_types(printer)


def parse_memref_type(parser: Parser) -> MemRef:
    """Parse a type that must be a memref."""
    position = parser.pos
    parsed = parser.parse_type()
    if not isinstance(parsed, MemRefType):
        parser.raise_error(f"expected a memref type, got {parsed}", at_position=position)
    return cast(MemRef, parsed)
