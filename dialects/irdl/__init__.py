"""The irdl dialect, definitions of dialects: xDSL's, whose lists may leave out names, as LLVM 19 has none (20 has)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar, cast

from xdsl.dialects import irdl
from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.dialects.irdl import AttributeType, RegionType, VariadicityArrayAttr, VariadicityAttr, VariadicityEnum
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.upstream import completed

_Listing = TypeVar("_Listing", bound=IRDLOperation)
_Entry = tuple[StringAttr | None, VariadicityEnum, SSAValue]


class ParametersOp(irdl.ParametersOp):
    """The parameters of a type or an attribute, each with its constraint.

    ```mlir
    irdl.dialect @cmath {
      irdl.type @complex {
        %0 = irdl.any
        irdl.parameters(element: %0)
      }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> ParametersOp:
        return _parsed(cls, parser, AttributeType())

    def print(self, printer: Printer) -> None:
        _print(self, printer)


class OperandsOp(irdl.OperandsOp):
    """The operands of an operation: single ones, or `optional` and `variadic` ones.

    ```mlir
    irdl.dialect @cmath {
      irdl.operation @sum {
        %0 = irdl.is f32
        irdl.operands(variadic %0)
      }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> OperandsOp:
        return _parsed(cls, parser, AttributeType())

    def print(self, printer: Printer) -> None:
        _print(self, printer)


class ResultsOp(irdl.ResultsOp):
    """The results of an operation.

    ```mlir
    irdl.dialect @cmath {
      irdl.operation @zero {
        %0 = irdl.is f32
        irdl.results(zero: %0)
      }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> ResultsOp:
        return _parsed(cls, parser, AttributeType())

    def print(self, printer: Printer) -> None:
        _print(self, printer)


class RegionsOp(irdl.RegionsOp):
    """The regions of an operation.

    ```mlir
    irdl.dialect @cmath {
      irdl.operation @repeat {
        %0 = irdl.region with size 1
        irdl.regions(%0)
      }
    }
    ```
    """

    @classmethod
    def parse(cls, parser: Parser) -> RegionsOp:
        return _parsed(cls, parser, RegionType())

    def print(self, printer: Printer) -> None:
        _print(self, printer)


def entries(op: IRDLOperation) -> Iterator[_Entry]:
    """The name, or None, the number and the constraint of what one of these ops lists."""
    listing = cast(Any, op)
    names: Sequence[StringAttr | None] = listing.names.data or [None] * len(op.operands)
    has_numbers = "variadicity" in op.properties
    numbers = [each.data for each in listing.variadicity.value] if has_numbers else []
    return zip(names, numbers or [VariadicityEnum.SINGLE] * len(op.operands), op.operands, strict=True)


def _parsed(cls: type[_Listing], parser: Parser, kind: AttributeType | RegionType) -> _Listing:
    has_numbers = "variadicity" in cls.get_irdl_definition().properties

    def entry() -> _Entry:
        name, word = None, parser.parse_optional_identifier()
        if word is not None and parser.parse_optional_punctuation(":"):
            name, word = StringAttr(word), parser.parse_optional_identifier()
        if word is not None and (not has_numbers or word not in set(VariadicityEnum)):
            parser.raise_error(f"expected a name with a colon or a value such as %0, got '{word}'")
        return name, VariadicityEnum(word or "single"), parser.parse_operand(kind)

    start = parser.pos
    found = parser.parse_comma_separated_list(parser.Delimiter.PAREN, entry)
    names = [name for name, _, _ in found if name is not None]
    if names and len(names) < len(found):
        parser.raise_error("either all entries have names or none has", at_position=start)
    properties: dict[str, Attribute] = {"names": ArrayAttr(names)}
    if has_numbers:
        properties["variadicity"] = VariadicityArrayAttr(ArrayAttr(VariadicityAttr(number) for _, number, _ in found))
    return cls.create(operands=[value for _, _, value in found], properties=properties)


def _print(op: IRDLOperation, printer: Printer) -> None:
    def write(entry: _Entry) -> None:
        name, number, value = entry
        printer.print_string(f"{name.data}: " if name else "")
        printer.print_string("" if number == VariadicityEnum.SINGLE else f"{number} ")
        printer.print_ssa_value(value)

    with printer.in_parens():
        printer.print_list(entries(op), write)


IRDL = completed(irdl.IRDL, [ParametersOp, OperandsOp, ResultsOp, RegionsOp])

__all__ = ["IRDL", "OperandsOp", "ParametersOp", "RegionsOp", "ResultsOp", "entries"]
