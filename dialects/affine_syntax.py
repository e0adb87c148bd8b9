"""The text of affine expressions over named leaves, shared by the dialects that have subscripts.

    expr   ::= term (('+' | '-') term)*
    term   ::= factor ('*' INT | 'floordiv' INT | 'ceildiv' INT | 'mod' INT)*
    factor ::= LEAF | INT | '-' factor | '(' expr ')'

What a leaf is (an SSA value, the name of a dim) is up to the dialect.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)
from xdsl.parser import Parser

_KEYWORDS = {
    "floordiv": AffineBinaryOpKind.FloorDiv,
    "ceildiv": AffineBinaryOpKind.CeilDiv,
    "mod": AffineBinaryOpKind.Mod,
}
_SPELLING = {kind: word for word, kind in _KEYWORDS.items()} | {
    AffineBinaryOpKind.Add: "+",
    AffineBinaryOpKind.Mul: "*",
}


def parse_affine_expr(parser: Parser, parse_leaf: Callable[[], AffineExpr | None]) -> AffineExpr:
    """Parse one expression; `parse_leaf` returns None where no leaf stands."""

    def factor() -> AffineExpr:
        if parser.parse_optional_punctuation("("):
            inner = expr()
            parser.parse_punctuation(")")
            return inner
        if parser.parse_optional_punctuation("-"):
            return -factor()
        if (value := parser.parse_optional_integer(allow_boolean=False, allow_negative=False)) is not None:
            return AffineExpr.constant(value)
        if (leaf := parse_leaf()) is not None:
            return leaf
        return parser.raise_error("expected a subscript: a name, an integer, or '('")

    def term() -> AffineExpr:
        left = factor()
        while True:
            if parser.parse_optional_punctuation("*"):
                left = left * factor()
                continue
            word = next((w for w in _KEYWORDS if parser.parse_optional_keyword(w)), None)
            if word is None:
                return left
            left = AffineBinaryOpExpr(_KEYWORDS[word], left, factor())

    def expr() -> AffineExpr:
        left = term()
        while True:
            if parser.parse_optional_punctuation("+"):
                left = left + term()
            elif parser.parse_optional_punctuation("-"):
                left = left - term()
            else:
                return left

    return expr()


def print_affine_expr(expr: AffineExpr, write: Callable[[str], None], write_leaf: Callable[[int], None]) -> None:
    """Print `expr` so that `parse_affine_expr` reads it back; dim `i` is printed by `write_leaf(i)`."""
    match expr:
        case AffineDimExpr():
            write_leaf(expr.position)
        case AffineConstantExpr():
            write(str(expr.value))
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            if kind is AffineBinaryOpKind.Add:
                _print_sum(lhs, rhs, write, write_leaf)
            else:
                _print_tight(lhs, write, write_leaf)
                write(f" {_SPELLING[kind]} ")
                _print_tight(rhs, write, write_leaf)
        case _:
            raise ValueError(f"no syntax for the affine expression {expr}")


def _print_sum(
    lhs: AffineExpr, rhs: AffineExpr, write: Callable[[str], None], write_leaf: Callable[[int], None]
) -> None:
    print_affine_expr(lhs, write, write_leaf)
    if isinstance(rhs, AffineConstantExpr) and rhs.value < 0:
        write(f" - {-rhs.value}")
    elif isinstance(rhs, AffineBinaryOpExpr) and rhs.kind is AffineBinaryOpKind.Add:
        write(" + (")
        print_affine_expr(rhs, write, write_leaf)
        write(")")
    else:
        write(" + ")
        print_affine_expr(rhs, write, write_leaf)


def _print_tight(expr: AffineExpr, write: Callable[[str], None], write_leaf: Callable[[int], None]) -> None:
    """Print an operand of a product: anything but a leaf or a natural number takes parentheses."""
    plain = isinstance(expr, AffineDimExpr) or (isinstance(expr, AffineConstantExpr) and expr.value >= 0)
    if not plain:
        write("(")
    print_affine_expr(expr, write, write_leaf)
    if not plain:
        write(")")
