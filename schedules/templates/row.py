"""Choosing the loops of kernels that reduce rows, columns or windows: softmax, norms, sums, pooling.

Such kernels do little arithmetic per element, so what counts is where the elements come from. All passes over a row run
before the next row does, while it is in the first cache (`fuse`), and each pass has several registers in flight, which
is what it takes to use a cache's bandwidth.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import BlockArgument, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.analysis.in_place import computed_in_place
from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.schedules.steps.fuse import Fuse
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.reuse_result import ReuseResult
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.steps.vectorize_reduction import VectorizeReduction
from mlc.support.affine import split_terms
from mlc.support.dtypes import bytes_of
from mlc.targets.machine import Machine

INTERLEAVED_ROWS = 2
"""Rows at a time: where a pass over a row ends, lanes are combined one after the other, for all rows at once."""
ELEMENTWISE_VECTORS = 4
"""Vectors of a row at a time in a pass that computes each element on its own: as many polynomials. Where the numbers of
these have to be in registers, it is vectors of all rows at a time."""
MOST_UNROLLED_TAPS = 16
"""The largest window that becomes straight-line code."""


class RowPasses(ScheduleTemplate):
    """Rows, columns, elements: vectors of the last dim, all passes over a row before the next row."""

    name = "row"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        def candidate(difference: str, variant: _RowVariant, is_only_shown: bool = True) -> Candidate:
            return Candidate(
                tuple(_steps(kernel.ops, kernel.lanes, kernel.machine, variant)), difference, is_only_shown
            )

        def all_candidates() -> Iterator[Candidate]:
            yield candidate("", _RowVariant(), is_only_shown=False)
            overlap = _overlap(nests_of(kernel.ops), kernel.lanes, kernel.machine)
            yield candidate("4 rows at a time", _RowVariant(rows=4), overlap)
            yield candidate("one row at a time", _RowVariant(rows=1), overlap)
            for vectors in (2, 8):
                yield candidate(f"{vectors} vectors of a row at a time", _RowVariant(vectors=vectors))
            yield candidate("passes over rows the other way, together or apart", _RowVariant(swaps_apart=True))
            yield candidate("a buffer of its own for what passes leave", _RowVariant(reuses_result=False))

        return distinct(all_candidates())


@dataclass(frozen=True)
class _RowVariant:
    """What is free in the schedule of rows, with what the default does."""

    rows: int = INTERLEAVED_ROWS
    vectors: int = ELEMENTWISE_VECTORS
    swaps_apart: bool = False
    """Whether passes over short rows are fused, and those over long ones left apart."""
    reuses_result: bool = True


def _steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine, variant: _RowVariant) -> list[Step]:
    """The steps for a kernel without contractions, on a machine with vectors of `lanes` elements."""
    nests = nests_of(ops)
    outer = _common_dims(nests)
    column = column_dim(nests)
    if column in outer:
        outer = outer[: outer.index(column)]
    rows = min(variant.rows, nests[0].over[outer[-1]]) if outer else 1
    partial = _partial_results(nests, lanes, max(_additions_in_flight(machine) // rows, 1))
    steps: list[Step] = []
    usual = min(rows, INTERLEAVED_ROWS)
    if _is_waited_for(nests, column, usual, lanes, machine) == variant.swaps_apart:
        steps += [Fuse(name) for name in outer if len(nests) > 1]
    reuses = variant.reuses_result and _waits_for_result(nests)
    if steps and reuses and column is not None and nests[-1].over[column] % lanes == 0:
        # A buffer of its own lies better where rows of the result begin within a vector: two passes store there.
        steps.append(ReuseResult(column))
    steps += partial
    if column is not None:
        # Of columns that are reduced, half of the registers hold results: long pieces of each row are read at a time.
        elementwise = variant.vectors // (1 if machine.architecture.has_memory_operands or not partial else rows)
        vectors = machine.vector_registers // 2 if reduced_dims(nests, column) else elementwise
        steps += _column_steps(nests, outer, column, lanes, vectors)
    if partial and rows > 1:
        steps += [Tile(outer[-1], rows), Unroll(f"{outer[-1]}i")]
    if column is not None and outer and Fuse(outer[-1]) in steps:
        steps += _prefetch_steps(nests, column, outer, rows, lanes, machine)
    return steps


@dataclass(frozen=True)
class Nest:
    """A structured op that becomes a loop nest, and those that are computed inside it."""

    root: StructuredOp
    inside: tuple[StructuredOp, ...]

    @property
    def over(self) -> dict[str, int]:
        """The dims of the parallel loops, with their sizes."""
        return dict(list(zip(self.root.dim_names, self.root.dim_sizes, strict=True))[: self.root.num_parallel])

    @property
    def reductions(self) -> list[StructuredOp]:
        """The ops that reduce."""
        return [op for op in (self.root, *self.inside) if op.reduction is not None]


def nests_of(ops: Sequence[StructuredOp]) -> list[Nest]:
    """The nests that the ops of a kernel become."""
    in_place = computed_in_place(ops[0].parent)
    return [Nest(op, tuple(_computed_inside(op, in_place))) for op in ops if op not in in_place]


def _computed_inside(root: StructuredOp, in_place: Container[StructuredOp]) -> dict[StructuredOp, None]:
    inside: dict[StructuredOp, None] = {}
    pending = [root]
    while pending:
        for operand in pending.pop().inputs:
            producer = operand.owner
            if isinstance(producer, StructuredOp) and producer in in_place and producer not in inside:
                inside[producer] = None
                pending.append(producer)
    return inside


def _is_waited_for(nests: Sequence[Nest], column: str | None, rows: int, lanes: int, machine: Machine) -> bool:
    """Whether rows are so short that each pass over them would wait for what the pass before it has just stored.

    Loading that and computing with it takes some cycles, in which that many vectors could start. Where there are fewer,
    a pass goes over all rows, which do not wait for each other, before the next one does: as long as the second cache
    holds what passes leave for each other.
    """
    if column is None or len(nests) == 1 or not any(nest.reductions for nest in nests):
        return False
    vectors = -(-nests[-1].over[column] // lanes)
    between = sum(bytes_of(nest.root.result) for nest in nests[:-1])
    return rows * vectors < _vectors_in_flight(machine) and 2 * between <= machine.l2_bytes


def _overlap(nests: Sequence[Nest], lanes: int, machine: Machine) -> bool:
    """Whether rows are so short that a core begins with the next ones before it has combined the lanes of the first.

    No estimate knows that.
    """
    reductions = [op for nest in nests for op in nest.reductions]
    terms = [op.dim_sizes[-1] for op in reductions if stride_along(op, len(op.dims) - 1) is None]
    return INTERLEAVED_ROWS * min(terms, default=0) // lanes < _vectors_in_flight(machine)


def _vectors_in_flight(machine: Machine) -> int:
    """How many vectors could start while one is loaded and computed with."""
    return machine.issue.fma_units * (machine.memory.l1_latency + machine.issue.fma_latency)


def _prefetch_steps(
    nests: Sequence[Nest], column: str, outer: Sequence[str], rows: int, lanes: int, machine: Machine
) -> list[Step]:
    """Let a pass that reads rows again ask for the next `rows`, for which the first pass over these would wait.

    No prefetcher foresees what is beyond the end of a page. Rows arrive in time if the passes that read them take
    longer than the last cache, a cycle or more for each of their vectors. They stay if the first cache holds them
    beside those that passes work on, and they are there anyway if it holds all.
    """
    read_first = set(_arguments_of(nests[0]))
    passes = [read_first.intersection(_arguments_of(nest)) for nest in nests if nest is nests[0] or column in nest.over]
    again = set[SSAValue]().union(*passes[1:])
    read, result = sum(map(bytes_of, again)), bytes_of(nests[-1].root.result)
    count = prod(nests[-1].over[name] for name in outer)
    cycles = rows * nests[-1].over[column] // lanes * sum(map(bool, passes))
    in_time = cycles > machine.memory.l3_latency
    stay = rows * (2 * read + result) / count <= machine.l1_bytes < read + result
    return [PrefetchNext(column, outer[-1])] if again and in_time and stay else []


def _arguments_of(nest: Nest) -> list[SSAValue]:
    """What a nest reads that no nest computed."""
    values = [v for op in (nest.root, *nest.inside) for v in op.inputs]
    return [v for v in dict.fromkeys(values) if isinstance(v, BlockArgument)]


def _waits_for_result(nests: Sequence[Nest]) -> bool:
    """Whether the last nest stores each element of the result where it reads one that a nest before it computed.

    There are sums or maxima between them; without, both would be one loop, and nothing would wait.
    """
    if not any(nest.reductions for nest in nests):
        return False
    last, before = nests[-1], [nest.root for nest in nests[:-1]]
    reads = [
        (value, affine)
        for op in (last.root, *last.inside)
        for value, affine in zip(op.inputs, op.index_maps, strict=True)
    ]
    own = [AffineExpr.dimension(i) for i in range(last.root.num_parallel)]
    return any(
        value.owner in before and value.type == last.root.result.type and list(affine.results) == own
        for value, affine in reads
    )


def _common_dims(nests: Sequence[Nest]) -> list[str]:
    """The outer dims that all nests have, outermost first."""
    common: list[str] = []
    for dims in zip(*(nest.over.items() for nest in nests), strict=False):
        if len(set(dims)) > 1:
            break
        common.append(dims[0][0])
    return common


def column_dim(nests: Sequence[Nest]) -> str | None:
    """The dim that becomes vectors: the last one of the last nest, if all nests that have it read along it."""
    over = nests[-1].over
    if not over:
        return None
    name = list(over)[-1]
    for nest in nests:
        for op in (nest.root, *nest.inside):
            if name in op.dim_names and stride_along(op, op.dim_names.index(name)) is not None:
                return None
    return name


def stride_along(op: StructuredOp, dim: int) -> int | None:
    """The first operand that depends on a dim but is not read along it, each element or every other one.

    Every other element is two loads and a shuffle; what is further apart would be loaded lane by lane.
    """
    for operand, affine in enumerate(op.index_maps):
        if not affine.results:
            continue
        *outer, last = affine.results
        if split_terms(last).get(dim, 0) not in (0, 1, 2) or any(dim in e.used_dims() for e in outer):
            return operand
    return None


def _additions_in_flight(machine: Machine) -> int:
    """How many vectors of partial results keep additions from waiting for each other: a power of two."""
    return 1 << (machine.issue.adds * machine.issue.add_latency - 1).bit_length()


def _partial_results(nests: Sequence[Nest], lanes: int, most: int) -> list[Step]:
    """Partial results side by side, `most` vectors of them, for reductions whose last dim is contiguous."""
    steps: dict[str, Step] = {}
    for nest in nests:
        for op in nest.reductions:
            name, size = op.dim_names[-1], op.dim_sizes[-1]
            if name not in steps and size > 1 and stride_along(op, len(op.dims) - 1) is None:
                vectors = min(most, max(size // lanes, 1))
                steps[name] = VectorizeReduction(name, (1 << vectors.bit_length() - 1) * lanes)
    return list(steps.values())


def _column_steps(nests: Sequence[Nest], outer: Sequence[str], column: str, lanes: int, vectors: int) -> list[Step]:
    """The column dim as vectors, `vectors` of them side by side; windows as straight-line code."""
    reduced = reduced_dims(nests, column)
    blocks = Tile(column, vectors * lanes)
    rows = [name for name in nests[-1].over if name not in outer and name != column]
    steps: list[Step] = [blocks]
    if len(nests) > 1 and reduced and rows:
        # Columns outside, so that all passes over a few columns follow each other. Blocks come after that: beside what
        # fills no block they are not a perfect nest any more.
        points = f"{column}i"
        steps = [Interchange.around(column, *rows), blocks, Interchange.around(*rows, points), Fuse(column)]
    steps += [Tile(f"{column}i", lanes), Vectorize(f"{column}ii", lanes), Unroll(f"{column}i")]
    if any(nest.over.get(column, 0) % lanes for nest in nests):
        # The last columns fill no vector: their reduction joins that of the others.
        steps += [Fuse(name) for name in reduced]
    taps = 1
    for name, size in reversed(reduced.items()):
        taps *= size
        if taps <= MOST_UNROLLED_TAPS:
            steps.append(Unroll(name))
    return steps


def reduced_dims(nests: Sequence[Nest], column: str) -> dict[str, int]:
    """The dims that are reduced column by column, outermost first, with their largest size in the kernel."""
    sizes: dict[str, int] = {}
    for nest in nests:
        for op in nest.reductions:
            if column in op.dim_names and stride_along(op, len(op.dims) - 1) is not None:
                for name, size in list(zip(op.dim_names, op.dim_sizes, strict=True))[op.num_parallel :]:
                    sizes[name] = max(size, sizes.get(name, 0))
    return sizes
