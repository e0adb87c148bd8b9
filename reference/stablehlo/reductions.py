"""Ops of StableHLO that combine elements by a region. Elements are combined in the order in which they lie."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from mlc.dialects.stablehlo import HloOp, ReduceOp, hlo
from mlc.reference.any_order import product_of, sum_of
from mlc.reference.execution import Array, Frame, executes
from mlc.reference.stablehlo.bodies import apply
from mlc.reference.stablehlo.moves import padded
from mlc.support.types import tensor_type


def _set(op: HloOp, frame: Frame, results: Sequence[Array]) -> None:
    for result, array in zip(op.results, results, strict=True):
        frame[result] = np.ascontiguousarray(array).reshape(array.shape)


def _split(op: HloOp, frame: Frame) -> tuple[list[Array], list[Array]]:
    count = len(op.operands) // 2
    values = [frame[v] for v in op.operands]
    return values[:count], values[count:]


@executes(ReduceOp)
def reduce(op: ReduceOp, frame: Frame) -> None:
    """From the starting values on, element by element."""
    inputs, inits = _split(op, frame)
    dims = op.ints("dimensions")
    kept = [d for d in range(inputs[0].ndim) if d not in dims]
    rows = [np.transpose(a, [*sorted(dims), *kept]).reshape((-1, *(a.shape[d] for d in kept))) for a in inputs]
    _set(op, frame, _combined(op, frame, rows, inits))


def _combined(op: HloOp, frame: Frame, rows: Sequence[Array], inits: Sequence[Array]) -> list[Array]:
    """The starting values combined with one row after the other, element by element."""
    shape = rows[0].shape[1:]

    def folded(*values: Array) -> list[Array]:
        found: list[Array] = [np.broadcast_to(i, shape) for i in inits]
        for each in zip(*values, strict=True) if all(shape) else ():
            found = apply(frame, op.body(), [*found, *each])
        return found

    def sole(values: Array) -> Array:
        return folded(values)[0]

    first = op.body().first_op
    if len(rows) == 1 and op.body().last_op is getattr(first, "next_op", None):
        if isinstance(first, hlo("add")):
            return [sum_of(sole, rows[0])]
        if isinstance(first, hlo("multiply")):
            return [product_of(sole, rows[0])]
    return folded(*rows)


@executes(hlo("reduce_window"))
def reduce_window(op: HloOp, frame: Frame) -> None:
    """All windows at once, each from the starting values on."""
    inputs, inits = _split(op, frame)
    rank, ones = inputs[0].ndim, (1,) * inputs[0].ndim
    window, strides = op.ints("window_dimensions"), op.ints("window_strides", ones)
    base, dilations = op.ints("base_dilations", ones), op.ints("window_dilations", ones)
    padding = op.pairs("padding") or ((0, 0),) * rank
    low, high = [p[0] for p in padding], [p[1] for p in padding]
    images = [padded(a, i, low, high, [b - 1 for b in base]) for a, i in zip(inputs, inits, strict=True)]
    shape = tuple(tensor_type(op.results[0]).get_shape())
    places = [
        tuple(
            slice(a * d, a * d + (n - 1) * s + 1, s) for a, d, n, s in zip(at, dilations, shape, strides, strict=True)
        )
        for at in (product(*map(range, window)) if 0 not in shape else ())
    ]
    rows = [
        np.stack([image[own] for own in places]) if places else np.empty((0, *shape), image.dtype) for image in images
    ]
    _set(op, frame, _combined(op, frame, rows, inits))


@executes(hlo("select_and_scatter"))
def select_and_scatter(op: HloOp, frame: Frame) -> None:
    """What a window selects gets the window's source, one source after the other."""
    operand, source, init = (frame[v] for v in op.operands)
    rank, ones = operand.ndim, (1,) * operand.ndim
    window, strides = op.ints("window_dimensions", ones), op.ints("window_strides", ones)
    padding = op.pairs("padding") or ((0, 0),) * rank
    low, high = [p[0] for p in padding], [p[1] for p in padding]
    flat = np.arange(operand.size).reshape(operand.shape)
    places = padded(flat, np.asarray(-1), low, high, [0] * rank)
    image = padded(operand, np.zeros((), operand.dtype), low, high, [0] * rank)
    chosen, value = np.full(source.shape, -1), np.zeros(source.shape, operand.dtype)
    for at in product(*map(range, window)) if source.size else ():
        own = tuple(slice(a, a + (n - 1) * s + 1, s) for a, n, s in zip(at, source.shape, strides, strict=True))
        new, where = image[own], places[own]
        stays = apply(frame, op.body(0), [value, new])[0].astype(bool)
        take = (where >= 0) & ((chosen < 0) | ~stays)
        chosen, value = np.where(take, where, chosen), np.where(take, new, value)
    result = np.full(operand.size, init, operand.dtype)
    for place, number in zip(chosen.ravel(), source.ravel(), strict=True):
        if place >= 0:
            result[place] = apply(frame, op.body(1), [np.asarray(result[place]), np.asarray(number)])[0]
    _set(op, frame, [result.reshape(operand.shape)])


@executes(hlo("map"))
def map_elements(op: HloOp, frame: Frame) -> None:
    """The region on each element."""
    _set(op, frame, apply(frame, op.body(), [frame[v] for v in op.operands]))


_PAIRS = 1 << 22
"""How many pairs of elements are compared at once."""


@executes(hlo("sort"))
def sort(op: HloOp, frame: Frame) -> None:
    """The place of an element is how many others are before it: those that are less, or as great and before it."""
    inputs = [frame[v] for v in op.operands]
    axis = op.number("dimension", -1) % max(inputs[0].ndim, 1)
    rows = [np.moveaxis(a, axis, -1) for a in inputs]
    length, batch = rows[0].shape[-1], rows[0].shape[:-1]
    flat = [r.reshape(-1, length) for r in rows]
    results = [np.empty_like(f) for f in flat]
    chunk = max(1, _PAIRS // max(length * length, 1))
    for first in range(0, flat[0].shape[0] if length else 0, chunk):
        part = [f[first : first + chunk] for f in flat]
        ones, twos = [p[:, :, None] for p in part], [p[:, None, :] for p in part]
        less = apply(frame, op.body(), [v for pair in zip(ones, twos, strict=True) for v in pair])[0].astype(bool)
        numbers = np.asarray(range(length), np.int64)
        before: Array = np.less(numbers[:, None], numbers[None, :])
        ahead: Array = less | (~np.swapaxes(less, 1, 2) & before)
        order = np.argsort(np.sum(ahead, 1), axis=1, kind="stable")
        for result, p in zip(results, part, strict=True):
            result[first : first + chunk] = np.take_along_axis(p, order, 1)
    _set(op, frame, [np.moveaxis(r.reshape(*batch, length), -1, axis) for r in results])
