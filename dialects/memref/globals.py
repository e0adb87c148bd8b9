"""Buffers that are there before the program starts."""

from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    SymbolNameConstraint,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, SymbolOpInterface
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.upstream import parse_untyped_data
from mlc.support.dense_data import print_data
from mlc.support.types import MemRef, Tensor

_NAMED = ("sym_name", "sym_visibility", "type", "initial_value", "constant")
"""The properties that the format has places for."""


@irdl_op_definition
class GlobalOp(IRDLOperation):
    """A buffer with a name, which `memref.get_global` refers to; without data it is defined elsewhere.

    ```mlir
    memref.global "private" constant @w : memref<2xf32> = dense<[1.0, 2.0]> {alignment = 64 : i64}
    memref.global @counts : memref<16xi32> = uninitialized
    memref.global "private" @elsewhere : memref<4xf32>
    ```

    Constraints:
      global_c1: the alignment is a power of two
      global_c2: the data has the shape and the elements of the buffer
      global_c3: all sizes of the buffer are known
      global_c4: the visibility is public, private or nested
    """

    name = "memref.global"
    sym_name = prop_def(SymbolNameConstraint())
    sym_visibility = opt_prop_def(StringAttr)
    type = prop_def(MemRefType)
    initial_value = opt_prop_def(UnitAttr | DenseIntOrFPElementsAttr | DenseResourceAttr)
    constant = opt_prop_def(UnitAttr)
    alignment = opt_prop_def(IntegerAttr[I64])
    traits = traits_def(SymbolOpInterface(), MemoryAllocEffect())

    def __init__(
        self,
        name: str,
        kind: MemRef,
        value: DenseIntOrFPElementsAttr | DenseResourceAttr,
        alignment: int,
    ) -> None:
        """A private constant; `alignment` is in bytes."""
        super().__init__(
            properties={
                "sym_name": StringAttr(name),
                "sym_visibility": StringAttr("private"),
                "type": kind,
                "initial_value": value,
                "constant": UnitAttr(),
                "alignment": IntegerAttr(alignment, i64),
            }
        )

    def verify_(self) -> None:
        if self.alignment is not None and self.alignment.value.data.bit_count() != 1:
            raise VerifyException(
                f"memref.global: the alignment must be a power of 2, got {self.alignment.value.data} (global_c1)"
            )
        if DYNAMIC_INDEX in cast(MemRef, self.type).get_shape():
            raise VerifyException(f"memref.global: the sizes of {self.type} are not all known (global_c3)")
        visibility = "public" if self.sym_visibility is None else self.sym_visibility.data
        if visibility not in ("public", "private", "nested"):
            raise VerifyException(
                f"memref.global: the visibility is '{visibility}', required: public, private or nested (global_c4)"
            )
        value: Attribute | None = self.initial_value
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            return
        found, buffer = cast(Tensor, value.get_type()), cast(MemRef, self.type)
        if found.get_shape() != buffer.get_shape() or found.element_type != buffer.element_type:
            raise VerifyException(
                f"memref.global: the data has type {found}, the buffer {buffer}; shapes and elements must be equal "
                "(global_c2)"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "GlobalOp":
        properties: dict[str, Attribute] = {}
        if (visibility := parser.parse_optional_str_literal()) is not None:
            properties["sym_visibility"] = StringAttr(visibility)
        if parser.parse_optional_keyword("constant"):
            properties["constant"] = UnitAttr()
        properties["sym_name"] = parser.parse_symbol_name()
        parser.parse_punctuation(":")
        position = parser.pos
        kind = parser.parse_type()
        if not isinstance(kind, MemRefType):
            parser.raise_error(f"the type of a global is a memref, got {kind}", position)
        properties["type"] = kind
        if parser.parse_optional_punctuation("="):
            buffer = cast(MemRef, kind)
            data = TensorType(buffer.element_type, buffer.get_shape())
            is_uninitialized = parser.parse_optional_keyword("uninitialized")
            properties["initial_value"] = UnitAttr() if is_uninitialized else parse_untyped_data(parser, data)
        attributes = parser.parse_optional_attr_dict()
        if (alignment := attributes.pop("alignment", None)) is not None:
            properties["alignment"] = alignment
        return cls.create(properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.sym_visibility is not None:
            printer.print_string(" ")
            printer.print_attribute(self.sym_visibility)
        printer.print_string(" constant " if self.constant is not None else " ")
        printer.print_symbol_name(self.sym_name.data)
        printer.print_string(" : ")
        printer.print_attribute(self.type)
        if isinstance(self.initial_value, UnitAttr):
            printer.print_string(" = uninitialized")
        elif self.initial_value is not None:
            printer.print_string(" = ")
            if isinstance(data := self.initial_value, DenseIntOrFPElementsAttr):
                print_data(printer, data)
            else:
                data.print_without_type(printer)
        rest = {name: value for name, value in self.properties.items() if name not in _NAMED}
        printer.print_op_attributes(rest | self.attributes)
