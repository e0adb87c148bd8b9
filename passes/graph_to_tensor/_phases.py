"""Which taps of a transposed convolution reach which rows of its result."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd


@dataclass(frozen=True)
class Axis:
    """A spatial dimension of a transposed convolution: pixel `p` adds tap `t` to row `p * stride + t * dilation - low`.

    Attributes:
        pixels, taps, rows: the extents of the image, the kernel, the result.
        low: how many rows are cut off in front.
    """

    pixels: int
    taps: int
    rows: int
    stride: int
    dilation: int
    low: int

    @property
    def steps(self) -> int:
        """How many rows of one phase there are at most."""
        return -(-self.rows // self.stride)


@dataclass(frozen=True)
class Phases:
    """Neighbouring phases that are computed alike.

    Rows `q * stride + first + i`, for `i < count`, sum `j < taps` products, each of tap
    `tap[0] + i * tap[1] + j * tap[2]` and pixel `q + pixel[0] + i * pixel[1] - j * pixel[2]`. All three are affine in
    `q`, `i` and `j`, which is what index maps need; divisions by the stride happen here and nowhere else.
    """

    first: int
    count: int
    taps: int
    tap: tuple[int, int, int]
    pixel: tuple[int, int, int]

    def reach(self, steps: int) -> tuple[int, int]:
        """The least and the greatest pixel that is read for `q` below `steps`; it may be outside the image."""
        start, per_phase, per_tap = self.pixel
        across, back = (self.count - 1) * per_phase, (self.taps - 1) * per_tap
        return start + min(across, 0) - back, start + max(across, 0) + steps - 1


def phases_of(axis: Axis) -> list[Phases]:
    """All phases of an axis, in as few groups as possible."""
    groups: list[Phases] = []
    for phase in range(axis.stride):
        new = _single(axis, phase)
        merged = _merge(groups[-1], new) if groups else None
        if merged is None:
            groups.append(new)
        else:
            groups[-1] = merged
    return groups


def _single(axis: Axis, phase: int) -> Phases:
    """Tap `t` reaches the phase if `t * dilation = phase + low` modulo the stride: at regular distances, if at all."""
    every = axis.stride // gcd(axis.stride, axis.dilation)
    row = phase + axis.low
    first = next((t for t in range(every) if (row - t * axis.dilation) % axis.stride == 0), axis.taps)
    taps = max(0, -(-(axis.taps - first) // every))
    pixel = (row - first * axis.dilation) // axis.stride if taps else 0
    return Phases(phase, 1, taps, (first, 0, every), (pixel, 0, every * axis.dilation // axis.stride))


def _merge(group: Phases, new: Phases) -> Phases | None:
    """`group` with one more phase, if its first tap and pixel continue those of the group."""
    if new.taps != group.taps:
        return None
    if not new.taps:
        return Phases(group.first, group.count + 1, 0, group.tap, group.pixel)
    tap_step = new.tap[0] - group.tap[0] - (group.count - 1) * group.tap[1]
    pixel_step = new.pixel[0] - group.pixel[0] - (group.count - 1) * group.pixel[1]
    if group.count > 1 and (tap_step, pixel_step) != (group.tap[1], group.pixel[1]):
        return None
    return Phases(
        group.first,
        group.count + 1,
        group.taps,
        (group.tap[0], tap_step, group.tap[2]),
        (group.pixel[0], pixel_step, group.pixel[2]),
    )
