"""Weights as integers of 4 or 8 bits, with a scale for each group of rows of a column."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlc.compiler.model_inputs import Array
from mlc.support.dtypes import dtype_named
from mlc.support.errors import UserError

BITS = (4, 8)
GROUPS = (32, 64, 128)
"""How many rows may share a scale."""
WEIGHT_METHODS = ("minmax", "mse")
"""How the range of a group is chosen: all its numbers, which are rounded to the nearest; or the least square error."""
_TRIED = np.linspace(1.0, 0.4, 61)
"""The parts of the range of a group that `mse` tries."""


@dataclass(frozen=True)
class WeightFormat:
    """How weights become integers.

    Attributes:
        bits: 4 or 8.
        group: how many rows share a scale; None for all rows of a column.
        symmetric: whether zero points are 0.
        method: one of `WEIGHT_METHODS`.
        dynamic: whether inputs are rounded when they come, to i8 with a scale for each row and group.
    """

    bits: int
    group: int | None = None
    symmetric: bool = False
    method: str = "minmax"
    dynamic: bool = False

    def __post_init__(self) -> None:
        """Raises: UserError if there is no such format."""
        if self.bits not in BITS:
            raise UserError(f"weights have {self.bits} bits; required: {' or '.join(map(str, BITS))}")
        if self.group not in (None, *GROUPS):
            groups = ", ".join(map(str, GROUPS))
            raise UserError(f"groups have {self.group} rows; required: one of {groups}, or none for whole columns")
        if self.dynamic and self.group is None:
            raise UserError("inputs are rounded in groups, and there are none; required: how many rows share a scale")
        if self.method not in WEIGHT_METHODS:
            found = f"calibration is '{self.method}'"
            raise UserError(f"{found}; required for weights alone: {' or '.join(WEIGHT_METHODS)}")

    @property
    def element(self) -> str:
        """The integers: those of 4 bits have a byte each in a file, and half of one in an artifact."""
        return f"{'' if self.symmetric else 'u'}int{self.bits}"

    @property
    def precision(self) -> str:
        """What `mlc.precision` says of a product."""
        return f"i{self.bits} weights{', i8 inputs' if self.dynamic else ''}"


@dataclass(frozen=True)
class GroupedWeights:
    """A matrix `[k, n]` in groups: `(integers - zero) * scale`.

    Attributes:
        integers: `[g, group, n]`; the last group is filled up with its zero points.
        scale: of f32, `[g, 1, n]`.
        zero: of the type of the integers, likewise.
    """

    integers: Array
    scale: Array
    zero: Array


def grouped_weights(weights: Array, how: WeightFormat) -> GroupedWeights:
    """A matrix `[k, n]` of finite floats as integers.

    Integers are the nearest ones. `mse` tries smaller ranges for each group, whose integers are finer but for numbers
    outside, and takes the one with the least sum of squares of errors (Choukroun, Kravchik, Yang and Kisilev, "Low-bit
    Quantization of Neural Networks for Efficient Inference", 2019).
    """
    k, n = weights.shape
    group = max(min(how.group or k, k), 1)
    missing = -k % group
    split = np.pad(weights.astype(np.float64), [(0, missing), (0, 0)], mode="edge").reshape(-1, group, n)
    low, high = (np.minimum(split.min(1, keepdims=True), 0), np.maximum(split.max(1, keepdims=True), 0))
    best = _rounded(split, low, high, how)
    if how.method == "mse":
        least = _errors(split, best)
        for part in _TRIED[1:]:
            tried = _rounded(split, low * part, high * part, how)
            errors = _errors(split, tried)
            better = errors < least
            least = np.where(better, errors, least)
            best = GroupedWeights(*(np.where(better, a, b) for a, b in zip(_parts(tried), _parts(best), strict=True)))
    integers = best.integers
    if missing:
        integers[-1, group - missing :] = best.zero[-1]
    dtype = dtype_named(how.element)
    return GroupedWeights(integers.astype(dtype), best.scale, best.zero.astype(dtype))


def _parts(weights: GroupedWeights) -> tuple[Array, Array, Array]:
    return weights.integers, weights.scale, weights.zero


def _rounded(split: Array, low: Array, high: Array, how: WeightFormat) -> GroupedWeights:
    """The nearest integers of a range, which holds 0; as i16."""
    most = (1 << how.bits) - 1
    least = -(1 << how.bits - 1) if how.symmetric else 0
    step = np.maximum(-low, high) / (most // 2) if how.symmetric else (high - low) / most
    tiny = float(np.finfo(np.float32).smallest_normal)
    scale = np.where(step == 0, 1.0, np.maximum(step, tiny)).astype(np.float32)
    zero = np.zeros_like(low) if how.symmetric else np.clip(np.rint(-low / scale), 0, most)
    integers = np.clip(np.rint(split / scale) + zero, least, least + most)
    return GroupedWeights(integers.astype(np.int16), scale, zero.astype(np.int16))


def _errors(split: Array, found: GroupedWeights) -> Array:
    """The sum of the squares of what the numbers of each group are off."""
    return np.sum(((found.integers - found.zero) * found.scale.astype(np.float64) - split) ** 2, 1, keepdims=True)
