"""The default schedule of windows that move over an image: depthwise convolutions and pooling.

    for y, x blocks: for n: out[3 × 4 results] = combine of the taps, written out, of vectors along n

Each operand varies with the channel, which becomes lanes, so there is no operand to reuse from registers: the
register tile is a block of neighbouring results, whose windows overlap. Channels run innermost, so that memory is read
from front to back, once.

Taps of short integers become dot products: of words, into which neighbouring pixels are interleaved lane by lane.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from xdsl.dialects.tensor import PadOp
from xdsl.ir.affine import AffineMap

from mlc.analysis.in_place import is_one_nest
from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.schedules.steps.dot_taps import WORD_COST, DotTaps
from mlc.schedules.steps.partition import Partition
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import runs_along_memory
from mlc.schedules.templates._dots import taps_per_dot
from mlc.schedules.templates._padding import padded_dims
from mlc.schedules.templates.contraction import short_reductions
from mlc.support.affine import split_terms
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine

MOST_TAPS = 32
"""The largest window that becomes straight-line code."""
MOST_TAPS_OF_DOTS = 64
"""The same where several taps become one dot product."""
MOST_PRODUCTS = 144
"""How many taps all results of a block have, at most, where they become dot products."""
MOST_BESIDE = (6, 8)
"""How many results a block has below each other, and beside each other, at most."""
_SHOWN = 2
"""How many other blocks are candidates."""


class Windows(ScheduleTemplate):
    """One nest in which a window moves over an operand: blocks of results whose taps are written out."""

    name = "window"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        if (op := _moving_window(kernel.ops)) is None:
            return iter(())
        per_dot = taps_per_dot(op, kernel)
        blocks = _blocks(op, kernel.machine, per_dot)

        def candidate(place: int) -> Candidate:
            block = blocks[place]
            difference = f"blocks of {' x '.join(map(str, block.values()))} results" if place else ""
            return Candidate(tuple(_steps(op, kernel.lanes, block, per_dot)), difference, is_only_shown=place > 0)

        return distinct(candidate(place) for place in range(min(len(blocks), 1 + _SHOWN)))


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


def _moving_dims(op: StructuredOp) -> list[int]:
    """The dims of the result, but for the lanes, that have more than one place."""
    return [i for i in range(op.num_parallel - 1) if op.dim_sizes[i] > 1]


def _steps(op: StructuredOp, lanes: int, block: dict[int, int], per_dot: int) -> list[Step]:
    """The steps for blocks of so many results along some dims.

    As many registers of words come out of one of each number in them, so a vector has that many.
    """
    lane, moving = op.dim_names[op.num_parallel - 1], [op.dim_names[i] for i in _moving_dims(op)]
    steps: list[Step] = []
    if moving and any(isinstance(v.owner, PadOp) for v in op.inputs):
        # A copy would be as much work as all the rest.
        steps.append(Partition.along(*moving))
    lanes *= per_dot
    vectorize = Vectorize(f"{lane}i", lanes)
    steps += [Tile(lane, lanes), *([] if per_dot > 1 else [vectorize])]
    for dim in reversed(block):
        if block[dim] > 1:
            steps += [Tile(op.dim_names[dim], block[dim]), Unroll(f"{op.dim_names[dim]}i")]
    steps += short_reductions(op, MOST_TAPS if per_dot == 1 else MOST_TAPS_OF_DOTS)
    return [*steps, DotTaps(f"{lane}i", per_dot), vectorize] if per_dot > 1 else steps


def _moves(op: StructuredOp) -> bool:
    """Whether a subscript of an operand has a position and a tap in it."""
    return any(
        min(used) < op.num_parallel <= max(used)
        for affine in op.index_maps
        for subscript in affine.results
        if (used := subscript.used_dims())
    )


def _blocks(op: StructuredOp, machine: Machine, per_dot: int) -> list[dict[int, int]]:
    """Blocks of results, by their sizes along the last dims but for the lanes, the cheapest first.

    What is left without the borders is covered. Results take half of the registers at most; what is compared, and not
    multiplied and added, has to be loaded, and gets all of them at most.
    """
    dims = _moving_dims(op)[-2:]
    borders = {padded.dim: padded.border for padded in padded_dims(op)}
    inside = [max(op.dim_sizes[dim] - borders.get(dim, 0), 1) for dim in dims]

    def fits(block: Mapping[int, int]) -> bool:
        results = prod(block.values())
        if per_dot > 1:  # columns of results are done one after the other; words take registers, too
            *rows, columns = block.values() or (1,)
            waiting = prod(rows) * min(columns, max(op.dim_sizes[op.num_parallel :]))
            is_short = results * prod(op.dim_sizes[op.num_parallel :]) <= MOST_PRODUCTS
            return results == 1 or (is_short and per_dot * (waiting + 1) <= machine.vector_registers)
        is_loaded = op.contracts or results == 1 or _places_read(op, block) <= machine.vector_registers
        return is_loaded and results <= machine.vector_registers // 2

    def cost(block: Mapping[int, int]) -> float:
        covered = zip(inside, block.values(), strict=True)
        parts = [[(size, whole // size), (whole % size, 1 if whole % size else 0)] for whole, size in covered]
        total = 0.0
        for piece in product(*parts):
            if times := prod(number for _, number in piece):
                sizes = (size for size, _ in piece)
                part = dict(zip(dims, sizes, strict=True))
                cycles = (
                    _cycles_of_block(op, part, machine) if per_dot == 1 else _cost_of_dots(op, part, machine, per_dot)
                )
                total += times * cycles
        return total

    most = [min(n, size) for n, size in zip(MOST_BESIDE[-len(dims) :], inside, strict=True)] if dims else []
    sizes = product(*(range(1, n + 1) for n in most))
    blocks = [block for each in sizes if fits(block := dict(zip(dims, each, strict=True)))]
    return sorted(blocks, key=lambda block: (round(cost(block), 3), prod(block.values())))


def _cycles_of_block(op: StructuredOp, block: dict[int, int], machine: Machine) -> float:
    """The cycles of a vector of each result of a block.

    What the windows of a block share is loaded once. All lanes of a block pass by before the next one, along its last
    dim, begins: if the first cache holds these, it still has what the next block shares with it, and the weights.
    """
    sizes = _sizes(op, block)
    results = prod(sizes[: op.num_parallel])
    read = _places_read(op, block)
    arithmetic = prod(sizes) / (machine.issue.fma_units if op.contracts else machine.issue.adds)
    kept = read
    if block and (read + results) * _lane_bytes(op) <= machine.l1_bytes:
        last = next(reversed(block))
        kept = _places_read(op, {**block, last: 2 * block[last]}) - read
    arriving = kept * machine.vector_bits // 8 / machine.memory.l2_read
    return max(arithmetic, read / machine.issue.loads) + arriving


def _cost_of_dots(op: StructuredOp, block: Mapping[int, int], machine: Machine, per_dot: int) -> float:
    """The instructions of a block whose taps become dot products: as `dot_taps` makes words, along the best dim.

    All words of weights pass by before the next block begins. They arrive from the second cache, unless they fill no
    more than half of the first one.
    """
    sizes = _sizes(op, block)
    from_l2 = machine.issue.fma_units * machine.vector_bits // 8 / machine.memory.l2_read
    image = max(op.index_maps, key=lambda m: max(len(e.used_dims()) for e in m.results))
    moving = [terms for e in image.results if len(terms := split_terms(e)) == 2]
    costs: list[float] = []
    for terms in moving:
        (dim, stride), (window, dilation) = sorted(terms.items())
        reads = [{i * (stride or 1) + k * (dilation or 1) for k in range(sizes[window])} for i in range(sizes[dim])]
        place = {at: number // per_dot for number, at in enumerate(sorted(set[int]().union(*reads)))}
        dots = sum(len({place[at] for at in each}) for each in reads)
        others = [each for each in moving if each is not terms]
        columns = prod(_reached(each, sizes) for each in others)
        weights = dots * prod(sizes[max(each)] for each in others)
        beside = prod(sizes[min(each)] for each in others)
        is_near = 2 * weights * 4 * op.dim_sizes[op.num_parallel - 1] <= machine.l1_bytes
        words = WORD_COST * (max(place.values()) + 1) * columns
        costs.append(words + weights * (beside if is_near else beside + from_l2))
    return min(costs, default=float(prod(sizes)))


def _reached(terms: Mapping[int, int | None], sizes: Sequence[int]) -> int:
    """How many places a subscript has for so many values of each dim."""
    reached = {0}
    for dim, factor in terms.items():
        reached = {place + i * (factor or 1) for place in reached for i in range(sizes[dim])}
    return len(reached)


def _sizes(op: StructuredOp, block: Mapping[int, int]) -> list[int]:
    """How many places each dim has in a block."""
    return [block.get(i, 1) if i < op.num_parallel else size for i, size in enumerate(op.dim_sizes)]


def _places_read(op: StructuredOp, block: Mapping[int, int]) -> int:
    """How many vectors are loaded for a vector of each result of a block."""
    return sum(_places(affine, _sizes(op, block)) for affine in op.index_maps)


def _lane_bytes(op: StructuredOp) -> int:
    """The size of one place of an operand with all of its lanes."""
    return op.dim_sizes[op.num_parallel - 1] * to_numpy(element_type(op.result.type)).itemsize


def _places(affine: AffineMap, sizes: Sequence[int]) -> int:
    """How many places a map has for so many values of each dim, each subscript on its own."""
    return prod(_reached(split_terms(subscript), sizes) for subscript in affine.results)
