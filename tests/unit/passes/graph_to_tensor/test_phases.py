"""The phases of a transposed convolution against its definition: which taps of which pixels reach each row."""

from __future__ import annotations

from itertools import product

import pytest

from mlc.passes.graph_to_tensor._phases import Axis, Phases, phases_of

PIXELS = 3


def axis(taps: int, stride: int, dilation: int, low: int) -> Axis:
    """An axis of all rows that some tap reaches behind the first `low`."""
    rows = (PIXELS - 1) * stride + (taps - 1) * dilation + 1 - low
    return Axis(PIXELS, taps, rows, stride, dilation, low)


def products_of(groups: list[Phases], axis: Axis) -> dict[int, set[tuple[int, int]]]:
    """For each row the pairs of a tap and a pixel of the image that the groups sum up."""
    found: dict[int, set[tuple[int, int]]] = {}
    for g in groups:
        for q, i in product(range(axis.steps), range(g.count)):
            pairs = {
                (g.tap[0] + i * g.tap[1] + j * g.tap[2], q + g.pixel[0] + i * g.pixel[1] - j * g.pixel[2])
                for j in range(g.taps)
            }
            low, high = g.reach(axis.steps)
            assert all(low <= pixel <= high for _, pixel in pairs)
            found[q * axis.stride + g.first + i] = {(t, p) for t, p in pairs if 0 <= p < axis.pixels}
    return found


@pytest.mark.parametrize("stride", [1, 2, 3, 4, 6])
@pytest.mark.parametrize("dilation", [1, 2, 3, 4])
def test_every_row_sums_what_reaches_it(stride: int, dilation: int) -> None:
    for taps, low in product(range(1, 7), range(4)):
        if (one := axis(taps, stride, dilation, low)).rows < 1:
            continue
        found = products_of(phases_of(one), one)
        for row in range(one.rows):
            every = product(range(taps), range(PIXELS))
            expected = {(t, p) for t, p in every if p * stride + t * dilation - low == row}
            assert found[row] == expected, (one, row)


@pytest.mark.parametrize(
    ("taps", "stride", "low", "groups"), [(2, 2, 0, 1), (4, 2, 1, 1), (3, 1, 1, 1), (3, 2, 1, 2), (6, 3, 0, 1)]
)
def test_phases_with_equally_many_taps_are_one_group(taps: int, stride: int, low: int, groups: int) -> None:
    assert len(phases_of(axis(taps, stride, 1, low))) == groups
