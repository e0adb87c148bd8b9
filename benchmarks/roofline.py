"""The roofline picture: what each kernel reaches, below what the machine allows (Williams et al., CACM 52(4), 2009)."""

from __future__ import annotations

import importlib
import importlib.util
import math
from pathlib import Path
from typing import Any

import numpy as np

from mlc.benchmarks.case import Array
from mlc.benchmarks.results import OURS, CaseResult, Run

_COLORS = {
    "matmul": "tab:blue",
    "convolution": "tab:orange",
    "memory": "tab:green",
    "block": "tab:red",
    "network": "tab:purple",
}
_SIZE_INCHES = (19, 11)
_DOTS_PER_INCH = 100
_LABEL_PIXELS = np.array([20.0, 14.0])
"""Width and height that a number needs."""
_STEPS = 600
_CROWDED_INTENSITY = 10
_CROWDED_SHARE = 1.5
"""Cases with more flops per byte, and with more than the peak divided by this, are shown enlarged."""
_INSET = (0.36, 0.06, 0.62, 0.52)
"""Left, bottom, width and height of the enlargement, as parts of the picture's."""


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_roofline(run: Run, path: Path) -> None:
    """Write a PNG with a point for each case: flops per byte to the right, flop/s upwards, both logarithmic."""
    matplotlib: Any = importlib.import_module("matplotlib")
    matplotlib.use("Agg")
    pyplot: Any = importlib.import_module("matplotlib.pyplot")
    figure, axes = pyplot.subplots(figsize=_SIZE_INCHES, dpi=_DOTS_PER_INCH)
    # The names of the cases stand in the right third.
    figure.subplots_adjust(left=0.05, right=0.63, top=0.94, bottom=0.07)
    axes.set(xscale="log", yscale="log", xlabel="flop / byte", ylabel="GFLOP/s")
    axes.set_title(_title(run), loc="left")
    axes.grid(True, which="major", alpha=0.3)
    cases = [case for case in run.cases if OURS in case.seconds]
    points = np.array([[case.flops / case.bytes, case.flops / case.time(OURS) / 1e9] for case in cases])
    peak = _peak(run)
    axes.set(xlim=(points[:, 0].min() / 2, max(points[:, 0].max() * 2, 100)))
    # High enough that the inset has room below the points.
    axes.set(ylim=(min(points[:, 1].min() / 2, peak / 200), peak * 1.5))
    _draw_roofs(axes, run)
    _draw_points(axes, cases, points)
    axes.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=len(_COLORS), frameon=False)
    crowded = (points[:, 0] >= _CROWDED_INTENSITY) & (points[:, 1] >= peak / _CROWDED_SHARE)
    _draw_numbers(axes, cases, points, ~crowded)
    if crowded.any():
        _draw_inset(axes, cases, points, crowded, peak)
    _draw_names(figure, cases)
    figure.savefig(path)
    pyplot.close(figure)


def _title(run: Run) -> str:
    where = run.environment
    threads = "one thread" if where["threads"] == 1 else f"{where['threads']} threads"
    return f"{where['machine']}, target {where['target']}, {threads}"


def _peak(run: Run) -> float:
    return max(rate for name, rate in run.limits.items() if "FMA" in name) / 1e9


def _draw_roofs(axes: Any, run: Run) -> None:
    """A slope for each level of the memory, and the flat roof of arithmetic."""
    peak = _peak(run)
    left, right = axes.get_xlim()
    for name, rate in run.limits.items():
        bandwidth = rate / 1e9
        if "FMA" in name:
            axes.plot([left, right], [peak, peak], color="black", linewidth=1)
            axes.annotate(f"{name} {peak:.0f} GFLOP/s", (left, peak), (6, 5), textcoords="offset points")
            continue
        ridge = peak / bandwidth
        axes.plot([left, ridge], [left * bandwidth, peak], color="black", linewidth=0.8, alpha=0.6)
        across, up = (axes.transData.transform([(1.0, 1.0), (10.0, 10.0)]))[1] - axes.transData.transform((1.0, 1.0))
        start = max(left * 1.2, axes.get_ylim()[0] * 1.2 / bandwidth)
        axes.annotate(
            f"{name} {bandwidth:.0f} GB/s",
            (start, start * bandwidth),
            (0, 3),
            textcoords="offset points",
            rotation=math.degrees(math.atan2(up, across)),
            rotation_mode="anchor",
            fontsize=9,
        )


def _draw_points(axes: Any, cases: list[CaseResult], points: Array) -> None:
    for family, color in _COLORS.items():
        of_family = np.array([case.family == family for case in cases])
        if of_family.any():
            axes.scatter(*points[of_family].T, s=22, color=color, label=family, zorder=3)


def _draw_inset(axes: Any, cases: list[CaseResult], points: Array, crowded: Array, peak: float) -> None:
    """The crowded corner below the flat roof, enlarged in the empty corner below it."""
    inset = axes.inset_axes(_INSET)
    inset.set(xscale="log")
    low, high = points[crowded].min(0), points[crowded].max(0)
    inset.set(xlim=(low[0] / 1.15, high[0] * 1.15), ylim=(low[1] / 1.1, peak * 1.05))
    inset.axhline(peak, color="black", linewidth=1)
    inset.grid(True, which="both", alpha=0.3)
    inset.tick_params(which="both", labelsize=8)
    inset.xaxis.set_major_formatter("{x:.0f}")
    inset.xaxis.set_minor_formatter("{x:.0f}")
    _draw_points(inset, cases, points)
    _draw_numbers(inset, cases, points, crowded)
    axes.indicate_inset_zoom(inset, edgecolor="black", alpha=0.4)


def _draw_numbers(axes: Any, cases: list[CaseResult], points: Array, chosen: Array) -> None:
    """The numbers of the chosen cases near their points, moved to where no other number or point is."""
    numbers = np.flatnonzero(chosen)
    if not len(numbers):
        return
    pixels = axes.transData.transform(points[numbers])
    corners = axes.transAxes.transform([(0, 0), (1, 1)])
    labels = _spread(pixels, corners)
    places = axes.transData.inverted().transform(labels)
    for number, place in zip(numbers, places, strict=True):
        color = _COLORS[cases[number].family]
        axes.annotate(
            str(number + 1),
            tuple(points[number]),
            tuple(place),
            fontsize=9,
            ha="center",
            va="center",
            color=color,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.5, "shrinkA": 5, "shrinkB": 2},
        )


def _spread(pixels: Array, corners: Array) -> Array:
    """Places for labels of points: a pull towards the points, a push from whatever lies too close, until both rest."""
    angles = np.arange(len(pixels)) * 2.4  # radians; the golden angle, so that neighbours start in different directions
    labels = pixels + 16 * np.stack([np.cos(angles), np.sin(angles)], 1)
    for step in range(_STEPS):
        strength = 1 - step / _STEPS
        others = np.concatenate([labels, pixels])
        gaps = (labels[:, None] - others[None]) / _LABEL_PIXELS
        distances = np.linalg.norm(gaps, axis=2)
        distances[np.arange(len(labels)), np.arange(len(labels))] = np.inf
        pushes = np.where(distances < 1.3, 1.3 - distances, 0) / np.maximum(distances, 1e-3)
        labels = labels + (pushes[:, :, None] * gaps).sum(1) * _LABEL_PIXELS * 0.5
        labels += (pixels - labels) * 0.03 * strength
        labels = np.clip(labels, corners[0] + _LABEL_PIXELS, corners[1] - _LABEL_PIXELS)
    return labels


def _draw_names(figure: Any, cases: list[CaseResult]) -> None:
    """Two columns of numbers, names and shares of the limit."""
    rows = -(-len(cases) // 2)
    for index, case in enumerate(cases):
        column, row = divmod(index, rows)
        limit = case.level if case.is_bandwidth_bound else "FMA"
        figure.text(
            0.645 + 0.182 * column,
            0.93 - 0.86 * row / max(rows, 30),
            f"{index + 1:>2}  {case.name}  {case.share_of_limit():.0%} {limit}",
            fontsize=8,
            color=_COLORS[case.family],
        )
