"""Discrete Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.fourier import (
    hermitian,
    real_ends,
    transform,
    transform_of_real,
    transform_to_real,
)
from mlc.frontends.torch.to_graph._calls import Call, Found, axis_of
from mlc.frontends.torch.to_graph._patterns import converts

_SCALED = {0: 0.0, 1: -0.5, 2: -1.0}
"""By which power of how many there are results are scaled, by torch's numbers for it."""


def _axes(dim: Sequence[int], shape: Sequence[int]) -> list[int]:
    return [axis_of(d, len(shape)) for d in dim]


def _scaled(b: Call, x: SSAValue, normalization: int, count: int) -> SSAValue:
    return b.scaled(x, count ** _SCALED[normalization])


def _all(b: Call, x: Pair, axes: Sequence[int], sign: int) -> Pair:
    for axis in axes:
        x = Pair(*transform(b, x.re, x.im, axis, sign))
    return x


@converts("_fft_c2c", pairs=True)
def of_complex(b: Call, self: Pair, dim: Sequence[int], normalization: int, forward: bool) -> Found:
    """The discrete Fourier transform along `dim`, or its inverse; `normalization` 0 is none, 1 a root of the count, 2
    the count."""
    shape = shape_of(self.re)
    axes = _axes(dim, shape)
    x = _all(b, self, axes, -1 if forward else 1)
    count = prod(shape[d] for d in axes)
    return Pair(_scaled(b, x.re, normalization, count), _scaled(b, x.im, normalization, count))


@converts("_fft_r2c", pairs=True)
def of_real(b: Call, self: SSAValue, dim: Sequence[int], normalization: int, onesided: bool) -> Found:
    """Along the last of the dims half of the results, of which the others are conjugates."""
    shape = shape_of(self)
    axes = _axes(dim, shape)
    x = Pair(*transform_of_real(b, self, axes[-1], -1))
    if not onesided:
        x = Pair(*hermitian(b, x.re, x.im, axes[-1], shape[axes[-1]]))
    x = _all(b, x, axes[:-1], -1)
    count = prod(shape[d] for d in axes)
    return Pair(_scaled(b, x.re, normalization, count), _scaled(b, x.im, normalization, count))


@converts("_fft_c2r", pairs=True)
def to_real(b: Call, self: Pair, dim: Sequence[int], normalization: int, last_dim_size: int) -> Found:
    """Along the last of the dims half of the numbers are given, of which those that are real have no imaginary part."""
    axes = _axes(dim, b.shape())
    last = axes[-1]
    x = _all(b, self, axes[:-1], 1)
    found = transform_to_real(b, x.re, real_ends(b, x.im, last, last_dim_size), last, last_dim_size, 1)
    return _scaled(b, found, normalization, prod(b.shape()[d] for d in axes))
