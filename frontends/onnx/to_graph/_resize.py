"""Images made larger or smaller: along each axis, sums of a few neighbours with constant weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

import numpy as np
from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.open_padding import extended
from mlc.frontends.operators.open_shapes import all_along, largest
from mlc.frontends.operators.places import standing_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, bounds, divided, in_symbols
from mlc.frontends.operators.weighted_rows import cubic_weight, linear_weight, weighted_rows

_TIE = 1e-6
"""How far a place may be from the middle of two pixels and counts as it, as in ONNX Runtime: places are rounded."""
_MOST_PARTS = 1 << 10
"""The largest denominator of a scale by which an open dim is resized."""
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


_OF_THE_CALL = ("asymmetric", "half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn")
"""Where places depend on the scale alone, as long as the result has more than one element, and scales are exact."""


def _resize_open(b: GraphBuilder, x: SSAValue, axis: int, ratio: Fraction, how: _Resizing) -> SSAValue:
    """One axis, whose extent a call gives, that many times as long: what is after the data is like its last element.

    Raises:
        Unconvertible: weights depend on the extent in another way.
    """
    size = b.axis_size(x, axis)
    if size is None:
        raise Unconvertible(f"it resizes dim {axis}, whose extent depends on data")
    whole = size * ratio.numerator
    after = divided(whole, ratio.denominator)
    if after is None and how.places == "half_pixel_symmetric":
        raise Unconvertible(f"it resizes {in_symbols(size)} elements by {ratio}; required: extents that this divides")
    after = whole // ratio.denominator if after is None else after
    if how.places not in _OF_THE_CALL or how.excludes or bounds(after)[0] < 2:
        raise Unconvertible(
            f"it resizes {in_symbols(size)} elements to {in_symbols(after)}, and its weights depend on these extents "
            f"({how.places}{', exclude_outside' if how.excludes else ''}); required: known ones"
        )
    most, last = bounds(after)[1], shape_of(x)[axis]
    places = [float(how.place(i, axis, last, most, np.float32(ratio))) for i in range(most)]
    rows = [how.row(place, last, float(ratio)) for place in places]
    if ratio.denominator == 1 and rows == [{i // ratio.numerator: 1.0} for i in range(most)]:
        return _repeated(b, x, axis, ratio.numerator)
    stays_inside = how.mode == "nearest" and all(
        max(rows[n * ratio.numerator // ratio.denominator - 1]) < n for n in range(bounds(size)[0], last)
    )
    x = all_along(b, x, [axis]) if stays_inside else extended(b, x, axis)
    return b.sized(weighted_rows(b, x, axis, rows), {axis: after})


def _repeated(b: GraphBuilder, x: SSAValue, axis: int, times: int) -> SSAValue:
    """Each element of an axis so many times, one after the other."""
    apart = b.unsqueeze(x, [axis + 1])
    shape = list(shape_of(apart))
    shape[axis + 1] = times
    wide = b.broadcast(apart, shape)
    return b.reshape(wide, [*shape[:axis], shape[axis] * times, *shape[axis + 2 :]])


def _resize(b: GraphBuilder, x: SSAValue, axis: int, after: int, scale: float, how: _Resizing) -> SSAValue:
    """One axis brought to an extent of `after`."""
    before = shape_of(x)[axis]
    if not after:
        return b.slice(x, axis, 0, 0)
    if not before:
        raise Unconvertible(f"it resizes dim {axis}, which has no elements, to {after}")
    places = [float(how.place(i, axis, before, after, np.float32(scale))) for i in range(after)]
    crops = how.places == "tf_crop_and_resize"
    outside = np.asarray([crops and not 0 <= place <= before - 1 for place in places])
    rows = [how.row(place, before, scale) for place in places]
    result = weighted_rows(b, x, axis, rows)
    if not outside.any():
        return result
    mask = standing_along(outside, axis, len(shape_of(x)))
    return b.where(b.constant(mask), b.number(how.outside, x), result)


@converts("Resize", bounded=True, rounds_once=lambda b: _mode(b) != "nearest")
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
    return _by_sizes(b, axes, b.sizes(3), how)


@converts("Upsample", bounded=True, rounds_once=lambda b: _mode(b) != "nearest")
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
    ratios = [_fraction(b, x, axis, scale) for axis, scale in zip(axes, scales, strict=True)]
    sizes = [floor(shape_of(x)[axis] * np.float32(scale)) for axis, scale in zip(axes, scales, strict=True)]
    return _all_axes(b, x, axes, sizes, scales, how, ratios)


def _fraction(b: GraphBuilder, x: SSAValue, axis: int, scale: float) -> Fraction | None:
    """The scale of an axis whose extent a call gives, which is stored as the f32 next to it; None for other axes.

    Raises:
        Unconvertible: it is none by which extents are multiplied as the operator does, in f32.
    """
    if axis not in b.knowledge.extents.get(x, {}):
        return None
    found = Fraction(float(scale)).limit_denominator(_MOST_PARTS)
    extents = np.arange(1, shape_of(x)[axis] + 1)
    exact = extents * found.numerator // found.denominator
    if np.float32(float(found)) != np.float32(scale) or (np.floor(extents * np.float32(scale)) != exact).any():
        raise Unconvertible(f"it resizes dim {axis}, whose extent is known at the call only, by {scale}")
    return found


def _by_sizes(b: Node, axes: list[int], wanted: list[AnySize], how: _Resizing) -> SSAValue:
    sizes = list(largest(wanted))
    if len(sizes) != len(axes) or min(sizes, default=0) < 0:
        raise Unconvertible(f"sizes {sizes} do not fit {len(axes)} axes")
    policy = b.string("keep_aspect_ratio_policy", "stretch")
    ratios = [_ratio(b, axis, size) for axis, size in zip(axes, wanted, strict=True)]
    if policy != "stretch" and any(ratio is not None for ratio in ratios):
        raise Unconvertible(f"keep_aspect_ratio_policy is '{policy}', and extents are known at the call only")
    extents = [b.shape()[axis] for axis in axes]
    scales = [size / extent if extent else 1.0 for size, extent in zip(sizes, extents, strict=True)]
    if policy != "stretch":
        scales = [min(scales) if policy == "not_larger" else max(scales)] * len(axes)
        sizes = [
            floor(np.float32(scale) * extent + np.float32(0.5)) for scale, extent in zip(scales, extents, strict=True)
        ]
    return _all_axes(b, b[0], axes, sizes, scales, how, ratios)


def _ratio(b: Node, axis: int, wanted: AnySize) -> Fraction | None:
    """How many times as long an axis becomes, if that depends on extents of the call; None if it does not.

    Raises:
        Unconvertible: it is another number for each.
    """
    size = b.axis_size(b[0], axis)
    if size is None:
        raise Unconvertible(f"it resizes dim {axis}, whose extent depends on data")
    if isinstance(size, int) and isinstance(wanted, int):
        return None
    more, less = divided(wanted, size), divided(size, wanted)
    if isinstance(more, int) and more:
        return Fraction(more)
    if isinstance(less, int) and less:
        return Fraction(1, less)
    raise Unconvertible(
        f"it resizes {in_symbols(size)} elements to {in_symbols(wanted)}; required: the same ratio for all extents, as "
        "of multiples of a number"
    )


def _all_axes(
    b: GraphBuilder,
    x: SSAValue,
    axes: list[int],
    sizes: list[int],
    scales: list[float],
    how: _Resizing,
    ratios: Sequence[Fraction | None],
) -> SSAValue:
    """One axis after the other, in floats where neighbours are weighed. `ratios` has the scales of axes whose extents a
    call gives."""
    element = element_of(x)
    if max(sizes, default=0) > _MOST_PLACES:
        raise Unconvertible(f"it resizes to an extent of {max(sizes)}; mlc resizes to {_MOST_PLACES} at most")
    value = b.cast(x, f32) if how.mode != "nearest" and not is_float(x) else x
    for axis, size, scale, ratio in zip(axes, sizes, scales, ratios, strict=True):
        if ratio is not None and (ratio != 1 or how.places == "tf_crop_and_resize"):
            value = _resize_open(b, value, axis, ratio, how)
        is_idle = scale == 1 and size == shape_of(value)[axis] and how.places != "tf_crop_and_resize"
        if ratio is None and not is_idle:
            value = _resize(b, value, axis, size, scale, how)
    return b.cast(value, element)
