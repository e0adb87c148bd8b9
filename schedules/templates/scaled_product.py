"""Choosing the loops of products with short constant weights, with or without a scale for each group of rows.

    for n blocks: for rows: for g: { for k: sums[rows × vectors] += x[row, k] * w[k, n]; acc += sums * scale[g, n] }

Where both factors are integers, sums are dot products of words; weights of two and four bits become bytes for these.

Weights are read once where rows are few, so their bytes take the time: they stay short until they are in registers.
Rows that fill several tiles share a panel of floats, which stays in the first cache (`_steps_of_panels`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.analysis.argument_names import argument_name
from mlc.dialects.loop.dot import WORD_BITS, per_word
from mlc.dialects.loop.prefetch import SECOND_CACHE
from mlc.dialects.loop.steps import Step
from mlc.dialects.loop.unpack import PER_WORD
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.register_tile import RegisterTile, TileProblem, tiles_near_best
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.cache_read import CacheRead
from mlc.schedules.steps.cache_write import CacheWrite
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unpack import Unpack
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._tile_problems import rows_in_cache
from mlc.support.dtypes import bytes_of, to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine

_NUMBER = to_numpy(f32).itemsize
_BYTE = 8
_NARROWER = 0.5
"""By which part a register tile may take longer than the best one, whose panel no cache holds."""
_SHARED = 0.1
"""By which part a register tile may take longer than the best one, if its panels are those of code for one row."""
_BLOCKS = 16
"""How many blocks of columns there are at least, if there are enough of them: threads share them."""
_OF_SECOND_CACHE = 0.25
"""How much of the second cache sums of groups may take: rows, panels and scales pass by."""


_UNPACKED_EACH_TIME = "weights that each tile of rows unpacks"


class ScaledProducts(ScheduleTemplate):
    """Products with constants of i8 in groups: panels of them, and of their scales, widened in registers."""

    name = "scaled_product"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        inner = next((op for op in kernel.ops if _widens(op) or _is_group_of_integers(op, kernel.ops)), None)
        if inner is None:
            return
        if steps := _steps_of_panels(inner, kernel):
            yield Candidate(tuple(steps))
        yield Candidate(tuple(_steps(inner, kernel)), _UNPACKED_EACH_TIME if steps else "", bool(steps))


def _widens(op: StructuredOp) -> bool:
    """Whether it sums products of f32 with integers."""
    return (
        op.contracts and element_type(op.result.type) == f32 and [element_type(v.type) for v in op.inputs] == [f32, i8]
    )


def _is_group_of_integers(op: StructuredOp, ops: Sequence[StructuredOp]) -> bool:
    """Whether it sums products of integers in groups, of which another op sums scaled ones."""
    is_outside = any(each.contracts and element_type(each.result.type) == f32 for each in ops)
    integers = op.contracts and element_type(op.result.type) == i32
    return integers and is_outside and [element_type(v.type) for v in op.inputs] == [i8, i8]


def _steps(inner: StructuredOp, kernel: TensorKernel) -> list[Step]:
    machine, lanes = kernel.machine, kernel.lanes
    column, reduced = inner.dim_names[inner.num_parallel - 1], inner.dim_names[-1]
    columns, depth = inner.dim_sizes[inner.num_parallel - 1], inner.dim_sizes[-1]
    outer = [op for op in kernel.ops if op.contracts and op is not inner]
    rows_in_way = rows_in_cache(inner.inputs[0], inner.index_maps[0], 0, machine)
    count = inner.dim_sizes[0] if inner.num_parallel > 1 + len(outer) else 1
    tile = _tile(count, rows_in_way, bool(outer), machine)
    # Code for one row, which may be in the same artifact, has wide panels: these are the same, and tiles take parts.
    panel = max(tile.vectors, _tile(1, 1, bool(outer), machine).vectors)
    width = panel * lanes
    weights, rows = inner.inputs[1], inner.dim_names[: inner.num_parallel - 1 - len(outer)]
    known, bits = _known_matrices(kernel, column, rows), _bits(weights, kernel)
    steps: list[Step] = []
    if _widens(inner):
        steps += [Unpack(reduced)] if bits == 4 and depth % PER_WORD == 0 else []
    elif weights in known and depth % per_word(i8) == 0:
        steps.append(
            Dot(reduced, max(count for count in (4, 8, 16) if depth % count == 0 and count * bits <= WORD_BITS))
        )
    if tile.rows > 1:
        steps.append(Interchange.around(column, *rows))
    steps += [Tile(column, width), *(Pack(argument_name(value), column) for value in known)]
    part = f"{column}i"
    if 1 < tile.vectors < panel:
        steps.append(Tile(part, tile.vectors * lanes))
        part += "i"
    steps += [Tile(part, lanes), Vectorize(f"{part}i", lanes), *([] if 1 == tile.vectors < panel else [Unroll(part)])]
    if tile.rows > 1:
        steps += [Tile(rows[-1], tile.rows), Unroll(f"{rows[-1]}i")]
    size = bytes_of(weights) // _numbers_per_byte(steps)
    panel_bytes = size * width // columns
    # Few rows compute while weights come, which other kernels drove out of the cache; one row waits for them.
    passing = max(size, kernel.weights) if tile.rows > 1 else size
    # Bytes that one row meets come one after the other, which the hardware sees: loads alone keep the memory busier.
    is_stream = tile.rows == 1 and bits == _BYTE
    if not is_stream and weights in known and 2 * panel_bytes <= machine.l2_bytes < passing and columns > width:
        loops = (reduced, *(op.dim_names[-1] for op in outer))
        steps += [PrefetchNext(loop, column, SECOND_CACHE) for loop in loops]
    return steps


def _steps_of_panels(inner: StructuredOp, kernel: TensorKernel) -> list[Step]:
    """The steps for rows that fill several tiles: weights are unpacked once for all of them, a panel at a time.

        for n blocks: { sums = 0; for g: for ni blocks: { unpack a panel; for rows: { for k: …; sums += … * scale } }
                        y = sums }

    The panel is in the first cache; of one group, in the second one. A block of columns is as wide as the second one
    holds sums for, so that rows, which may come from farther away, are seldom read. None for fewer rows, weights that
    are not constants, or long columns of one group.
    """
    machine, lanes, dim = kernel.machine, kernel.lanes, inner.num_parallel - 1
    column, columns, depth = inner.dim_names[dim], inner.dim_sizes[dim], inner.dim_sizes[-1]
    outer = [op for op in kernel.ops if op.contracts and op is not inner]
    weights, rows, count = inner.inputs[1], inner.dim_names[: inner.num_parallel - 1 - len(outer)], inner.dim_sizes[0]
    most, column_bytes = rows_in_cache(inner.inputs[0], inner.index_maps[0], 0, machine), depth * _NUMBER
    if not _widens(inner) or not rows or count <= _tile(count, most, bool(outer), machine).rows:
        return []
    problem = TileProblem(count, columns, lanes, most, column_bytes)
    # Code for one row, which may be in the same artifact, has panels of one width: these are the same, if they can be.
    alone = _tile(1, 1, bool(outer), machine).vectors
    shared = [t for t in tiles_near_best(problem, machine, _SHARED) if t.vectors == alone]
    tiles = [*shared, *tiles_near_best(problem, machine, _NARROWER)]
    cache = machine.l1_bytes if outer else machine.l2_bytes
    tile = next((t for t in tiles if 2 * column_bytes * t.vectors * lanes <= cache), None)
    known = _known_matrices(kernel, column, rows)
    if tile is None or not isinstance(weights, BlockArgument) or weights not in known:
        return []
    width = tile.vectors * lanes
    along, lane = (f"{argument_name(weights)}_{axis}" for axis in (0, 1))
    steps: list[Step] = [Interchange.around(column, *rows)]
    packed = column
    if outer:
        panels = int(_OF_SECOND_CACHE * machine.l2_bytes) // (count * width * _NUMBER)
        panels = max(1, min(panels, columns // (width * _BLOCKS)))
        packed = f"{column}i" if panels > 1 else column  # panels of one width, however many are used at a time
        steps += [Tile(column, panels * width), CacheWrite(outer[0].dim_names[-1], f"{column}i")]
    panel = f"{column}i" if outer else column
    steps += [Tile(panel, width), CacheRead(argument_name(weights), panel)]
    if _bits(weights, kernel) == 4 and depth % PER_WORD == 0:
        steps += [Interchange.around(lane, along), Unpack(along), Interchange.around(along, lane)]
    steps += [*(Pack(argument_name(value), packed) for value in known)]
    steps += [Tile(lane, lanes), Vectorize(f"{lane}i", lanes), Unroll(lane)]
    in_lanes = [Tile(f"{panel}i", lanes), Vectorize(f"{panel}ii", lanes), Unroll(f"{panel}i")]
    in_rows = [Tile(rows[-1], tile.rows), Unroll(f"{rows[-1]}i")]
    return [*steps, *in_rows, *in_lanes] if tile.holds_vectors else [*steps, *in_lanes, *in_rows]


def _known_matrices(kernel: TensorKernel, column: str, rows: Sequence[str]) -> list[BlockArgument]:
    """The constants that have a row for each of what is reduced, and are the same for all rows of the result."""
    name = kernel.function.sym_name.data
    read = [(op, *pair) for op in kernel.ops for pair in zip(op.inputs, op.index_maps, strict=True)]
    packed = [v for op, v, m in read if _is_matrix(op, m, column, rows)]
    return [v for v in packed if isinstance(v, BlockArgument) and (name, v.index) in kernel.constants]


def _bits(weights: SSAValue, kernel: TensorKernel) -> int:
    """How many bits the numbers of weights have."""
    key = kernel.function.sym_name.data, weights.index if isinstance(weights, BlockArgument) else -1
    return kernel.short_bits.get(key, 8)


def _numbers_per_byte(steps: Sequence[Step]) -> int:
    """How many weights a byte holds."""
    words = [step.count if isinstance(step, Dot) else PER_WORD for step in steps if isinstance(step, Dot | Unpack)]
    return max((count // 4 for count in words), default=1)


def _tile(count: int, most: int, in_groups: bool, machine: Machine) -> RegisterTile:
    """The tile of sums that stays in registers: twice, where sums of groups are added to others.

    As many rows as there are registers for share what is unpacked; of few rows, some vectors side by side keep
    multiply-adds from waiting for each other.

    Args:
        count: how many rows there are.
        most: how many of them the first cache can hold at a time.
        in_groups: whether there are sums of groups.
        machine: the one whose registers they are.
    """
    times, free = 2 if in_groups else 1, machine.vector_registers - 3
    fitting = min(most, free // times, machine.architecture.max_tile_rows)
    rows = -(-count // -(-count // fitting))
    vectors = max(1, free // (times * rows + 1))
    return RegisterTile(rows, min(machine.issue.fma_latency, 1 << vectors.bit_length() - 1))


def _is_matrix(op: StructuredOp, affine: AffineMap, column: str, rows: Sequence[str]) -> bool:
    """Whether an operand has a row for each of what is reduced, and is the same for all rows of the result."""
    if column not in op.dim_names:
        return False
    used = {op.dim_names[dim] for e in affine.results for dim in e.used_dims()}
    is_along = AffineExpr.dimension(op.dim_names.index(column)) == affine.results[-1] if affine.results else False
    return is_along and len(affine.results) > 1 and used.isdisjoint(rows)
