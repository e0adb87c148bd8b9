"""Constant factors of products as short integers, with a scale and an offset for each group of rows."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, i8
from xdsl.ir import Attribute, SSAValue

from mlc.dialects.graph import CastOp, ConstantOp, DequantizeOp, MoveOp, MulOp, SubOp
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.loop.dot import ui8
from mlc.dialects.loop.unpack import LEAST, MOST, PER_WORD
from mlc.passes.graph._constants import constant_array
from mlc.passes.graph._integer_factors import known_array
from mlc.reference.folding import computed
from mlc.support.resources import Resources
from mlc.support.types import integer_width

Array = NDArray[Any]
ELEMENTS: dict[str, Attribute] = {"int8": i8, "uint8": ui8, "float32": f32}
"""The element types of weights, scales and offsets, by the names of dtypes."""
LEAST_GROUP = 16
"""Groups of fewer rows have scales that take as much memory as the weights."""
_MOST_NESTED = 12
"""How many ops may stand between a constant and the product."""


@dataclass(frozen=True)
class Quantized:
    """A constant `(integers - zero) * scale`: arrays that broadcast with each other, the scale of f32."""

    integers: Array
    scale: Array
    zero: Array


@dataclass(frozen=True)
class ShortWeights:
    """A matrix `[k, n]` as `(integers - offset) * scale`, where groups of rows share a scale and an offset.

    Attributes:
        integers: of i8 or ui8, `[groups * group, n]`; rows after the matrix are 0, and are to be multiplied with 0.
        scale: of f32, `[groups, n]`.
        offset: of i8, ui8 or f32, likewise; None if it is 0.
        group: how many rows there are in a group.
    """

    integers: Array
    scale: Array
    offset: Array | None
    group: int

    def column_sums(self, rows: int) -> Array:
        """The sums of columns of the matrix, which has so many rows: of f32, `[n]`."""
        groups, columns = self.scale.shape
        counts = np.array([min(self.group, rows - self.group * each) for each in range(groups)])
        sums: Array = self.integers.reshape(groups, self.group, columns).sum(1, np.int64).astype(np.float64)
        if self.offset is not None:
            sums -= counts[:, None] * self.offset.astype(np.float64)
        return (sums * self.scale).sum(0).astype(np.float32)


def quantized_of(value: SSAValue, resources: Resources, most: int = _MOST_NESTED) -> Quantized | None:
    """What a value computed from constants is, if it is integers of up to 8 bits that are dequantised and moved.

    Proof: ops that move elements move integers, scales and zero points alike.
    """
    owner = value.owner
    if not most:
        return None
    if isinstance(owner, DequantizeOp) and element_of(owner.scale) == f32:
        arrays = [known_array(v, resources) for v in owner.operands]
        if any(array is None for array in arrays):
            return None
        integers, scale, zero = (np.asarray(array) for array in arrays)
        return Quantized(integers, scale, zero) if _is_short(owner.input) else None
    if isinstance(owner, CastOp) and element_of(value) == f32 and isinstance(owner.input.owner, ConstantOp):
        integers = constant_array(owner.input.owner, resources)
        if integers is None or not _is_short(owner.input):
            return None
        return Quantized(integers, np.ones((), np.float32), np.zeros((), np.float32))
    if isinstance(owner, SubOp | MulOp):
        inner, other = quantized_of(owner.lhs, resources, most - 1), known_array(owner.rhs, resources)
        if inner is None or other is None or inner.scale.shape or inner.scale != 1:
            return None
        if isinstance(owner, MulOp):
            return Quantized(inner.integers, other, inner.zero)
        return None if inner.zero.any() else Quantized(inner.integers, inner.scale, other)
    if isinstance(owner, MoveOp) and (inner := quantized_of(owner.input, resources, most - 1)) is not None:
        shape = shape_of(owner.input)
        moved = (computed(owner, [np.broadcast_to(a, shape)]) for a in (inner.integers, inner.scale, inner.zero))
        return Quantized(*moved)
    return None


def _is_short(integers: SSAValue) -> bool:
    """Whether elements are integers of 2 to 8 bits."""
    return 1 < (integer_width(element_of(integers)) or 0) <= 8


def short_weights(
    found: Quantized, shape: tuple[int, int], within: int = 0, element: type[np.integer[Any]] | None = None
) -> ShortWeights | str:
    """A constant of a shape as short weights; else why it is none, in words.

    For products of integers, groups have the size `within`, and integers are of the type `element`: those of up to four
    bits from 0 to 15, whose bits are those of bytes with and without a sign.

    Scales and zero points are the same within each group by comparison of all numbers. A matrix that is not a multiple
    of groups gets rows of 0, for columns of 0 that the other factor gets. Sums of groups, scaled once, are those of
    scaled products but for rounding if no weight overflows.
    """
    k, _ = shape
    widest = np.abs(found.zero.astype(np.float64)).max() + 255
    if not widest * np.abs(found.scale.astype(np.float64)).max() <= np.finfo(np.float32).max:  # NaN is not, either
        return "a scale is not finite, or a weight overflows"
    integers = np.broadcast_to(found.integers, shape).astype(np.int16)
    fits_four = fit_four_bits(int(integers.min()), int(integers.max()))
    scale, zero = (np.broadcast_to(array, shape) for array in (found.scale, found.zero))
    group = gcd(_period(scale), _period(zero), within) or (-(-k // PER_WORD) * PER_WORD if fits_four else k)
    if within and group != within:
        return f"groups of {group} rows share a scale, and those of the first factor are {within}"
    if group < min(LEAST_GROUP, k):
        return f"groups of {group} rows share a scale; required: at least {LEAST_GROUP}"
    scale, zero = (array[::group].astype(np.float32) for array in (scale, zero))
    if element is None:
        moved, offset = _centred(integers, zero, group, fits_four)
    else:
        moved, offset = counted_from_least(integers, zero, element)
    groups, columns = scale.shape
    padded = np.zeros((groups * group, columns), moved.dtype)
    padded[:k] = moved
    return ShortWeights(padded, scale, offset, group)


def _period(array: Array) -> int:
    """The largest size of groups of rows within which all rows are equal; 0 if all rows are."""
    if not array.strides[0]:
        return 0
    changes = np.flatnonzero((array[1:] != array[:-1]).any(axis=1)) + 1
    return gcd(*(int(at) for at in changes)) if changes.size else 0


def _centred(integers: Array, zero: Array, group: int, fits_four: bool) -> tuple[Array, Array | None]:
    """Integers of i8, of four bits if they can be, and what is still to be subtracted: None for nothing."""
    low, high = int(integers.min()), int(integers.max())
    if (zero == np.rint(zero)).all() and np.abs(zero).max() <= 255:
        whole = zero.astype(np.int16)
        is_one = (whole == whole.flat[0]).all()
        moved = integers - (whole.flat[0] if is_one else np.repeat(whole, group, 0)[: len(integers)])
        limits = (LEAST, MOST) if fits_four else (-128, 127)
        if limits[0] <= moved.min() and moved.max() <= limits[1]:
            return moved.astype(np.int8), None
    centre = low - LEAST if fits_four else (0 if low >= -128 and high <= 127 else 128)
    offset = zero - np.float32(centre)
    is_short = (offset == np.rint(offset)).all() and offset.min() >= -128 and offset.max() <= 127
    return (integers - centre).astype(np.int8), offset.astype(np.int8) if is_short else offset


def fit_four_bits(low: int, high: int) -> bool:
    """Whether integers from `low` to `high` have four bits where they are counted from the least one."""
    return high - low <= MOST - LEAST


def counted_from_least(integers: Array, zero: Array, element: type[np.integer[Any]]) -> tuple[Array, Array | None]:
    """Integers of a type, the least of them 0 where that makes them ones of up to four bits, and what is subtracted."""
    low, high = int(integers.min()), int(integers.max())
    least, most = np.iinfo(element).min, np.iinfo(element).max
    shift = low if fit_four_bits(low, high) or low < least else max(high - most, 0)
    offset = zero - np.float32(shift)
    moved = (integers - shift).astype(element)
    whole = (np.rint(offset) == offset).all()
    for kind in (np.int8, np.uint8):
        if whole and np.iinfo(kind).min <= offset.min() and offset.max() <= np.iinfo(kind).max:
            offset = offset.astype(kind)
            break
    if (offset == offset.flat[0]).all():
        offset = np.broadcast_to(offset.flat[0], offset.shape)
    return moved, offset if offset.any() else None
