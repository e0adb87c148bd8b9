"""Subscripts through reshapes, against NumPy."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest
from xdsl.ir.affine import AffineExpr

from mlc.support.linear import LinearForm, plain_dim, simplify, stays_inside, through_reshape

d = AffineExpr.dimension
c = AffineExpr.constant


def test_linear_form() -> None:
    assert LinearForm.of(d(1) * 4 + d(0) + 3 + d(1) * -4) == LinearForm({0: 1}, 3)
    assert LinearForm.of(d(0) // 2) is None
    assert str(LinearForm({1: 2, 0: 1}, 3).expr) == str(d(0) + d(1) * 2 + 3)
    assert LinearForm({}, 5).expr == c(5)
    assert LinearForm({0: 2, 1: -1}, 4).range((3, 5)) == (0, 8)


def test_simplify_drops_dims_of_one() -> None:
    assert simplify(d(0) * 1 + d(1) * 7, (4, 1)) == d(0)
    assert simplify(d(1) // 2 + d(0), (1, 6)).used_dims() == {1}
    assert plain_dim(d(2)) == 2
    assert plain_dim(d(2) * 2) is None
    assert stays_inside([d(0) + 1], (5,), (4,))
    assert not stays_inside([d(0) + 2], (5,), (4,))


@pytest.mark.parametrize(
    ("subscripts", "sizes", "shape", "source"),
    [
        ([d(1), d(0), d(2)], (3, 4, 8), (4, 3, 8), (4, 24)),  # heads side by side
        ([d(0), d(1) * 8 + d(2)], (4, 3, 8), (4, 24), (4, 3, 8)),  # and back again
        ([d(0) * 24 + d(1)], (4, 24), (96,), (4, 24)),
        ([d(0), d(1), d(2) + 2], (4, 3, 4), (4, 3, 8), (96,)),
        ([d(0) * 2 + 1, d(1)], (2, 6), (4, 6), (2, 2, 6)),  # every other row is one of a pair
        ([d(0), c(0), d(1)], (4, 6), (4, 1, 6), (4, 6)),
        ([d(0) + 16], (8,), (48,), (2, 3, 8)),
    ],
)
def test_through_reshape(
    subscripts: list[AffineExpr], sizes: tuple[int, ...], shape: tuple[int, ...], source: tuple[int, ...]
) -> None:
    composed = through_reshape(subscripts, shape, source, sizes)
    assert composed is not None
    data = np.arange(prod(source)).reshape(source)
    for point in np.ndindex(sizes):
        before = tuple(e.eval(list(point), []) for e in subscripts)
        after = tuple(e.eval(list(point), []) for e in composed)
        assert data.reshape(shape)[before] == data[after]


@pytest.mark.parametrize(
    ("subscripts", "sizes", "shape", "source"),
    [
        ([d(0)], (24,), (24,), (4, 6)),  # one dim runs across two axes
        ([d(0), d(1)], (4, 6), (4, 6), (6, 4)),
        ([d(0) + 4], (4,), (24,), (4, 6)),  # from one row into the next
        ([d(0) // 2], (8,), (24,), (24,)),
    ],
)
def test_not_affine(
    subscripts: list[AffineExpr], sizes: tuple[int, ...], shape: tuple[int, ...], source: tuple[int, ...]
) -> None:
    assert through_reshape(subscripts, shape, source, sizes) is None
