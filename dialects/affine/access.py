"""Loads and stores whose subscripts are affine expressions."""

from typing import cast

from xdsl.dialects import affine
from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlc.dialects.affine.subscripts import SubscriptParser, print_list
from mlc.dialects.affine.verify import verify_access
from mlc.support.types import MemRef, Vector


class _Access:
    """What the text of an access says."""

    def __init__(self, parser: Parser, buffer: UnresolvedOperand, *, vectors: bool) -> None:
        subscripts = SubscriptParser(parser)
        self.map = AffineMapAttr(subscripts.parse_list())
        self.attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        kind = parser.parse_type()
        if not isinstance(kind, MemRefType):
            parser.raise_error(f"a subscript needs a memref, got {kind}", position)
        self.element: Attribute = cast(MemRef, kind).element_type
        self.vector: Vector | None = None
        if vectors:
            parser.parse_punctuation(",")
            position = parser.pos
            vector = parser.parse_type()
            if not isinstance(vector, VectorType):
                parser.raise_error(f"the second type is a vector, got {vector}", position)
            self.vector = cast(Vector, vector)
        self.buffer = cast("SSAValue[MemRef]", parser.resolve_operand(buffer, cast(Attribute, kind)))
        self.indices = cast("list[SSAValue[IndexType]]", subscripts.operands())


def _print(
    printer: Printer,
    op: "LoadOp | StoreOp | VectorLoadOp | VectorStoreOp",
    value: SSAValue | None,
    vector: Attribute | None,
) -> None:
    printer.print_string(" ")
    if value is not None:
        printer.print_operand(value)
        printer.print_string(", ")
    printer.print_operand(op.memref)
    print_list(printer, op.map.data, op.indices)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.memref.type)
    if vector is not None:
        printer.print_string(", ")
        printer.print_attribute(vector)


class LoadOp(affine.LoadOp):
    """An element of a buffer.

    ```mlir
    affine.for %i = 0 to 8 {
      %x = affine.load %m[%i + 1, symbol(%n)] : memref<16x16xf32>
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "LoadOp":
        access = _Access(parser, parser.parse_unresolved_operand(), vectors=False)
        op = cls(access.buffer, access.indices, access.map, access.element)
        op.attributes |= access.attributes
        return op

    def print(self, printer: Printer) -> None:
        _print(printer, self, None, None)

    def verify_(self) -> None:
        super().verify_()
        verify_access(self, self.memref, self.map.data, self.indices)


class StoreOp(affine.StoreOp):
    """Writes an element of a buffer.

    ```mlir
    affine.for %i = 0 to 8 {
      affine.store %x, %m[%i, 2 * %i] : memref<16x16xf32>
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "StoreOp":
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        access = _Access(parser, parser.parse_unresolved_operand(), vectors=False)
        op = cls(parser.resolve_operand(value, access.element), access.buffer, access.indices, access.map)
        op.attributes |= access.attributes
        return op

    def print(self, printer: Printer) -> None:
        _print(printer, self, self.value, None)

    def verify_(self) -> None:
        super().verify_()
        verify_access(self, self.memref, self.map.data, self.indices)


class VectorLoadOp(affine.VectorLoadOp):
    """Elements of a buffer that lie side by side.

    ```mlir
    affine.for %i = 0 to 8 {
      %x = affine.vector_load %m[%i, 4] : memref<16x16xf32>, vector<4xf32>
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "VectorLoadOp":
        access = _Access(parser, parser.parse_unresolved_operand(), vectors=True)
        op = cls(access.buffer, access.indices, access.map, access.vector)
        op.attributes |= access.attributes
        return op

    def print(self, printer: Printer) -> None:
        _print(printer, self, None, self.result.type)

    def verify_(self) -> None:
        super().verify_()
        verify_access(self, self.memref, self.map.data, self.indices)


class VectorStoreOp(affine.VectorStoreOp):
    """Writes elements of a buffer that lie side by side.

    ```mlir
    affine.for %i = 0 to 8 {
      affine.vector_store %x, %m[%i, 4] : memref<16x16xf32>, vector<4xf32>
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> "VectorStoreOp":
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        access = _Access(parser, parser.parse_unresolved_operand(), vectors=True)
        assert access.vector is not None
        op = cls(parser.resolve_operand(value, access.vector), access.buffer, access.indices, access.map)
        op.attributes |= access.attributes
        return op

    def print(self, printer: Printer) -> None:
        _print(printer, self, self.value, self.value.type)

    def verify_(self) -> None:
        super().verify_()
        verify_access(self, self.memref, self.map.data, self.indices)
