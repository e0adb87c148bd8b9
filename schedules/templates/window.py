"""The default schedule of windows that move over an image: depthwise convolutions and pooling.

    for y, x blocks: for n: out[3 × 4 results] = combine of the taps, written out, of vectors along n

Each operand varies with the channel, which becomes lanes, so there is no operand to reuse from registers: the
register tile is a block of neighbouring results, whose windows overlap. Channels run innermost, so that memory is read
from front to back, once.

Taps of short integers become dot products: of words, into which neighbouring pixels are interleaved lane by lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.tensor import PadOp

from mlc.analysis.in_place import is_one_nest
from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.cost.windows import MOST_PRODUCTS, MovingWindow, blocks_of_results, rows_of_results
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.schedules.steps.clip import Clip
from mlc.schedules.steps.dot_taps import DotTaps
from mlc.schedules.steps.llvm_unroll import LlvmUnroll
from mlc.schedules.steps.partition import Partition
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.unroll_reduction import UnrollReduction
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import runs_along_memory
from mlc.schedules.templates._dots import taps_per_dot
from mlc.schedules.templates._epilogue import is_long_epilogue
from mlc.schedules.templates._padding import padded_dims
from mlc.schedules.templates.contraction import short_reductions
from mlc.support.affine import split_terms
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type

MOST_TAPS = 32
"""The largest window that becomes straight-line code."""
MOST_TAPS_OF_DOTS = 64
"""The same where several taps become one dot product."""
_OPS_OF_FUNCTION = 12
"""About so many ops the polynomial of a function has: exp of f32 has 15."""
_PAIR = 2
"""A loop over two copies is not worth its buffer: 1.05 times the time, measured on Zen 4 with 6 results in each."""
_SHOWN = 2
"""How many other blocks are candidates."""


class Windows(ScheduleTemplate):
    """One nest in which a window moves over an operand: blocks of results whose taps are written out."""

    name = "window"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        if (op := _moving_window(kernel.ops)) is None:
            return iter(())
        per_dot = taps_per_dot(op, kernel)
        window = _window(op)
        blocks = blocks_of_results(window, kernel.machine, per_dot)
        found = [(block, _steps(op, kernel.lanes, block, per_dot)) for block in blocks[: 1 + _SHOWN]]
        row = rows_of_results(window, blocks[0], kernel.machine) if per_dot == 1 else None
        if row is not None and (steps := _steps_of_row(op, kernel.lanes, row)) is not None:
            found.insert(0, (row, steps))

        def candidate(place: int) -> Candidate:
            block, steps = found[place]
            difference = f"blocks of {' x '.join(map(str, block.values()))} results" if place else ""
            return Candidate(tuple(steps), difference, is_only_shown=place > 0)

        return distinct(candidate(place) for place in range(min(len(found), 1 + _SHOWN)))


def _moving_window(ops: Sequence[StructuredOp]) -> StructuredOp | None:
    """The reduction of a kernel of one nest in which a window moves over an operand; None for other kernels."""
    windows = [op for op in ops if op.reduction is not None]
    root = ops[-1]
    if len(windows) != 1 or not is_one_nest(ops):
        return None
    op = windows[0]
    lane = op.num_parallel - 1
    if lane < 1 or op.dim_names[: lane + 1] != root.dim_names[: root.num_parallel] or not _moves(op):
        return None
    return op if all(runs_along_memory(m, lane) for m in op.index_maps) else None


def _window(op: StructuredOp) -> MovingWindow:
    return MovingWindow(
        op.dim_sizes,
        op.num_parallel,
        tuple(op.index_maps),
        op.contracts,
        to_numpy(element_type(op.result.type)).itemsize,
        max(to_numpy(element_type(v.type)).itemsize for v in op.inputs),
        {padded.dim: padded.border for padded in padded_dims(op)},
    )


def _steps(op: StructuredOp, lanes: int, block: dict[int, int], per_dot: int) -> list[Step]:
    """The steps for blocks of so many results along some dims.

    As many registers of words come out of one of each number in them, so a vector has that many.
    """
    lane, moving = op.dim_names[op.num_parallel - 1], [op.dim_names[i] for i in _window(op).moving_dims]
    steps: list[Step] = []
    if moving and any(isinstance(v.owner, PadOp) for v in op.inputs):
        # A copy would be as much work as all the rest.
        steps.append(Partition.along(*moving))
    lanes *= per_dot
    vectorize = Vectorize(f"{lane}i", lanes)
    steps += [Tile(lane, lanes), *([] if per_dot > 1 else [vectorize])]
    unrolled = [dim for dim in reversed(block) if block[dim] > 1]
    # A loop over the copies of the others: each iteration has several that do not wait for each other.
    is_loop = (
        per_dot == 1 and len(unrolled) > 1 and block[unrolled[0]] > _PAIR and is_long_epilogue(op, _OPS_OF_FUNCTION)
    )
    for dim in unrolled:
        unroll = UnrollReduction if is_loop and dim == unrolled[0] else Unroll
        steps += [Tile(op.dim_names[dim], block[dim]), unroll(f"{op.dim_names[dim]}i")]
    if per_dot > 1:
        written_out = map(Unroll, short_reductions(op, MOST_TAPS_OF_DOTS))
        return [*steps, *written_out, DotTaps(f"{lane}i", per_dot), vectorize]
    # LLVM makes the same code of them, and there are as many copies as parts of the image.
    return [*steps, *(LlvmUnroll(name, taps) for name, taps in short_reductions(op, MOST_TAPS).items())]


def _steps_of_row(op: StructuredOp, lanes: int, row: dict[int, int]) -> list[Step] | None:
    """The steps for a row of results, in which the window is written out along the row; None where that is too long.

    Along the other dims it ends where the image does.
    """
    ((dim, size),) = row.items()
    padded = sorted(padded_dims(op), key=lambda each: each.dim)
    taps = [max(terms) for m in op.index_maps for e in m.results if dim in (terms := split_terms(e)) and len(terms) > 1]
    if len(set(taps)) != 1 or op.dim_sizes[taps[0]] * size > MOST_PRODUCTS:
        return None
    if any(each.dilation > 1 for each in padded if each.dim != dim):
        return None
    lane, name = op.dim_names[op.num_parallel - 1], op.dim_names[dim]
    steps: list[Step] = [Tile(lane, lanes), Vectorize(f"{lane}i", lanes), Tile(name, size), Unroll(f"{name}i")]
    if op.dim_sizes[taps[0]] > 1:
        steps.append(Unroll(op.dim_names[taps[0]]))
    # The outermost first: the rows above and below an image are padding of their whole width.
    return [*steps, *(Partition(name) if each.dim == dim else Clip(op.dim_names[each.dim]) for each in padded)]


def _moves(op: StructuredOp) -> bool:
    """Whether a subscript of an operand has a position and a tap in it."""
    return any(
        min(used) < op.num_parallel <= max(used)
        for affine in op.index_maps
        for subscript in affine.results
        if (used := subscript.used_dims())
    )
