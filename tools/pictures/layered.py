"""A layered layout of graphs (Sugiyama, Tagawa and Toda, 1981): layers by the longest path, points where long edges
cross layers, an order within layers by the mean position of neighbours, and positions near to those of neighbours.

The page of `mlc explore` lays out its graph in the same way (`explorer/viewer/layout.js`), where the reader folds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

_SWEEPS = 8
_SETTLING = 12
_BEND = 12.0
"""The width that is left for an edge that crosses a layer."""
GAP = 24.0
"""The distance between boxes of a layer."""


@dataclass(eq=False)
class Point:
    """A box, or the place where an edge crosses a layer."""

    layer: int
    width: float
    above: list[Point] = field(default_factory=list["Point"])
    below: list[Point] = field(default_factory=list["Point"])
    place: float = 0.0
    """Its number in the layer."""
    x: float = 0.0
    """Of its middle."""


@dataclass(frozen=True)
class LayeredPlaces:
    """Where boxes stand: `points` has those of nodes, `paths` those that each edge goes through."""

    points: Sequence[Point]
    paths: Sequence[Sequence[Point]]
    layers: int


def layered(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> LayeredPlaces:
    """Places for boxes of these widths, each below those that edges lead to it from; an edge that closes a cycle leads
    up again. The leftmost box begins at 0.
    """
    layers = _layers(len(widths), edges)
    count = max(layers, default=-1) + 1
    points = [Point(layer, width) for layer, width in zip(layers, widths, strict=True)]
    rows: list[list[Point]] = [[] for _ in range(count)]
    for point in points:
        rows[point.layer].append(point)
    paths: list[list[Point]] = []
    for source, target in edges:
        first, last = points[source], points[target]
        bends = [Point(layer, _BEND) for layer in range(first.layer + 1, last.layer)]
        for bend in bends:
            rows[bend.layer].append(bend)
        path = [first, *bends, last]
        if first.layer < last.layer:
            for upper, lower in pairwise(path):
                upper.below.append(lower)
                lower.above.append(upper)
        paths.append(path)
    _order(rows)
    _place(rows)
    left = min((point.x - point.width / 2 for row in rows for point in row), default=0.0)
    for row in rows:
        for point in row:
            point.x -= left
    return LayeredPlaces(points, paths, count)


def _layers(count: int, edges: Iterable[tuple[int, int]]) -> list[int]:
    """The layer of each box: below all that lead to it, but for edges that close a cycle."""
    before: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        before[target].append(source)
    layers, is_open = [-1] * count, [False] * count
    for start in range(count):
        stack = [start]
        while stack:
            number = stack[-1]
            waits = [] if layers[number] >= 0 else [n for n in before[number] if layers[n] < 0 and not is_open[n]]
            if waits:
                is_open[number] = True
                stack += waits
                continue
            stack.pop()
            is_open[number] = False
            if layers[number] < 0:
                layers[number] = max((layers[n] for n in before[number]), default=-1) + 1
    return layers


def _order(rows: Sequence[list[Point]]) -> None:
    for sweep in range(_SWEEPS + 1):
        is_down = sweep % 2 == 1
        for row in rows if is_down else [*reversed(rows)]:
            if sweep:
                row.sort(key=lambda point: _mean([p.place for p in _beside(point, is_down)], point.place))
            for number, point in enumerate(row):
                point.place = number


def _place(rows: Sequence[list[Point]]) -> None:
    for row in rows:
        x = 0.0
        for point in row:
            point.x = x + point.width / 2
            x += point.width + GAP
        for point in row:
            point.x -= x / 2
    for turn in range(_SETTLING):
        for row in rows if turn % 2 == 0 else [*reversed(rows)]:
            _settle(row, turn % 2 == 0)


def _settle(row: list[Point], is_down: bool) -> None:
    """Move the points of a row towards their neighbours, as far as the order and the gaps allow."""
    wanted = [_mean([p.x for p in _beside(point, is_down) or _beside(point, not is_down)], point.x) for point in row]
    gaps = [(one.width + other.width) / 2 + GAP for one, other in pairwise(row)]
    from_left, from_right = list(wanted), list(wanted)
    for n, gap in enumerate(gaps):
        from_left[n + 1] = max(from_left[n + 1], from_left[n] + gap)
    for n in reversed(range(len(gaps))):
        from_right[n] = min(from_right[n], from_right[n + 1] - gaps[n])
    for point, left, right in zip(row, from_left, from_right, strict=True):
        point.x = (left + right) / 2


def _beside(point: Point, is_down: bool) -> list[Point]:
    """The neighbours in the layer that is looked from."""
    return point.above if is_down else point.below


def _mean(numbers: Sequence[float], otherwise: float) -> float:
    return sum(numbers) / len(numbers) if numbers else otherwise
