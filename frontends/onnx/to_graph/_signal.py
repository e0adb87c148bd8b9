"""Fourier transforms: products with the matrices of their cosines and sines, in f64."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import f64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.images import surround
from mlc.frontends.operators.open_shapes import all_along, require_fixed, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import bounds, in_symbols


def transform(
    b: GraphBuilder, real: SSAValue, imaginary: SSAValue | None, length: int, kept: int, inverse: bool
) -> tuple[SSAValue, SSAValue]:
    """The first `kept` coefficients of the transform of `length` numbers along the last axis, in f64.

    Numbers that are missing are zeros, and those beyond the length are left out.
    """
    extent = shape_of(real)[-1]
    used = min(extent, length)
    angles = 2 * np.pi * (np.arange(used)[:, None] * np.arange(kept) % length) / length
    sign, scale = (1, 1 / length) if inverse else (-1, 1)
    cosines, sines = b.constant(np.cos(angles) * scale, f64), b.constant(sign * np.sin(angles) * scale, f64)

    a = _first(b, real, used)
    if imaginary is None:
        return b.matmul(a, cosines), b.matmul(a, sines)
    c = _first(b, imaginary, used)
    return (
        b.sub(b.matmul(a, cosines), b.matmul(c, sines)),
        b.add(b.matmul(a, sines), b.matmul(c, cosines)),
    )


def _first(b: GraphBuilder, value: SSAValue, count: int) -> SSAValue:
    """The first numbers of each row, in f64."""
    return b.slice(b.cast(value, f64), len(shape_of(value)) - 1, 0, count)


def _parts(b: GraphBuilder, x: SSAValue, axis: int) -> tuple[SSAValue, SSAValue | None, list[int]]:
    """The real and the imaginary part, with `axis` last, and where the dims came from."""
    rank = len(shape_of(x)) - 1
    order = [i for i in range(rank) if i != axis] + [axis]

    def part(i: int) -> SSAValue:
        taken = b.slice(x, rank, i, i + 1)
        return b.transpose(b.reshape(taken, shape_of(x)[:-1]), order)

    pair = shape_of(x)[-1]
    if pair not in (1, 2):
        raise Unconvertible(f"the last dim has {pair} elements; it holds a real number or a complex one")
    return part(0), part(1) if pair == 2 else None, order


@converts("DFT", bounded=True, rounds_once=True)
def dft(b: Node) -> Results:
    """Along an axis, an attribute before version 20."""
    x, rank = b[0], b.rank()
    named = b.int("axis", 1) if b.since < 20 else int(b.known(2)) if b.has(2) else -2
    axis = axis_of(named, rank)
    if axis == rank - 1:
        raise Unconvertible("the axis is the last one, which holds the parts of a number")
    require_fixed(b, x, "what is transformed", [axis, rank - 1])
    inverse, onesided = b.flag("inverse"), b.flag("onesided")
    real, imaginary, order = _parts(b, x, axis)
    length = int(b.known(1)) if b.has(1) else shape_of(x)[axis]
    if onesided and inverse:
        return _real_inverse(b, real, imaginary, length if b.has(1) else 2 * (length - 1), order, element_of(x))
    kept = length // 2 + 1 if onesided else length
    results = transform(b, real, imaginary, length, kept, inverse)
    parts = [b.cast(b.untranspose(value, order), element_of(x)) for value in results]
    return b.concat([b.reshape(part, (*shape_of(part), 1)) for part in parts], len(order))


def _real_inverse(
    b: GraphBuilder, real: SSAValue, imaginary: SSAValue | None, length: int, order: list[int], element: Attribute
) -> SSAValue:
    """The real numbers of which one side of the transform is given: the other side is its conjugate."""
    used = min(shape_of(real)[-1], length // 2 + 1)
    weights = np.full((used, 1), 2 / length)
    weights[0] = 1 / length
    if length % 2 == 0 and used == length // 2 + 1:
        weights[-1] = 1 / length
    angles = 2 * np.pi * (np.arange(used)[:, None] * np.arange(length) % length) / length
    total = b.matmul(_first(b, real, used), b.constant(np.cos(angles) * weights, f64))
    if imaginary is not None:
        total = b.sub(total, b.matmul(_first(b, imaginary, used), b.constant(np.sin(angles) * weights, f64)))
    found = b.cast(b.untranspose(total, order), element)
    return b.reshape(found, (*shape_of(found), 1))


@converts("STFT", bounded=True, rounds_once=True)
def stft(b: Node) -> Results:
    """Transforms of frames of a signal, each weighted by a window."""
    x, step = b[0], int(b.known(1))
    window = b.optional(2)
    length = int(b.known(3)) if b.has(3) else shape_of(window)[0] if window is not None else 0
    if step < 1 or length < 1:
        raise Unconvertible(f"frames of {length} elements, {step} apart")
    if b.rank() == 2:
        x = b.reshape(x, (*b.shape(), 1))
    size = shape_sizes(b, x)[1]
    if bounds(size)[0] < length:
        raise Unconvertible(f"a signal of {in_symbols(size)} elements has no frame of {length}")
    actual = (size - length) // step + 1
    batch, count, pair = shape_of(x)[0], bounds(actual)[1], shape_of(x)[2]
    places = np.arange(count)[:, None] * step + np.arange(length)
    framed = b(graph.GatherOp, all_along(b, x, [1]), b.constant(places.astype(np.int64)), 1)
    framed = b.sized(framed, {1: actual})
    if window is not None:
        centred = surround(b, window, [(length - shape_of(window)[0]) // 2], [0], 0)
        centred = surround(b, centred, [0], [length - shape_of(centred)[0]], 0)
        framed = b.mul(framed, b.reshape(centred, (length, 1)))
    parts = [b.reshape(b.slice(framed, 3, i, i + 1), (batch, count, length)) for i in range(pair)]
    kept = length // 2 + 1 if b.flag("onesided") else length
    results = transform(b, parts[0], parts[1] if pair == 2 else None, length, kept, inverse=False)
    found = [b.cast(b.reshape(value, (*shape_of(value), 1)), element_of(x)) for value in results]
    return b.concat(found, 3)
