"""Choosing the loops of products with short constant weights, with or without a scale for each group of rows.

    for n blocks: for rows: for g: { for k: sums[rows × vectors] += x[row, k] * w[k, n]; acc += sums * scale[g, n] }

Where both factors are integers, sums are dot products of words; weights of two and four bits become bytes for these.

Weights are read once where rows are few, so their bytes take the time: they stay short until they are in registers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from xdsl.dialects.builtin import f32, i8, i32
from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.analysis.argument_names import argument_name
from mlc.dialects.loop.dot import WORD_BITS, per_word
from mlc.dialects.loop.prefetch import SECOND_CACHE
from mlc.dialects.loop.steps import Step
from mlc.dialects.loop.unpack import PER_WORD
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unpack import Unpack
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates.contraction import rows_in_cache
from mlc.support.dtypes import bytes_of
from mlc.support.types import element_type
from mlc.targets.machine import Machine


class ScaledProducts(ScheduleTemplate):
    """Products with constants of i8 in groups: panels of them, and of their scales, widened in registers."""

    name = "scaled_product"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        inner = next((op for op in kernel.ops if _widens(op) or _is_group_of_integers(op, kernel.ops)), None)
        if inner is not None:
            yield Candidate(tuple(_steps(inner, kernel)))


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
    name, machine, lanes = kernel.function.sym_name.data, kernel.machine, kernel.lanes
    column, reduced = inner.dim_names[inner.num_parallel - 1], inner.dim_names[-1]
    columns, depth = inner.dim_sizes[inner.num_parallel - 1], inner.dim_sizes[-1]
    outer = [op for op in kernel.ops if op.contracts and op is not inner]
    rows_in_way = rows_in_cache(inner.inputs[0], inner.index_maps[0], 0, machine)
    count = inner.dim_sizes[0] if inner.num_parallel > 1 + len(outer) else 1
    tile = _tile(count, rows_in_way, bool(outer), machine)
    width = tile.vectors * lanes
    weights, rows = inner.inputs[1], inner.dim_names[: inner.num_parallel - 1 - len(outer)]
    read = [(op, *pair) for op in kernel.ops for pair in zip(op.inputs, op.index_maps, strict=True)]
    packed = [v for op, v, m in read if _is_matrix(op, m, column, rows)]
    known = [v for v in packed if isinstance(v, BlockArgument) and (name, v.index) in kernel.constants]
    bits = kernel.short_bits.get((name, weights.index), 8) if isinstance(weights, BlockArgument) else 8
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
    steps += [Tile(f"{column}i", lanes), Vectorize(f"{column}ii", lanes), Unroll(f"{column}i")]
    if tile.rows > 1:
        steps += [Tile(rows[-1], tile.rows), Unroll(f"{rows[-1]}i")]
    size = bytes_of(weights) // _numbers_per_byte(steps)
    panel = size * width // columns
    if weights in known and 2 * panel <= machine.l2_bytes < size and columns > width:
        loops = (reduced, *(op.dim_names[-1] for op in outer))
        steps += [PrefetchNext(loop, column, SECOND_CACHE) for loop in loops]
    return steps


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
    used = {op.dim_names[dim] for e in affine.results for dim in e.used_dims()}
    is_along = AffineExpr.dimension(op.dim_names.index(column)) == affine.results[-1] if affine.results else False
    return is_along and len(affine.results) > 1 and used.isdisjoint(rows)
