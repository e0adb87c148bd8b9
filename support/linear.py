"""Subscripts as linear forms, which can be put through reshapes.

A reshape of row-major data turns subscripts into a position and a position into other subscripts. The first is a sum;
the second is a division with remainder, which stays affine where each term of the sum falls on one side of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from mlc.support.affine import affine_bounds, split_constant, split_terms


@dataclass(frozen=True)
class LinearForm:
    """`constant` plus the sum of `factor * dim`; no factor is 0."""

    factors: dict[int, int]
    constant: int = 0

    @staticmethod
    def of(expr: AffineExpr) -> LinearForm | None:
        """`expr` as a linear form; None if it divides."""
        terms, constant = split_constant(expr)
        factors = split_terms(terms) if terms is not None else {}
        if any(f is None for f in factors.values()):
            return None
        return LinearForm({d: f for d, f in factors.items() if f}, constant)

    @property
    def expr(self) -> AffineExpr:
        """The form as an expression, dims in order, the constant last."""
        total: AffineExpr | None = None
        for dim, factor in sorted(self.factors.items()):
            term: AffineExpr = AffineExpr.dimension(dim)
            term = term if factor == 1 else term * factor
            total = term if total is None else total + term
        if total is None:
            return AffineExpr.constant(self.constant)
        return total + self.constant if self.constant else total

    def range(self, sizes: Sequence[int]) -> tuple[int, int]:
        """The least and the greatest value where dim `i` runs over `range(sizes[i])`."""
        ends = [(f, f * (sizes[d] - 1)) for d, f in self.factors.items()]
        return (
            self.constant + sum(end for f, end in ends if f < 0),
            self.constant + sum(end for f, end in ends if f > 0),
        )


def simplify(expr: AffineExpr, sizes: Sequence[int]) -> AffineExpr:
    """`expr` with 0 for dims of size 1 and, if it is linear, in the order of its dims."""
    zeroed = [AffineExpr.constant(0) if s == 1 else AffineExpr.dimension(i) for i, s in enumerate(sizes)]
    expr = expr.replace_dims_and_symbols(zeroed, [])
    linear = LinearForm.of(expr)
    return expr if linear is None else linear.expr


def through_reshape(
    subscripts: Sequence[AffineExpr], shape: Sequence[int], source: Sequence[int], sizes: Sequence[int]
) -> list[AffineExpr] | None:
    """Where a reshape from `source` to `shape` reads its operand to be read itself at `subscripts`.

    The dims of the subscripts have these `sizes`. None if that is not affine, or not seen to be.
    """
    forms = [LinearForm.of(simplify(e, sizes)) for e in subscripts]
    factors: dict[int, int] = {}
    constant = 0
    for axis, form in enumerate(forms):
        if form is None:
            return None
        stride = prod(shape[axis + 1 :])
        constant += form.constant * stride
        for dim, factor in form.factors.items():
            factors[dim] = factors.get(dim, 0) + factor * stride
    result: list[AffineExpr] = []
    for extent in reversed(source):
        constant, inside = divmod(constant, extent)
        here = LinearForm({d: f for d, f in factors.items() if f % extent}, inside)
        low, high = here.range(sizes)
        if low < 0 or high >= extent:
            return None
        factors = {d: f // extent for d, f in factors.items() if f % extent == 0 and f}
        result.append(here.expr)
    return None if factors or constant else result[::-1]


def plain_dim(expr: AffineExpr) -> int | None:
    """The dim that `expr` is, if it is just one."""
    return expr.position if isinstance(expr, AffineDimExpr) else None


def stays_inside(subscripts: Sequence[AffineExpr], shape: Sequence[int], sizes: Sequence[int]) -> bool:
    """Whether subscripts, by what is known of their range, never leave a tensor of `shape`."""
    ranges = [affine_bounds(e, sizes) for e in subscripts]
    return all(low >= 0 and high < extent for (low, high), extent in zip(ranges, shape, strict=True))
