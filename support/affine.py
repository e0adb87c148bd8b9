"""What can be told about affine expressions: the range of their values, their terms."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)


def affine_bounds(expr: AffineExpr, sizes: Sequence[int]) -> tuple[int, int]:
    """The least and the greatest value of `expr` where dim `i` runs over `range(sizes[i])`.

    Exact where every dim occurs once, otherwise an enclosure.
    """
    return affine_interval(expr, [(0, max(size - 1, 0)) for size in sizes])


def affine_interval(expr: AffineExpr, intervals: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """The least and the greatest value of `expr` where dim `i` has values between the two numbers `intervals[i]`.

    Interval arithmetic: exact where every dim occurs once, otherwise an enclosure.
    """
    match expr:
        case AffineConstantExpr():
            return expr.value, expr.value
        case AffineDimExpr():
            return intervals[expr.position]
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            (a, b), (c, d) = affine_interval(lhs, intervals), affine_interval(rhs, intervals)
            match kind:
                case AffineBinaryOpKind.Add:
                    return a + c, b + d
                case AffineBinaryOpKind.Mul:
                    corners = (a * c, a * d, b * c, b * d)
                    return min(corners), max(corners)
                case AffineBinaryOpKind.FloorDiv:
                    return a // c, b // c
                case AffineBinaryOpKind.CeilDiv:
                    return -(-a // c), -(-b // c)
                case AffineBinaryOpKind.Mod:
                    return (a, b) if a >= 0 and b < c else (0, c - 1)
        case _:
            pass
    raise ValueError(f"no bounds for the affine expression {expr}")


def row_major(subscripts: Sequence[AffineExpr], shape: Sequence[int]) -> AffineExpr:
    """The number of the element at these subscripts of a row-major array."""
    number = AffineExpr.constant(0)
    for extent, subscript in zip(shape, subscripts, strict=True):
        number = number * extent + subscript
    return number


def simplify_sum(expr: AffineExpr) -> AffineExpr:
    """`expr` with its constants folded into one trailing term, so that unrolled accesses differ in that term only."""
    terms, constant = split_constant(expr)
    if terms is None:
        return AffineExpr.constant(constant)
    return terms + constant if constant else terms


def split_constant(expr: AffineExpr) -> tuple[AffineExpr | None, int]:
    """`expr` as (terms, constant) with `expr == terms + constant`; terms is None where only a constant is left."""
    if isinstance(expr, AffineConstantExpr):
        return None, expr.value
    if isinstance(expr, AffineDimExpr):
        return expr, 0
    if (parts := as_sum(expr)) is None:
        return (expr, 0) if expr.used_dims() else (None, affine_bounds(expr, ())[0])
    (left, a), (right, b) = split_constant(parts[0]), split_constant(parts[1])
    if left is None or right is None:
        return left or right, a + b
    return left + right, a + b


def as_sum(expr: AffineExpr) -> tuple[AffineExpr, AffineExpr] | None:
    """The two sides of a sum, with products distributed over sums: `(a + b) * 3` is `a * 3` and `b * 3`."""
    if not isinstance(expr, AffineBinaryOpExpr):
        return None
    if expr.kind is AffineBinaryOpKind.Add:
        return expr.lhs, expr.rhs
    if expr.kind is AffineBinaryOpKind.Mul and isinstance(expr.rhs, AffineConstantExpr):
        inner = as_sum(expr.lhs)
        if inner is not None:
            return inner[0] * expr.rhs, inner[1] * expr.rhs
    return None


def split_terms(expr: AffineExpr) -> dict[int, int | None]:
    """The factor of each dim in a sum of products; None for a dim that also occurs under a division or a remainder."""
    factors: dict[int, int | None] = {}
    pending = [expr]
    while pending:
        term = pending.pop()
        if (parts := as_sum(term)) is not None:
            pending += parts
        elif isinstance(term, AffineDimExpr):
            _add_factor(factors, term.position, 1)
        elif (
            isinstance(term, AffineBinaryOpExpr)
            and term.kind is AffineBinaryOpKind.Mul
            and isinstance(term.lhs, AffineDimExpr)
            and isinstance(term.rhs, AffineConstantExpr)
        ):
            _add_factor(factors, term.lhs.position, term.rhs.value)
        else:
            factors.update(dict.fromkeys(term.used_dims(), None))
    return factors


def _add_factor(factors: dict[int, int | None], dim: int, factor: int) -> None:
    known = factors.get(dim, 0)
    factors[dim] = None if known is None else known + factor
