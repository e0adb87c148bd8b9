"""Affine expressions over values: `%i + symbol(%n) * 2`, where a value is a dim unless it is called a symbol."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from mlc.dialects.affine_syntax import parse_affine_expr, print_affine_expr


class SubscriptParser:
    """The values that expressions have named so far; each counts once as a dim and once as a symbol."""

    def __init__(self, parser: Parser) -> None:
        self._parser = parser
        self._dims: dict[tuple[str, int], UnresolvedOperand] = {}
        self._symbols: dict[tuple[str, int], UnresolvedOperand] = {}

    def parse(self) -> AffineExpr:
        """One expression."""
        return parse_affine_expr(self._parser, self._leaf)

    def parse_list(self) -> AffineMap:
        """`[%i, %j + 1]`, as a map of the values of `operands`."""
        results = self._parser.parse_comma_separated_list(self._parser.Delimiter.SQUARE, self.parse)
        return self.map_of(results)

    def map_of(self, results: Sequence[AffineExpr]) -> AffineMap:
        """A map with these results."""
        return AffineMap(len(self._dims), len(self._symbols), tuple(results))

    def operands(self) -> list[SSAValue]:
        """The values that the map takes: its dims, then its symbols."""
        names = [*self._dims.values(), *self._symbols.values()]
        return [self._parser.resolve_operand(name, IndexType()) for name in names]

    def _leaf(self) -> AffineExpr | None:
        if (name := self._parser.parse_optional_unresolved_operand()) is not None:
            return AffineExpr.dimension(_number(self._dims, name))
        if self._parser.parse_optional_keyword("symbol") is None:
            return None
        with self._parser.in_parens():
            return AffineExpr.symbol(_number(self._symbols, self._parser.parse_unresolved_operand()))


def _number(known: dict[tuple[str, int], UnresolvedOperand], name: UnresolvedOperand) -> int:
    key = name.operand_name, name.index
    known.setdefault(key, name)
    return list(known).index(key)


def print_expression(printer: Printer, expression: AffineExpr, dims: int, operands: Sequence[SSAValue]) -> None:
    """An expression of a map with `dims` dims that takes `operands`."""
    symbols = [AffineExpr.dimension(n) for n in range(dims, len(operands))]
    leaves = expression.replace_dims_and_symbols([AffineExpr.dimension(n) for n in range(dims)], symbols)

    def write_leaf(position: int) -> None:
        printer.print_string("" if position < dims else "symbol(")
        printer.print_ssa_value(operands[position])
        printer.print_string("" if position < dims else ")")

    print_affine_expr(leaves, printer.print_string, write_leaf)


def print_list(printer: Printer, subscripts: AffineMap, operands: Sequence[SSAValue]) -> None:
    """`[%i, %j + 1]`."""
    with printer.in_square_brackets():
        printer.print_list(subscripts.results, lambda e: print_expression(printer, e, subscripts.num_dims, operands))
