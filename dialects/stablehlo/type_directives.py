"""How StableHLO's ops write the types of operands and results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ComplexType,
    FunctionType,
    TensorType,
    TupleType,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer


def said(state: PrintingState, printer: Printer) -> None:
    """Go on after something that was written with spaces of its own."""
    state.should_emit_space = True
    state.last_was_punctuation = False


def _count(state: ParsingState) -> int:
    return sum(len(group) for group in state.operands if group is not None)


def _one_or_function(
    parser: Parser, state: ParsingState, operands: TypeDirective, results: TypeDirective, first: Attribute | None = None
) -> None:
    """`type` of all operands and of the result, or `(types) -> type`."""
    kind = parser.parse_type() if first is None else first
    if isinstance(kind, FunctionType):
        operands.set(state, kind.inputs.data)
        results.set(state, kind.outputs.data)
    else:
        operands.set(state, [kind] * _count(state))
        results.set(state, [kind])


def _print_function(printer: Printer, op: IRDLOperation) -> None:
    printer.print_function_type([o.type for o in op.operands], [r.type for r in op.results])


@irdl_custom_directive
class SameTypes(CustomDirective):
    """One type, if operands and result have it; else all of them, `(tensor<4xf32>) -> tensor<4xi1>`."""

    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        _one_or_function(parser, state, self.operands, self.results)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        result = op.results[0].type
        if all(o.type == result for o in op.operands):
            printer.print_attribute(result)
        else:
            _print_function(printer, op)
        said(state, printer)


@irdl_custom_directive
class ComplexTypes(CustomDirective):
    """The type of the result, from which that of its real and imaginary parts follows."""

    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        kind = parser.parse_type()
        if isinstance(kind, FunctionType):
            _one_or_function(parser, state, self.operands, self.results, kind)
            return
        if (part := _parts_of(kind)) is None:
            parser.raise_error(f"expected a tensor of complex numbers, got {kind}", start, parser.pos)
        self.operands.set(state, [part, part])
        self.results.set(state, [kind])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        result = op.results[0].type
        if all(o.type == _parts_of(result) for o in op.operands):
            printer.print_attribute(result)
        else:
            _print_function(printer, op)
        said(state, printer)


def _parts_of(kind: Attribute) -> Attribute | None:
    """The type of the real parts of complex numbers."""
    if not isinstance(kind, TensorType):
        return None
    tensor = cast("TensorType[Attribute]", kind)
    element = tensor.element_type
    if not isinstance(element, ComplexType):
        return None
    return TensorType(cast(Any, element).element_type, tensor.get_shape(), tensor.encoding)


@irdl_custom_directive
class SelectTypes(CustomDirective):
    """The type of the condition and that of the rest, or all of them."""

    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        kind = parser.parse_type()
        if isinstance(kind, FunctionType):
            _one_or_function(parser, state, self.operands, self.results, kind)
            return
        parser.parse_punctuation(",")
        rest = parser.parse_type()
        self.operands.set(state, [kind, rest, rest])
        self.results.set(state, [rest])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        pred, *branches = (o.type for o in op.operands)
        result = op.results[0].type
        if all(b == result for b in branches):
            printer.print_list([pred, result], printer.print_attribute)
        else:
            _print_function(printer, op)
        said(state, printer)


@irdl_custom_directive
class TupleTypes(CustomDirective):
    """The type of a tuple, which says those of its parts."""

    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        kind = parser.parse_type()
        if not isinstance(kind, TupleType):
            parser.raise_error(f"expected a tuple type, got {kind}", start, parser.pos)
        self.operands.set(state, kind.types.data)
        self.results.set(state, [kind])

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        printer.print_attribute(op.results[0].type)
        said(state, printer)


@irdl_custom_directive
class PairwiseTypes(CustomDirective):
    """The operands and their types, which the results have too; `()` if there are none."""

    values: VariadicOperandVariable
    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_punctuation("("):
            parser.parse_punctuation(")")
            types: Sequence[Attribute] = ()
            self.values.set(state, [])
        else:
            self.values.parse(parser, state)
            parser.parse_punctuation(":")
            types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        self.operands.set(state, types)
        self.results.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        if op.operands:
            printer.print_list(op.operands, printer.print_ssa_value)
            printer.print_string(" : ")
            printer.print_list([o.type for o in op.operands], printer.print_attribute)
        else:
            printer.print_string("()")
        said(state, printer)


@irdl_custom_directive
class OperandsFirst(CustomDirective):
    """Any number of operands, each with a comma after it: `%a, %b, `."""

    values: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        found: list[Any] = []
        while (operand := parser.parse_optional_unresolved_operand()) is not None:
            found.append(operand)
            parser.parse_punctuation(",")
        self.values.set(state, found)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(" ")
        printer.print_list(self.values.get(op), printer.print_ssa_value)
        printer.print_string(",")
        said(state, printer)
