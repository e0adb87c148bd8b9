"""Random numbers of a distribution, in graph ops: what patterns of frontends write around `graph.philox`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import pi, prod
from typing import Any, Protocol

import numpy as np
from xdsl.dialects.builtin import bf16, f16, f32, f64, i32, i64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.support.dtypes import SHORT_FLOATS, computing_type, unsigned

_WORD, _PAIR = unsigned(i32), unsigned(i64)
_SPELLED = 4096
"""Up to how many places are one constant; those of more are a sum of a number for each axis."""
_LONG = 1 << 16
"""Axes longer than this have their places computed from two shorter ones."""
_PART = 1 << 10
_DIGITS: dict[Attribute, int] = {bf16: 8, f16: 11, f32: 24, f64: 53}
"""Of the fractions of floats, the leading 1 included."""


class GraphWriter(Protocol):
    """What writes graph ops and constants."""

    def __call__(self, op_type: type[graph.GraphOp], *arguments: Any, **options: Any) -> SSAValue:
        """The result of a new op."""
        ...

    def constant(self, data: Any, element: Attribute | None = None) -> SSAValue:
        """A constant with these numbers."""
        ...


@dataclass(frozen=True)
class Stream:
    """A stream of random bits (see `graph.philox`), whose elements are laid out over the points of tensors.

    Two tensors from one stream have the same bits: what should differ needs another key, or another `high`.

    Attributes:
        key, low, high: numbers, or values of type `ui64` that broadcast to the shapes that are asked for.
    """

    b: GraphWriter
    key: int | SSAValue
    low: int | SSAValue = 0
    high: int | SSAValue = 0

    def bits(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """Uniform bits, of `ui32` or `ui64`: element `i`, counted in row-major order, is the `i`-th of the stream."""
        return self._at(places(self.b, shape), element)

    def uniform(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """Floats from [0, 1): as many of the top bits as a float has digits, so that each is exact and none is 1."""
        bits = self.bits(shape, _PAIR if element == f64 else _WORD)
        return _fraction(self.b, bits, _DIGITS[element], element)

    def normal(self, shape: Sequence[int], element: Attribute) -> SSAValue:
        """Floats of mean 0 and variance 1, by one half of Box and Muller's transform (1958).

        `sqrt(-2 log u) cos t` is exact for a uniform `u` in (0, 1] and a uniform angle, and takes ops that are there;
        the inverse of the distribution function would take a polynomial for each type of float. The cost is a second
        number of the stream. Floats of 16 bits are computed as `f32`. With 32 bits for `u` no `f32` is beyond 6.7,
        with 53 no `f64` is beyond 8.6.
        """
        b = self.b
        if element in SHORT_FLOATS:
            return b(graph.CastOp, self.normal(shape, f32), element)
        if element == f64:
            first = _times(b, places(b, shape), 2)
            other = b(graph.AddOp, first, _number(b, 1, first))
            u = _fraction(b, self._at(first, _PAIR), 53, f64)
            u = b(graph.AddOp, u, _number(b, 2.0**-54, u))
            angle = b(graph.BitcastOp, self._at(other, _PAIR), i64)
        else:
            pair = self.bits(shape, _PAIR)
            upper = b(graph.CastOp, b(graph.ShrOp, pair, _number(b, 32, pair)), _WORD)
            u = _times(b, b(graph.CastOp, upper, f32), 2.0**-32)
            u = b(graph.AddOp, u, _number(b, 2.0**-33, u))
            angle = b(graph.BitcastOp, b(graph.CastOp, pair, _WORD), i32)
        width = 63 if element == f64 else 31
        turned = b(graph.CosOp, _times(b, b(graph.CastOp, angle, element), pi * 2.0**-width))
        return b(graph.MulOp, b(graph.SqrtOp, _times(b, b(graph.LogOp, u), -2.0)), turned)

    def bernoulli(self, probability: SSAValue, shape: Sequence[int] | None = None) -> SSAValue:
        """Truth values that hold with these probabilities, of the shape of those unless another is given.

        They hold nowhere for 0, and everywhere for 1.
        """
        element = element_of(probability)
        kind = computing_type(element)
        p = probability if kind == element else self.b(graph.CastOp, probability, kind)
        return self.b(graph.CompareOp, "lt", self.uniform(shape_of(p) if shape is None else shape, kind), p)

    def _at(self, where: SSAValue, element: Attribute) -> SSAValue:
        operands = [v if isinstance(v, SSAValue) else _pair(self.b, v) for v in (self.key, self.low, self.high)]
        return self.b(graph.PhiloxOp, where, *operands, element_type=element)


def places(b: GraphWriter, shape: Sequence[int]) -> SSAValue:
    """The number of each point of a shape in row-major order, as `ui64`.

    They are sums of constants as long as one axis, so that a model does not hold a number for each point.
    """
    if prod(shape) <= _SPELLED:
        return _pair(b, np.arange(prod(shape), dtype=np.uint64).reshape(tuple(shape)))
    longest = max(range(len(shape)), key=lambda axis: shape[axis])
    total: SSAValue | None = None
    for axis, extent in enumerate(shape):
        if extent == 1 and axis != longest:
            continue
        own = [extent if i == axis else 1 for i in range(len(shape))]
        numbers = _along(b, extent, prod(shape[axis + 1 :]), own)
        total = numbers if total is None else b(graph.AddOp, total, numbers)
    assert total is not None
    return total


def _along(b: GraphWriter, extent: int, stride: int, shape: Sequence[int]) -> SSAValue:
    """`0, stride, 2 * stride, …` under a shape."""
    if extent <= _LONG:
        return _pair(b, (np.arange(extent, dtype=np.uint64) * np.uint64(stride)).reshape(tuple(shape)))
    parts = -(-extent // _PART)
    outer = _along(b, parts, stride * _PART, (parts, 1))
    together = b(graph.ReshapeOp, b(graph.AddOp, outer, _along(b, _PART, stride, (_PART,))), (parts * _PART,))
    if parts * _PART > extent:
        together = b(graph.SliceOp, together, [0], [extent], [1])
    return together if tuple(shape) == (extent,) else b(graph.ReshapeOp, together, tuple(shape))


def _fraction(b: GraphWriter, bits: SSAValue, digits: int, element: Attribute) -> SSAValue:
    """The top bits as a float in [0, 1)."""
    width = 64 if element_of(bits) == _PAIR else 32
    top = b(graph.ShrOp, bits, _number(b, width - digits, bits))
    return _times(b, b(graph.CastOp, top, element), 2.0**-digits)


def _times(b: GraphWriter, value: SSAValue, number: float) -> SSAValue:
    return b(graph.MulOp, value, _number(b, number, value))


def _number(b: GraphWriter, number: float, like: SSAValue) -> SSAValue:
    return b.constant(np.asarray(number), element_of(like))


def _pair(b: GraphWriter, data: Any) -> SSAValue:
    return b.constant(np.asarray(data, np.uint64), _PAIR)
