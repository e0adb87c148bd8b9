"""Points at computed places of a tensor, over as few dims as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.graph.placement import Placement
from mlc.dialects.tensor.dim_names import dim_names
from mlc.passes.graph_to_tensor._builder import d


@dataclass(frozen=True)
class Layout:
    """The shapes that data and indices are seen with, and where the points are.

    Attributes:
        data, indices: shapes to reshape to, which moves nothing.
        dims: names and sizes: those of the indices, then those of the data that are read whole.
        place: the subscripts of the data, over the dims and then the coordinates.
    """

    data: tuple[int, ...]
    indices: tuple[int, ...]
    dims: tuple[tuple[str, int], ...]
    place: tuple[AffineExpr, ...]

    @staticmethod
    def of(placement: Placement) -> Layout:
        """Axes side by side that are used alike are one: runs of own axes, of other index axes, of whole axes."""
        outer = _join(range(len(placement.indices)), lambda a, b: _joins_outer(placement, a, b))
        runs = _join(range(len(placement.data)), lambda a, b: _joins_data(placement, a, b))
        whole = [run for run in runs if run[0] in placement.whole]
        sizes = [prod(placement.indices[a] for a in run) for run in outer]
        sizes += [prod(placement.data[a] for a in run) for run in whole]
        place: list[AffineExpr] = []
        for run in runs:
            if run[0] in placement.axes:
                place.append(d(len(sizes) + placement.axes.index(run[0])))
            elif run[0] in placement.own:
                place.append(d(next(number for number, dims in enumerate(outer) if run[0] in dims)))
            else:
                place.append(d(len(outer) + whole.index(run)))
        return Layout(
            tuple(prod(placement.data[a] for a in run) for run in runs),
            (*sizes[: len(outer)], len(placement.axes)),
            tuple(zip(dim_names(len(sizes)), sizes, strict=True)),
            tuple(place),
        )

    def coordinates(self, indices: SSAValue) -> list[tuple[str, SSAValue, list[AffineExpr]]]:
        """The coordinates that `indices` holds."""
        *outer, count = self.indices
        point = [d(number) for number in range(len(outer))]
        names = ["i"] if count == 1 else [f"i{number}" for number in range(count)]
        return [(name, indices, [*point, AffineExpr.constant(number)]) for number, name in enumerate(names)]


def _joins_outer(placement: Placement, a: int, b: int) -> bool:
    """Whether index axes `a` and `b = a + 1` can be one."""
    if a in placement.own and b in placement.own:
        return _joins_own(placement, b)
    return a not in placement.own and b not in placement.own


def _joins_data(placement: Placement, a: int, b: int) -> bool:
    """Whether axes `a` and `b = a + 1` of the data can be one."""
    if a in placement.own and b in placement.own:
        return _joins_own(placement, b)
    return a in placement.whole and b in placement.whole


def _joins_own(placement: Placement, b: int) -> bool:
    """Whether a point that is one further along the own axis before `b` is as far apart in data and in indices."""
    return placement.indices[b] == placement.data[b]


def _join(axes: range, joins: Callable[[int, int], bool]) -> list[list[int]]:
    """Runs of axes of which each joins the one in front."""
    runs: list[list[int]] = []
    for axis in axes:
        if runs and joins(axis - 1, axis):
            runs[-1].append(axis)
        else:
            runs.append([axis])
    return runs
