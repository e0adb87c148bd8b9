"""Images made larger or smaller: along each axis, sums of a few neighbours with constant weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import ceil, floor

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.weighted_rows import cubic_weight, linear_weight, weighted_rows

_TIE = 1e-6
"""How far a place may be from the middle of two pixels and counts as it, as in ONNX Runtime: places are rounded."""
_MOST_PLACES = 1 << 24
"""Above this f32 does not tell one place from the next."""


@dataclass
class _Resizing:
    """How places of the result are places of the operand, in the words of the attributes."""

    mode: str
    places: str = "asymmetric"
    nearest: str = "floor"
    cubic: float = -0.75
    excludes: bool = False
    smooths: bool = False
    outside: float = 0.0
    regions: dict[int, tuple[float, float]] = field(default_factory=dict[int, tuple[float, float]])
    """Where `tf_crop_and_resize` cuts each axis."""

    def place(self, at: int, axis: int, before: int, after: int, scale: np.float32) -> float | np.float32:
        """The place in an extent of `before` of the element `at` in one of `after`.

        It is computed in f32, as scales are, step by step as ONNX Runtime does: which of two neighbours is the nearest
        depends on it. Where a scale gives no whole number, what formulas call the new extent is `scale * before`, not
        `after`.
        """
        is_whole = np.float32(after) / np.float32(before) == scale
        real = np.float32(after) if is_whole else scale * before
        match self.places:
            case "asymmetric":
                return at / scale
            case "half_pixel":
                return (at + 0.5) / scale - 0.5
            case "half_pixel_symmetric":
                moved = np.float32(before) / 2 * (1 - after / (scale * before))
                return np.float32(float(moved) + (at + 0.5) / float(scale) - 0.5)
            case "pytorch_half_pixel":
                return (at + 0.5) / scale - 0.5 if real > 1 else 0.0
            case "tf_half_pixel_for_nn":
                return (at + 0.5) / scale
            case "align_corners":
                return at * (before - 1) / (real - 1) if real != 1 else 0.0
            case "tf_crop_and_resize":
                first, last = self.regions.get(axis, (0.0, 1.0))
                if real > 1:
                    return first * (before - 1) + at * (last - first) * (before - 1) / (real - 1)
                return 0.5 * (first + last) * (before - 1)
            case _:
                raise Unconvertible(f"places are '{self.places}', which mlc does not know")

    def row(self, place: float, before: int, scale: float) -> dict[int, float]:
        """The weights of the operand's elements for a place between them."""
        if self.mode == "nearest":
            low = floor(place)
            is_tie = abs(place - low - 0.5) <= _TIE
            rounded = {
                "floor": low,
                "ceil": ceil(place),
                "round_prefer_floor": low if is_tie else floor(place + 0.5),
                "round_prefer_ceil": low + 1 if is_tie else floor(place + 0.5),
            }
            if self.nearest not in rounded:
                raise Unconvertible(f"nearest_mode is '{self.nearest}', which mlc does not know")
            return {min(max(rounded[self.nearest], 0), before - 1): 1.0}
        base = ceil(place) - 1
        stretch = min(scale, 1.0) if self.smooths else 1.0
        reach = 1 if self.mode == "linear" else 2
        first = floor(-reach / stretch) + 1
        weights = {base + i: self._weight(abs(i - (place - base)) * stretch) for i in range(first, 2 - first)}
        if self.excludes:
            weights = {i: w for i, w in weights.items() if 0 <= i < before}
        total = sum(weights.values()) if self.excludes or self.smooths else 1.0
        result: dict[int, float] = {}
        for i, w in weights.items():
            inside = min(max(i, 0), before - 1)
            result[inside] = result.get(inside, 0.0) + w / total
        return {i: w for i, w in result.items() if w} or {min(max(base, 0), before - 1): 0.0}

    def _weight(self, distance: float) -> float:
        return linear_weight(distance) if self.mode == "linear" else cubic_weight(distance, self.cubic)


def _resize(b: GraphBuilder, x: SSAValue, axis: int, after: int, scale: float, how: _Resizing) -> SSAValue:
    """One axis brought to an extent of `after`."""
    before = shape_of(x)[axis]
    places = [float(how.place(i, axis, before, after, np.float32(scale))) for i in range(after)]
    crops = how.places == "tf_crop_and_resize"
    outside = np.asarray([crops and not 0 <= place <= before - 1 for place in places])
    rows = [how.row(place, before, scale) for place in places]
    result = weighted_rows(b, x, axis, rows)
    if not outside.any():
        return result
    mask = outside.reshape([-1 if i == axis else 1 for i in range(len(shape_of(x)))])
    return b.where(b.constant(mask), b.number(how.outside, x), result)


@converts("Resize", rounds_once=lambda b: _mode(b) != "nearest")
def resize(b: Node) -> Results:
    """To sizes, or by scales, of some axes. Version 10 knows scales and one way to choose places."""
    if b.since < 11:
        how = _Resizing(_mode(b))
        return _by_scales(b, b[0], list(range(b.rank())), [float(s) for s in b.known(1)], how)
    how = _Resizing(
        _mode(b),
        b.string("coordinate_transformation_mode", "half_pixel"),
        b.string("nearest_mode", "round_prefer_floor"),
        b.float("cubic_coeff_a", -0.75),
        b.flag("exclude_outside"),
        b.flag("antialias"),
        b.float("extrapolation_value"),
    )
    axes = [axis_of(a, b.rank()) for a in b.ints("axes") or range(b.rank())]
    if how.places == "tf_crop_and_resize":
        roi = [float(n) for n in b.known(1)]
        how.regions = {axis: (roi[i], roi[i + len(axes)]) for i, axis in enumerate(axes)}
    if b.has(2) and b.shape(2) != (0,):
        return _by_scales(b, b[0], axes, [float(s) for s in b.known(2)], how)
    return _by_sizes(b, axes, b.known_ints(3), how)


@converts("Upsample", rounds_once=lambda b: _mode(b) != "nearest")
def upsample(b: Node) -> Results:
    """By scales, an attribute before version 9."""
    scales = b.attribute("scales") or [float(s) for s in b.known(1)]
    return _by_scales(b, b[0], list(range(b.rank())), scales, _Resizing(_mode(b)))


def _mode(b: Node) -> str:
    mode = {"bilinear": "linear"}.get(word := b.string("mode", "nearest"), word)
    if mode not in ("nearest", "linear", "cubic"):
        raise Unconvertible(f"mode is '{mode}'; mlc knows nearest, linear and cubic")
    return mode


def _by_scales(b: GraphBuilder, x: SSAValue, axes: list[int], scales: list[float], how: _Resizing) -> SSAValue:
    if len(scales) != len(axes) or min(scales, default=1) <= 0:
        raise Unconvertible(f"scales {scales} do not fit {len(axes)} axes")
    sizes = [floor(shape_of(x)[axis] * np.float32(scale)) for axis, scale in zip(axes, scales, strict=True)]
    return _all_axes(b, x, axes, sizes, scales, how)


def _by_sizes(b: Node, axes: list[int], sizes: list[int], how: _Resizing) -> SSAValue:
    if len(sizes) != len(axes) or min(sizes, default=0) < 0:
        raise Unconvertible(f"sizes {sizes} do not fit {len(axes)} axes")
    extents = [b.shape()[axis] for axis in axes]
    scales = [size / extent for size, extent in zip(sizes, extents, strict=True)]
    policy = b.string("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        scales = [min(scales) if policy == "not_larger" else max(scales)] * len(axes)
        sizes = [
            floor(np.float32(scale) * extent + np.float32(0.5)) for scale, extent in zip(scales, extents, strict=True)
        ]
    return _all_axes(b, b[0], axes, sizes, scales, how)


def _all_axes(
    b: GraphBuilder, x: SSAValue, axes: list[int], sizes: list[int], scales: list[float], how: _Resizing
) -> SSAValue:
    """One axis after the other, in floats where neighbours are weighed."""
    element = element_of(x)
    if max(sizes, default=0) > _MOST_PLACES:
        raise Unconvertible(f"it resizes to an extent of {max(sizes)}; mlc resizes to {_MOST_PLACES} at most")
    value = b.cast(x, f32) if how.mode != "nearest" and not is_float(x) else x
    for axis, size, scale in zip(axes, sizes, scales, strict=True):
        is_idle = scale == 1 and size == shape_of(value)[axis] and how.places != "tf_crop_and_resize"
        if not is_idle:
            value = _resize(b, value, axis, size, scale, how)
    return b.cast(value, element)
