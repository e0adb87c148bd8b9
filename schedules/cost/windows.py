"""What blocks of results of a window cost that moves over an image, where each lane has weights of its own.

Depthwise convolutions and pooling: their template asks which block is cheapest, and `use-integer-products` what that
one takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod

from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.schedules.steps.dot_taps import WORD_COST
from mlc.schedules.steps.partition import MOST_PARTS
from mlc.support.affine import split_terms
from mlc.targets.machine import Machine

MOST_PRODUCTS = 144
"""How many taps all results of a block have, at most, where they become dot products."""
MOST_BESIDE = (6, 8)
"""How many results a block has below each other, and beside each other, at most."""
_NEARLY = 1.03
"""What tells apart costs of blocks: an estimate is not better than that."""
_WORTH_OF_PIECES = 1.06
"""How much more blocks have to cost than pieces of rows, which read more lines at a time: of images that come from the
last cache, pieces that seem to cost 0.95 of the blocks took 1.1 to 1.4 times as long, measured on Zen 4."""
_WIDENING = 2
"""Operations that make a vector of f32 of numbers of 16 bits."""


@dataclass(frozen=True)
class MovingWindow:
    """Dims, parallel ones first, of which the last parallel one becomes lanes, and how operands are read at them."""

    dim_sizes: tuple[int, ...]
    num_parallel: int
    index_maps: tuple[AffineMap, ...]
    contracts: bool
    """Whether taps are multiplied and added; else they are compared."""
    result_bytes: int
    """Of a number of the result."""
    read_bytes: int
    """Of a number that the window moves over; if it is shorter, each load widens a vector of them."""
    borders: Mapping[int, int] = field(default_factory=dict[int, int])
    """By dim, how many places meet padding."""

    @staticmethod
    def depthwise(
        positions: Sequence[int],
        kernel: Sequence[int],
        strides: Sequence[int],
        dilations: Sequence[int],
        channels: int,
        read_bytes: int = 4,
    ) -> MovingWindow:
        """That of a convolution of f32 whose channels are apart; all lists are by spatial dim."""
        count = len(positions)
        dims = [AffineExpr.dimension(i) for i in range(2 * count + 1)]
        lane, taps = dims[count], dims[count + 1 :]
        image = [y * s + k * d for y, k, s, d in zip(dims, taps, strides, dilations, strict=False)]
        maps = tuple(AffineMap(len(dims), 0, (*subscripts, lane)) for subscripts in (image, taps))
        return MovingWindow((*positions, channels, *kernel), count + 1, maps, True, 4, read_bytes)

    @property
    def moving_dims(self) -> list[int]:
        """The dims of the result, but for the lanes, that have more than one place."""
        return [i for i in range(self.num_parallel - 1) if self.dim_sizes[i] > 1]

    @property
    def lanes(self) -> int:
        """How many numbers a place has."""
        return self.dim_sizes[self.num_parallel - 1]

    def inside(self, dim: int) -> int:
        """How many places of a dim meet no padding; one at least."""
        return max(self.dim_sizes[dim] - self.borders.get(dim, 0), 1)


def blocks_of_results(op: MovingWindow, machine: Machine, per_dot: int) -> list[dict[int, int]]:
    """Blocks of results, by their sizes along the last dims but for the lanes, the best first and then by their cost.

    What is left without the borders is covered. Results take half of the registers at most; what is compared, and not
    multiplied and added, has to be loaded, and gets all of them at most. Of blocks that cost nearly the same, the best
    is that of which the fewest results are written out, which takes the least time to compile.
    """
    dims = op.moving_dims[-2:]
    inside = [op.inside(dim) for dim in dims]

    def fits(block: Mapping[int, int]) -> bool:
        results = prod(block.values())
        if per_dot > 1:  # columns of results are done one after the other; words take registers, too
            *rows, columns = block.values() or (1,)
            waiting = prod(rows) * min(columns, max(op.dim_sizes[op.num_parallel :]))
            is_short = results * prod(op.dim_sizes[op.num_parallel :]) <= MOST_PRODUCTS
            return results == 1 or (is_short and per_dot * (waiting + 1) <= machine.vector_registers)
        is_loaded = op.contracts or results == 1 or _places_read(op, block) <= machine.vector_registers
        return is_loaded and results <= machine.vector_registers // 2

    def cost(block: Mapping[int, int]) -> tuple[float, int]:
        return round(sum(_cycles_of_blocks(op, block, machine, per_dot)), 3), prod(block.values())

    most = [min(n, size) for n, size in zip(MOST_BESIDE[-len(dims) :], inside, strict=True)] if dims else []
    blocks = (dict(zip(dims, sizes, strict=True)) for sizes in product(*(range(1, n + 1) for n in most)))
    costs = sorted(((cost(block), block) for block in filter(fits, blocks)), key=lambda each: each[0])
    near = [block for (cycles, _), block in costs if cycles <= _NEARLY * costs[0][0][0]]
    best = min(near, key=lambda block: _written_out(op, block))
    return [best, *(block for _, block in costs if block is not best)]


def _written_out(op: MovingWindow, block: Mapping[int, int]) -> int:
    """How many results all copies of the loops together have: for what blocks cover, what is left, and borders."""
    along = [
        sum(size for size, number in _parts(op.inside(dim), size) if number) + op.borders.get(dim, 0)
        for dim, size in block.items()
    ]
    return prod(along)


def rows_of_results(op: MovingWindow, best: Mapping[int, int], machine: Machine) -> dict[int, int] | None:
    """Rows of results of an image with padding, or equal pieces of them, if these cost no more than the best block.

    Windows over a row leave out the taps in the padding beside it, and end where the image does above and below: two or
    three nests do all of the image. Blocks need a copy of the loops for each border and corner, where they have one
    result along a dim, or a padded copy of an image with more borders than they divide. Half of the registers hold a
    piece.
    """
    dims = op.moving_dims[-2:]
    if len(dims) < 2 or not op.borders or not op.contracts:
        return None
    down, along = dims
    pieces = -(-op.dim_sizes[along] // (machine.vector_registers // 2))
    size = -(-op.dim_sizes[along] // pieces)
    row = {along: _parts(op.dim_sizes[along], size), down: [(1, op.dim_sizes[down])]}
    block = {**dict.fromkeys(dims, 1), **best}
    blocks = {dim: [*_parts(op.inside(dim), size), (1, op.borders.get(dim, 0))] for dim, size in block.items()}
    of_rows, of_blocks = (sum(_cycles_of_parts(op, parts, machine, 1)) for parts in (row, blocks))
    is_copied = max(op.borders.values()) >= MOST_PARTS
    least = 1.0 if pieces == 1 or is_copied else _WORTH_OF_PIECES
    return {along: size} if of_rows * least <= of_blocks else None


def window_cycles(op: MovingWindow, machine: Machine, per_dot: int) -> float:
    """The cycles of all results in the best blocks, but for what follows their sums; what arrives is not waited for."""
    block = blocks_of_results(op, machine, per_dot)[0]
    others = prod(size for dim, size in enumerate(op.dim_sizes[: op.num_parallel - 1]) if dim not in block)
    vectors = -(-op.dim_sizes[op.num_parallel - 1] // machine.lanes(32))
    return max(_cycles_of_blocks(op, block, machine, per_dot)) * others * vectors


def _cycles_of_blocks(
    op: MovingWindow, block: Mapping[int, int], machine: Machine, per_dot: int
) -> tuple[float, float]:
    """The cycles of a vector of all results along the dims of a block, with smaller blocks at the ends: those of
    computing, and those in which operands arrive from the second cache."""
    return _cycles_of_parts(op, {dim: _parts(op.inside(dim), size) for dim, size in block.items()}, machine, per_dot)


_Parts = list[tuple[int, int]]
"""What a dim is divided into: how many results a block has along it, and how many such blocks there are."""


def _parts(extent: int, size: int) -> _Parts:
    return [(size, extent // size), (extent % size, 1 if extent % size else 0)]


def _cycles_of_parts(
    op: MovingWindow, parts: Mapping[int, _Parts], machine: Machine, per_dot: int
) -> tuple[float, float]:
    computing = arriving = 0.0
    for piece in product(*parts.values()):
        if times := prod(number for _, number in piece):
            part = dict(zip(parts, (size for size, _ in piece), strict=True))
            busy, late = _of_block(op, part, machine) if per_dot == 1 else _of_dots(op, part, machine, per_dot)
            computing += times * busy
            arriving += times * late
    return computing, arriving


def _of_block(op: MovingWindow, block: Mapping[int, int], machine: Machine) -> tuple[float, float]:
    """The cycles of a vector of each result of a block: of computing it, and until its operands have arrived.

    What the windows of a block share is loaded once. All lanes of a block pass by before the next one, along its last
    dim, begins: if the first cache holds these, it still has what the next block shares with it, and the weights.
    """
    sizes = _sizes(op, block)
    results = prod(sizes[: op.num_parallel])
    read = _places_read(op, block)
    units = machine.issue.fma_units if op.contracts else machine.issue.adds
    arithmetic = (prod(sizes) + (_WIDENING * read if op.read_bytes < op.result_bytes else 0)) / units
    kept = read
    if block and (read * op.read_bytes + results * op.result_bytes) * op.lanes <= machine.l1_bytes:
        last = next(reversed(block))
        kept = _places_read(op, {**block, last: 2 * block[last]}) - read
    arriving = kept * machine.vector_bits // 8 / machine.memory.l2_read * op.read_bytes / op.result_bytes
    return max(arithmetic, read / machine.issue.loads), arriving


def _of_dots(op: MovingWindow, block: Mapping[int, int], machine: Machine, per_dot: int) -> tuple[float, float]:
    """The same of a block whose taps become dot products: as `dot_taps` makes words, along the best dim.

    All words of weights pass by before the next block begins. They arrive from the second cache, unless they fill no
    more than half of the first one.
    """
    sizes = _sizes(op, block)
    image = max(op.index_maps, key=lambda m: max(len(e.used_dims()) for e in m.results))
    moving = [terms for e in image.results if len(terms := split_terms(e)) == 2]
    costs: list[tuple[float, float]] = []
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
        arriving = 0.0 if is_near else weights * machine.vector_bits // 8 / machine.memory.l2_read
        costs.append(((words + weights * beside) / machine.issue.fma_units, arriving))
    return min(costs, key=sum, default=(float(prod(sizes)), 0.0))


def _reached(terms: Mapping[int, int | None], sizes: Sequence[int]) -> int:
    """How many places a subscript has for so many values of each dim."""
    reached = {0}
    for dim, factor in terms.items():
        reached = {place + i * (factor or 1) for place in reached for i in range(sizes[dim])}
    return len(reached)


def _sizes(op: MovingWindow, block: Mapping[int, int]) -> list[int]:
    """How many places each dim has in a block."""
    return [block.get(i, 1) if i < op.num_parallel else size for i, size in enumerate(op.dim_sizes)]


def _places_read(op: MovingWindow, block: Mapping[int, int]) -> int:
    """How many vectors are loaded for a vector of each result of a block."""
    return sum(_places(affine, _sizes(op, block)) for affine in op.index_maps)


def _places(affine: AffineMap, sizes: Sequence[int]) -> int:
    """How many places a map has for so many values of each dim, each subscript on its own."""
    return prod(_reached(split_terms(subscript), sizes) for subscript in affine.results)
