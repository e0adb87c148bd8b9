"""Arithmetic of tensors whose elements are real numbers or complex ones, for algorithms that are the same for both.

A real tensor is a value, a complex one a pair of values. Where one operand is a pair, a real one has no imaginary part.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Complex, Pair, RealOrPair, each_part
from mlc.frontends.operators.graph_builder import GraphBuilder


def real_part(x: RealOrPair) -> SSAValue:
    """The real parts; a real tensor itself."""
    return x.re if isinstance(x, Pair) else x


def extents_of(x: RealOrPair) -> tuple[int, ...]:
    """The shape of either."""
    return shape_of(real_part(x))


def add(b: GraphBuilder, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """`x + y`."""
    return _of_two(b, x, y, b.add, Complex.add)


def sub(b: GraphBuilder, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """`x - y`."""
    return _of_two(b, x, y, b.sub, Complex.sub)


def mul(b: GraphBuilder, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """`x * y`; two products of parts if one of both is real."""
    return bilinear(b, x, y, b.mul)


def div(b: GraphBuilder, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """`x / y`; of both parts if `y` is real."""
    if isinstance(y, Pair):
        return Complex(b).div(as_pair(b, x), y)
    return each_part(x, lambda v: b.div(v, y))


def matmul(b: GraphBuilder, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """Products of stacks of matrices."""
    return bilinear(b, x, y, b.matmul)


def bilinear(
    b: GraphBuilder, x: RealOrPair, y: RealOrPair, product: Callable[[SSAValue, SSAValue], SSAValue]
) -> RealOrPair:
    """What is linear in both operands, given how it is of real ones: four products of parts, two if one is real."""
    if not isinstance(x, Pair):
        return each_part(y, lambda v: product(x, v))
    if not isinstance(y, Pair):
        return each_part(x, lambda v: product(v, y))
    re = b.sub(product(x.re, y.re), product(x.im, y.im))
    return Pair(re, b.add(product(x.re, y.im), product(x.im, y.re)))


def where(b: GraphBuilder, condition: SSAValue, x: RealOrPair, y: RealOrPair) -> RealOrPair:
    """`x` where a condition holds, else `y`."""

    def of_pairs(_: Complex, x: Pair, y: Pair) -> Pair:
        return Pair(b.where(condition, x.re, y.re), b.where(condition, x.im, y.im))

    return _of_two(b, x, y, lambda x, y: b.where(condition, x, y), of_pairs)


def conjugate(b: GraphBuilder, x: RealOrPair) -> RealOrPair:
    """With the other sign of imaginary parts; a real tensor itself."""
    return Complex(b).conjugate(x) if isinstance(x, Pair) else x


def size(b: GraphBuilder, x: RealOrPair) -> SSAValue:
    """The sizes by which LAPACK compares numbers, `|re| + |im|`, which are 0 for 0 only."""
    if isinstance(x, Pair):
        return b.add(b(graph.AbsOp, x.re), b(graph.AbsOp, x.im))
    return b(graph.AbsOp, x)


def is_zero(b: GraphBuilder, x: RealOrPair) -> SSAValue:
    """Whether elements are 0."""
    found = size(b, x) if isinstance(x, Pair) else x
    return b.compare("eq", found, b.number(0.0, found))


def squares(b: GraphBuilder, x: RealOrPair) -> SSAValue:
    """`x conj(x)`."""
    if isinstance(x, Pair):
        return b.add(b.mul(x.re, x.re), b.mul(x.im, x.im))
    return b.mul(x, x)


def as_pair(b: GraphBuilder, x: RealOrPair) -> Pair:
    """A complex tensor, of a real one with imaginary parts of 0."""
    return x if isinstance(x, Pair) else Pair(x, b.splat(0, shape_of(x), element_of(x)))


def zeros(b: GraphBuilder, like: RealOrPair, shape: Sequence[int]) -> RealOrPair:
    """Zeros, complex where `like` is."""
    zero = b.splat(0, shape, element_of(real_part(like)))
    return Pair(zero, zero) if isinstance(like, Pair) else zero


def number(b: GraphBuilder, value: float, like: RealOrPair) -> SSAValue:
    """A real number of the element type of `like`, of rank 0."""
    return b.number(value, real_part(like))


def reshaped(b: GraphBuilder, x: RealOrPair, shape: Sequence[int]) -> RealOrPair:
    """The elements under another shape."""
    return each_part(x, lambda v: b.reshape(v, shape))


def product(b: GraphBuilder, x: RealOrPair, axis: int, keepdims: bool = False) -> RealOrPair:
    """The product along an axis; of complex numbers one half times the other until one is left."""
    if not isinstance(x, Pair):
        return b.reduce("prod", x, [axis], keepdims)
    shape = shape_of(x.re)
    if shape[axis] == 0:
        shape = (*shape[:axis], 1, *shape[axis + 1 :])
        one = b.splat(1, shape, element_of(x.re))
        x = Pair(one, b.mul(one, b.number(0, one)))
    while (count := shape_of(x.re)[axis]) > 1:
        half = count // 2
        first, second, rest = (_slice(b, x, axis, *ends) for ends in ((0, half), (half, 2 * half), (2 * half, count)))
        x = Complex(b).mul(first, second)
        if count % 2:
            x = Pair(b.concat([x.re, rest.re], axis), b.concat([x.im, rest.im], axis))
    return x if keepdims else Pair(b.squeeze(x.re, [axis]), b.squeeze(x.im, [axis]))


def running_product(b: GraphBuilder, x: Pair, axis: int) -> Pair:
    """Products of all elements up to each along an axis, by distances that double (Hillis and Steele, Data parallel
    algorithms, 1986)."""
    count, distance = shape_of(x.re)[axis], 1
    while distance < count:
        first, second = _slice(b, x, axis, 0, distance), _slice(b, x, axis, distance, count)
        moved = Complex(b).mul(second, _slice(b, x, axis, 0, count - distance))
        x = Pair(b.concat([first.re, moved.re], axis), b.concat([first.im, moved.im], axis))
        distance *= 2
    return x


def _slice(b: GraphBuilder, x: Pair, axis: int, start: int, end: int) -> Pair:
    return Pair(b.slice(x.re, axis, start, end), b.slice(x.im, axis, start, end))


def _of_two(
    b: GraphBuilder,
    x: RealOrPair,
    y: RealOrPair,
    real: Callable[[SSAValue, SSAValue], SSAValue],
    of_pairs: Callable[[Complex, Pair, Pair], Pair],
) -> RealOrPair:
    if isinstance(x, Pair) or isinstance(y, Pair):
        return of_pairs(Complex(b), as_pair(b, x), as_pair(b, y))
    return real(x, y)
