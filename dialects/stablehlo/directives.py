"""Parts of the forms of StableHLO's ops that declarative formats have no words for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from mlc.dialects.stablehlo.attributes import ConvAttr, DotAttr
from mlc.dialects.stablehlo.enums import Precision, PrecisionAttr
from mlc.dialects.stablehlo.type_directives import (
    ComplexTypes,
    OperandsFirst,
    PairwiseTypes,
    SameTypes,
    SelectTypes,
    TupleTypes,
    said,
)


@irdl_custom_directive
class SliceRanges(CustomDirective):
    """`[0:4, 1:8:2]`: where a slice starts and ends, and the steps that are not 1."""

    starts: AttributeVariable
    limits: AttributeVariable
    strides: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def one() -> tuple[int, int, int]:
            start = parser.parse_integer()
            parser.parse_punctuation(":")
            limit = parser.parse_integer()
            return start, limit, parser.parse_integer() if parser.parse_optional_punctuation(":") else 1

        found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one)
        for i, part in enumerate((self.starts, self.limits, self.strides)):
            part.set(state, DenseArrayBase.from_list(i64, [numbers[i] for numbers in found]))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        parts = (cast("DenseArrayBase[Any]", p.get(op)).get_values() for p in (self.starts, self.limits, self.strides))
        ranges = [f"{a}:{b}:{s}" if s != 1 else f"{a}:{b}" for a, b, s in zip(*parts, strict=True)]
        printer.print_string(f" [{', '.join(ranges)}]")
        said(state, printer)


@irdl_custom_directive
class ExponentMantissa(CustomDirective):
    """`e5m2`: how many bits exponents and mantissas have."""

    exponent: AttributeVariable
    mantissa: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        word = parser.parse_identifier()
        if (found := re.fullmatch(r"e(\d+)m(\d+)", word)) is None:
            parser.raise_error(f"expected the bits of exponent and mantissa, such as e5m2, got {word}", start)
        self.exponent.set(state, IntegerAttr(int(found[1]), i32))
        self.mantissa.set(state, IntegerAttr(int(found[2]), i32))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        exponent, mantissa = (cast(Any, part.get(op)).value.data for part in (self.exponent, self.mantissa))
        printer.print_string(f" e{exponent}m{mantissa}")
        said(state, printer)


def _precisions(parser: Parser) -> Attribute:
    parser.parse_keyword("precision")
    parser.parse_punctuation("=")

    def one() -> PrecisionAttr:
        return PrecisionAttr(parser.parse_str_enum(Precision))

    return ArrayAttr(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one))


def _print_precisions(printer: Printer, found: Attribute | None) -> None:
    if found is not None:
        words = ", ".join(p.data for p in cast("ArrayAttr[PrecisionAttr]", found))
        printer.print_string(f", precision = [{words}]")


@irdl_custom_directive
class Precisions(CustomDirective):
    """`, precision = [DEFAULT, HIGHEST]`, or nothing."""

    precision: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_punctuation(","):
            self.precision.set(state, _precisions(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        _print_precisions(printer, self.precision.get(op))
        said(state, printer)


@irdl_custom_directive
class DotDims(CustomDirective):
    """`batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = […], algorithm = <…>`, as far as needed."""

    dims: AttributeVariable
    precision: AttributeVariable
    algorithm: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        parts: dict[str, Sequence[int]] = {}
        for word, name in (("batching_dims", "batching"), ("contracting_dims", "contracting")):
            if parser.parse_optional_keyword(word) is None:
                continue
            parser.parse_punctuation("=")
            for side in ("lhs", "rhs"):
                if side == "rhs":
                    parser.parse_keyword("x")
                found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
                parts[f"{side}_{name}_dimensions"] = found
            if name == "batching":
                parser.parse_punctuation(",")
        self.dims.set(state, DotAttr.of(**parts))
        while parser.parse_optional_punctuation(","):
            if parser.parse_optional_keyword("algorithm"):
                parser.parse_punctuation("=")
                self.algorithm.set(state, _dot_algorithm(parser))
            else:
                self.precision.set(state, _precisions(parser))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        dims = cast(DotAttr, self.dims.get(op))
        words: list[str] = []
        for name in ("batching", "contracting"):
            lhs, rhs = (list(dims.ints(f"{side}_{name}_dimensions")) for side in ("lhs", "rhs"))
            if lhs or rhs or name == "contracting":
                words.append(f"{name}_dims = {lhs} x {rhs}")
        printer.print_string(f" {', '.join(words)}")
        _print_precisions(printer, self.precision.get(op))
        if (algorithm := self.algorithm.get(op)) is not None:
            printer.print_string(", algorithm = ")
            cast(Any, algorithm).print_parameters(printer)
        said(state, printer)


def _dot_algorithm(parser: Parser) -> Attribute:
    from mlc.dialects.stablehlo.attributes import KEPT

    kind: Any = next(k for k in KEPT if k.name == "stablehlo.dot_algorithm")
    return kind.new(kind.parse_parameters(parser))


@irdl_custom_directive
class ConvDims(CustomDirective):
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`."""

    dims: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.dims.set(state, ConvAttr.new(ConvAttr.parse_dims(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        printer.print_string(f" {self.dims.get(op)}")
        said(state, printer)


@irdl_custom_directive
class WindowParts(CustomDirective):
    """`stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]`."""

    strides: AttributeVariable
    padding: AttributeVariable
    lhs_dilation: AttributeVariable
    rhs_dilation: AttributeVariable
    reversal: AttributeVariable

    def _named(self) -> list[tuple[str, AttributeVariable]]:
        return [
            ("stride", self.strides),
            ("pad", self.padding),
            ("lhs_dilate", self.lhs_dilation),
            ("rhs_dilate", self.rhs_dilation),
            ("reverse", self.reversal),
        ]

    def parse(self, parser: Parser, state: ParsingState) -> None:
        named, seen = dict(self._named()), set[str]()

        def numbers() -> list[int]:
            return parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)

        def one() -> None:
            start = parser.pos
            word = parser.parse_identifier()
            if word not in named or word in seen:
                parser.raise_error(f"expected one of {', '.join(named)}, each once, got {word}", start)
            seen.add(word)
            parser.parse_punctuation("=")
            if word == "pad":
                rows = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, numbers)
                if any(len(row) != 2 for row in rows):
                    parser.raise_error("expected padding as pairs, [[low, high], …]", start)
                kind = TensorType(i64, [len(rows), 2])
                named[word].set(state, DenseIntOrFPElementsAttr.from_list(kind, [n for row in rows for n in row]))
            else:
                named[word].set(state, DenseArrayBase.from_list(i1 if word == "reverse" else i64, numbers()))

        if _identifier_follows(parser):
            parser.parse_comma_separated_list(parser.Delimiter.NONE, one)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        words: list[str] = []
        for word, part in self._named():
            if (found := part.get(op)) is None:
                continue
            if word == "pad":
                flat = list(cast("DenseIntOrFPElementsAttr[Any]", found).get_values())
                flat = flat * (2 * len(op.operands[0].type.get_shape()) - 4) if len(flat) == 1 else flat  # pyright: ignore
                values: list[Any] = [list(pair) for pair in zip(flat[::2], flat[1::2], strict=True)]
            else:
                values = list(cast("DenseArrayBase[Any]", found).get_values())
            if word == "reverse":
                words.append(f"reverse = [{', '.join('true' if v else 'false' for v in values)}]")
            else:
                words.append(f"{word} = {values}")
        printer.print_string(", ".join(words))
        state.should_emit_space = False
        state.last_was_punctuation = True


def _identifier_follows(parser: Parser) -> bool:
    return parser._current_token.text.isidentifier()  # pyright: ignore[reportPrivateUsage]


ALL = (
    SameTypes,
    ComplexTypes,
    SelectTypes,
    TupleTypes,
    PairwiseTypes,
    OperandsFirst,
    SliceRanges,
    ExponentMantissa,
    Precisions,
    DotDims,
    ConvDims,
    WindowParts,
)
