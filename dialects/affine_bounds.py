"""The range of values of an affine expression over a box of dims."""

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

    Interval arithmetic: exact where every dim occurs once, otherwise an enclosure.
    """
    match expr:
        case AffineConstantExpr():
            return expr.value, expr.value
        case AffineDimExpr():
            return 0, max(sizes[expr.position] - 1, 0)
        case AffineBinaryOpExpr(kind=kind, lhs=lhs, rhs=rhs):
            (a, b), (c, d) = affine_bounds(lhs, sizes), affine_bounds(rhs, sizes)
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
