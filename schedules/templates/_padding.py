"""Which products with padding the schedule of a convolution leaves out.

Of an image of 7 x 7 under a window of 3 x 3, one product in ten is one with the padding above and below, and one in ten
with that at the sides. Above and below is a matter of where loops begin and end. At the sides it takes a register tile
that has all of a row: in the copy of the loops for one column of the window it is known which of its results read
nothing but padding.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from xdsl.dialects.tensor import PadOp

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.steps.clip import Clip
from mlc.schedules.steps.partition import Partition
from mlc.schedules.steps.unroll import Unroll
from mlc.support.affine import split_terms
from mlc.support.types import tensor_type
from mlc.targets.machine import Machine

SHORT_IMAGE = 28
"""Of 28 rows under windows of three, one product in 42 is one with padding; of 7, one in ten."""
WORTH_PEELING = 0.01
"""The least share of products with padding for which loops are copied."""
SHORT_WINDOW = 5
"""The most copies of the loops inside a window that are worth it."""


@dataclass(frozen=True)
class PaddedDim:
    """A parallel dim along which windows reach into padding."""

    dim: int
    window: int
    """The dim of the window, which is reduced."""
    share: float
    """How many of the products along both are ones with padding."""
    border: int
    """How many of the windows reach into it."""
    shortest: int
    """The fewest of these that lie side by side and reach into it with the same taps: one, unless taps are apart."""
    dilation: int


def padded_dims(op: StructuredOp) -> list[PaddedDim]:
    """The dims along which a contraction reads a padded operand in windows."""
    return [
        found
        for operand, affine in zip(op.inputs, op.index_maps, strict=True)
        if isinstance(operand.owner, PadOp)
        for axis, subscript in enumerate(affine.results)
        if (found := _padded_dim(op, operand.owner, axis, split_terms(subscript))) is not None
    ]


def _padded_dim(op: StructuredOp, pad: PadOp, axis: int, factors: Mapping[int, int | None]) -> PaddedDim | None:
    low = pad.static_low.get_values()[axis]
    inside = range(low, low + tensor_type(pad.source).get_shape()[axis])
    moving = sorted((dim, factor) for dim, factor in factors.items() if factor)
    if len(factors) != 2 or len(moving) != 2 or not moving[0][0] < op.num_parallel <= moving[1][0]:
        return None
    (dim, stride), (window, dilation) = moving
    taps = range(op.dim_sizes[window])
    outside = [tuple(k for k in taps if i * stride + k * dilation not in inside) for i in range(op.dim_sizes[dim])]
    runs = [len(list(windows)) for missing, windows in groupby(outside) if missing]
    share = sum(map(len, outside)) / (len(taps) * len(outside))
    return PaddedDim(dim, window, share, sum(runs), min(runs), dilation) if runs else None


@dataclass(frozen=True)
class Borders:
    """What the schedule of a convolution does about the padding along each dim."""

    op: StructuredOp
    row: int | None
    """The dim of a tile's rows."""
    peeled: Sequence[int] = ()
    """That dim, if windows at its ends are nests of their own."""
    is_row_whole: bool = False
    """Whether a tile has all rows, and it is known of each which taps are padding."""

    @property
    def whole(self) -> list[int]:
        """The dims whose loops must not be cut into blocks."""
        short = [each.dim for each in self._others if self.op.dim_sizes[each.dim] <= SHORT_IMAGE]
        return [*short, *self.peeled, *([self.row] if self.is_row_whole and self.row is not None else [])]

    def steps(self, written_out: Container[str], *, in_blocks: bool) -> list[Step]:
        """The steps that leave out products with padding: windows end where the image does.

        What is written out has no loop that could, and a dilated window none whose bounds are sums: there the loops
        over positions are split. Of a long image nothing is worth that but to be read without a copy.

        Args:
            written_out: the loops that are unrolled.
            in_blocks: whether loops over rows are cut into blocks.
        """
        is_copied = self.row not in self.peeled and not self.is_row_whole
        is_copied = is_copied and any(each.dim == self.row for each in self._padded)
        steps: list[Step] = []
        for padded in self._others:
            is_short = self.op.dim_sizes[padded.dim] <= SHORT_IMAGE
            name = self.op.dim_names[padded.dim]
            if padded.dilation == 1 and self.op.dim_names[padded.window] not in written_out:
                if is_short or not (is_copied or in_blocks):
                    steps.append(Clip(name))
            elif is_short:
                steps.append(Partition(name))
        return [*steps, *(Partition(self.op.dim_names[dim]) for dim in self.peeled)]

    @cached_property
    def _padded(self) -> list[PaddedDim]:
        return padded_dims(self.op)

    @property
    def _others(self) -> list[PaddedDim]:
        return [each for each in self._padded if each.dim != self.row]


def rows_to_partition(op: StructuredOp, row: int | None, tile: RegisterTile, machine: Machine) -> list[int]:
    """The dim of a tile's rows if it is worth peeling off the windows at its ends, which have less to compute.

    These fill blocks of their own, so they have to be as many as keep multiply-adds from waiting for each other: a
    dilation of two leaves out the same tap of two windows beside each other.
    """
    in_flight = machine.issue.fma_units * machine.issue.fma_latency
    return [
        padded.dim
        for padded in padded_dims(op)
        if padded.dim == row
        and tile.rows < op.dim_sizes[padded.dim]
        and padded.share >= WORTH_PEELING
        and min(padded.shortest, tile.rows) * tile.vectors >= in_flight
    ]


def padding_of_rows(op: StructuredOp, row: int | None) -> PaddedDim | None:
    """What a tile that has all rows leaves out; None if there is nothing, or if it takes too many copies of loops."""
    found = [padded for padded in padded_dims(op) if padded.dim == row]
    return found[0] if len(found) == 1 and op.dim_sizes[found[0].window] <= SHORT_WINDOW else None


def row_padding_steps(op: StructuredOp, padding: PaddedDim, steps: Container[Step]) -> list[Step]:
    """The steps, after all others in `steps`, that leave out what a tile of all rows reads of the padding."""
    unroll = Unroll(op.dim_names[padding.window])
    return [*([] if unroll in steps else [unroll]), Partition(op.dim_names[padding.dim])]
