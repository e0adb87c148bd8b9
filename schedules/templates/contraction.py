"""The default schedule of kernels around a contraction: matrix products and convolutions.

    for n blocks: for rows …: for k: acc[rows × vectors] += x[row, k] * w[n, k]

Blocks of `n` stand outermost, so that one panel of weights stays in cache while all rows pass by it; or blocks of rows
around them, where these are many (`_row_blocks.py`).
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from math import gcd, prod

from xdsl.ir import BlockArgument
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.analysis.argument_names import argument_name
from mlc.dialects.loop.dot import LONG_WORD_BITS
from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.register_tile import (
    MOST_VECTORS,
    RegisterTile,
    tile_cycles,
    tiles_near_best,
)
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.schedules.steps.dot import Dot
from mlc.schedules.steps.fuse import Fuse
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.pack import Pack
from mlc.schedules.steps.prefetch import Prefetch
from mlc.schedules.steps.split_reduction import SplitReduction
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.unroll_reduction import UnrollReduction
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.templates._contractions import (
    Contraction,
    bytes_apart,
    can_be_packed,
    contractions_of,
    runs_along_memory,
)
from mlc.schedules.templates._dots import multiplying, steps_per_dot
from mlc.schedules.templates._epilogue import loops_over_epilogue
from mlc.schedules.templates._mma import mma_steps
from mlc.schedules.templates._padding import Borders, padding_of_rows, row_padding_steps, rows_to_partition
from mlc.schedules.templates._panels import next_panel_steps
from mlc.schedules.templates._row_blocks import all_rows, row_blocks
from mlc.schedules.templates._tile_problems import tile_problem, with_long_words
from mlc.support.dtypes import bytes_of
from mlc.targets.machine import Machine

SHORT = 4
"""The most steps of a reduction that are written out."""
LONG = 8
"""How many steps of a reduction, for each of its results, are worth combining these at the end."""
READS_PER_PACKING = 32
"""How many rows at least read an operand that the kernel packs itself."""


@dataclass(frozen=True)
class _TileVariant:
    """What is free in the schedule of a contraction, with what the default does."""

    tile: int = 0
    """Which of the register tiles that take about as long, the best one first."""
    packs: bool | None = None
    """Whether operands are packed that are not known beforehand; None if many rows read them."""
    parts: int = 1
    """How many times as many results as multiply-adds ask for take turns."""
    blocks: bool | None = None
    """Whether rows are taken in blocks, where they are more than the second cache holds; None if they are far away."""


class Contractions(ScheduleTemplate):
    """A contraction with elementwise ops after it, or several side by side: register tiles of accumulators."""

    name = "contraction"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        each = contractions_of(kernel.ops)

        def candidate(variant: _TileVariant, difference: str = "", is_only_shown: bool = True) -> Candidate:
            # Loops of one name belong to all of them: what only one asks for would befall the others.
            steps = [contraction_steps(c, kernel, variant, is_alone=len(each) == 1) for c in each]
            return Candidate(tuple(steps_together(each, steps)), difference, is_only_shown)

        def all_candidates() -> Iterator[Candidate]:
            if len(each) == 1 and (steps := _mma_steps(each[0], kernel)):
                yield Candidate(tuple(steps))
                yield candidate(_TileVariant(), "dot products of vectors", is_only_shown=False)
            else:
                yield candidate(_TileVariant(), is_only_shown=False)
            if all(_is_read_well(c, kernel.machine) for c in each):
                yield candidate(_TileVariant(packs=False), "operands read where they lie", is_only_shown=False)
            # That tiles take about as long as each other is what their own cost says, and estimates of their loops.
            yield from (
                candidate(_TileVariant(tile=n), f"the register tile that is number {n + 1} by cost") for n in (1, 2, 3)
            )
            yield candidate(_TileVariant(packs=True), "operands packed for the few rows that there are")
            yield candidate(_TileVariant(parts=2), "twice as many results that take turns")
            yield candidate(_TileVariant(blocks=True), "rows in blocks that stay in a cache while all panels pass by")
            yield candidate(_TileVariant(blocks=False), "all rows use a panel before the next one")

        return distinct(all_candidates())


def _mma_steps(contraction: Contraction, kernel: TensorKernel) -> list[Step]:
    """Steps with products of matrices in registers; none where the target has none, or dot products are faster."""
    machine = kernel.machine
    contraction = replace(contraction, per_dot=steps_per_dot(contraction, kernel.constants, machine))
    if contraction.per_dot == 1 or machine.matrix_registers is None:
        return []
    problem, computing = tile_problem(contraction, kernel.lanes, 0.0, machine), multiplying(contraction, machine)
    others = prod(contraction.op.dim_sizes[i] for i in range(contraction.lane_dim) if i != contraction.row_dim)
    cycles = tile_cycles(tiles_near_best(problem, computing)[0], problem, computing)
    return mma_steps(contraction, machine, cycles * others * prod(contraction.reduced_sizes), kernel.weights)


def steps_together(contractions: Sequence[Contraction], each: Sequence[list[Step]]) -> list[Step]:
    """The steps for several contractions with one lane dim: in step with each other, what they share once.

    A step for a dim that is reduced is for all loops of that name, so all that reduce it have to ask for it. None if
    one of them has none.
    """
    if not all(each):
        return []
    reduced = [_reduced_names(contraction.op) for contraction in contractions]

    def is_shared(step: Step) -> bool:
        return all(step in steps or names.isdisjoint(step.loops) for names, steps in zip(reduced, each, strict=True))

    together = (step for steps in zip_longest(*each) for step in steps if step is not None)
    return [step for step in dict.fromkeys(together) if is_shared(step)]


def _reduced_names(op: StructuredOp) -> set[str]:
    """The loops over the dims that it reduces, but for those of one iteration, and over blocks of these."""
    dims = zip(op.dim_names[op.num_parallel :], op.dim_sizes[op.num_parallel :], strict=True)
    return {name + suffix for name, size in dims if size > 1 for suffix in ("", "i")}


def contraction_steps(
    contraction: Contraction, kernel: TensorKernel, variant: _TileVariant, *, is_alone: bool = True
) -> list[Step]:
    """The steps for a kernel whose result a contraction computes; none if its last dim cannot become vectors.

    One that `is_alone` has no other contraction beside it, whose loops have the same names.
    """
    lanes, machine, constants = kernel.lanes, kernel.machine, kernel.constants
    contraction = replace(contraction, per_dot=steps_per_dot(contraction, constants, machine))
    contraction = with_long_words(contraction, kernel)
    op, row = contraction.op, contraction.row_dim
    shared = [m for _, m in contraction.operands_with_lanes()]
    if any(not runs_along_memory(m, contraction.lane_dim) for m in shared) and len(shared) != 1:
        return []
    if len(shared) == len(op.inputs):  # no operand is reused across lanes: a depthwise convolution, see window.py
        return []
    by_group = contraction.is_grouped and contraction.columns > lanes and contraction.columns % lanes != 0
    if contraction.is_grouped and not by_group:
        lanes = gcd(contraction.columns, lanes)
    padding = padding_of_rows(op, row)
    problem = tile_problem(contraction, lanes, 0.0 if padding is None else padding.share, machine)
    computing = multiplying(contraction, machine)
    if (vectors := _vectors_of_panels(contraction, lanes, machine, kernel.widths)) is not None:
        problem = replace(problem, vectors=vectors)
    tiles = tiles_near_best(problem, computing, 0.15)
    if variant.tile >= len(tiles):
        return []
    tile = tiles[variant.tile]
    if vectors is None and tile.rows == 1 and _bytes_of_panels(contraction) > machine.l2_bytes:
        # Read once, from far away: narrow panels, and several of their rows at a time, keep more reads in flight.
        tile = RegisterTile(1, min(tile.vectors, machine.issue.fma_latency))
    if contraction.is_grouped and not by_group:  # no block lies across two groups
        tile = RegisterTile(tile.rows, gcd(tile.vectors, contraction.columns // lanes))
    packed = [] if by_group else _operands_to_pack(contraction, tile, lanes, constants, variant.packs)
    if not packed and any(not runs_along_memory(m, contraction.lane_dim) for m in shared):
        return []
    lane = op.dim_names[contraction.lane_dim]
    own = contraction.unshared_dims
    parallel = [*own, *(i for i in range(contraction.lane_dim) if i not in own)]
    reductions = op.dim_names[op.num_parallel :]
    long = (LONG_WORD_BITS,) if contraction.word_bits == LONG_WORD_BITS else ()
    dots = [Dot(reductions[-1], contraction.per_dot, *long)] if contraction.per_dot > 1 else []
    # Each matrix of a batch that is packed is used up before the next one.
    batched = own if packed else []
    dims = [i for i in parallel if i not in batched]
    rows = all_rows(contraction, dims)
    peeled: list[int] = []
    if is_alone and not problem.is_ragged(tile) and not contraction.is_grouped:
        peeled = rows_to_partition(op, row, tile, machine)
    borders = Borders(op, row, peeled, padding is not None and tile.rows == problem.rows)
    if is_alone and variant.blocks is not False and not own and not contraction.is_grouped:
        width = tile.vectors * lanes
        rows = row_blocks(contraction, tile, width, dims, borders.whole, computing, at_once=variant.blocks is True)
    steps: list[Step] = [*dots, *rows.steps]
    if rows.inside:
        steps.append(Interchange.around(lane, *rows.inside))
    written_out = short_reductions(op, SHORT, contraction.reduced_sizes)
    at_borders = borders.steps(written_out, in_blocks=bool(rows.steps))
    if not problem.is_ragged(tile):
        steps += at_borders
    if by_group:  # groups end in the middle of a vector: each is a block of columns, with what is left over at its end
        steps.append(Tile(lane, contraction.columns))
        lane = f"{lane}i"
    steps.append(Tile(lane, tile.vectors * lanes))
    if parts := variant.parts * _parts(contraction, tile, computing):
        steps.append(SplitReduction(op.dim_names[-1], parts))
    for argument, affine in packed:
        steps += packing_steps(argument, affine, contraction, lanes, constants)
    by_epilogue = is_alone and loops_over_epilogue(contraction, tile, computing)
    in_lanes: list[Step] = [Tile(f"{lane}i", lanes), Vectorize(f"{lane}ii", lanes), Unroll(f"{lane}i")]
    if problem.has_whole_vectors(tile, machine) and not by_epilogue:  # one op at all levels, and LLVM makes registers
        in_lanes = [Vectorize(f"{lane}i", tile.vectors * lanes)]
    in_rows: list[Step] = []
    holds_vectors = tile.holds_vectors and not problem.pairs_rows  # a vector of long words takes two registers
    if row is not None and tile.rows > 1:
        name = rows.name(op.dim_names[row])
        in_rows = [Tile(name, tile.rows), Unroll(f"{name}i")]
    if by_epilogue:
        last = in_lanes if (holds_vectors and not problem.is_ragged(tile)) or not in_rows else in_rows
        last[-1] = UnrollReduction(*last[-1].loops)
    if not problem.is_ragged(tile):
        # What is unrolled last varies fastest, and what varies fastest is held in registers.
        steps += [*in_rows, *in_lanes] if holds_vectors else [*in_lanes, *in_rows]
    else:
        # The last vector of the last block is a nest of its own until it joins the others.
        kept = [op.dim_names[i] for i in batched]
        steps += [*in_lanes, *(Fuse(name) for name in (*kept, *rows.outside, *rows.inside, *reductions)), *in_rows]
    steps += map(Unroll, written_out)
    if problem.is_ragged(tile):  # loops that have joined others have one limit
        steps += at_borders
    if padding is not None and tile.rows == problem.rows > 1 and not parts:
        steps += row_padding_steps(op, padding, steps)
    steps += _prefetch_steps(contraction, steps, machine)
    if parts:
        return steps
    steps += _steps_of_iteration(contraction, steps, machine)
    if (
        packed
        and not contraction.is_grouped
        and all((contraction.kernel_name, v.index) in constants for v, _ in packed)
    ):
        steps += _next_panel_steps(contraction, tile, lanes, steps, rows.rows, kernel.weights, machine)
    return steps


def _vectors_of_panels(
    contraction: Contraction, lanes: int, machine: Machine, widths: Mapping[tuple[str, int], int]
) -> int | None:
    """How many vectors the panels of a kernel's weights are wide, if a tile can be; None if nothing is packed yet."""
    values = [value for value, _ in contraction.operands_with_lanes() if can_be_packed(value)]
    found = {widths[key] for value in values if (key := (contraction.kernel_name, value.index)) in widths}
    if len(found) != 1 or contraction.is_grouped or (width := found.pop()) % lanes:
        return None
    fits = width // lanes <= MOST_VECTORS and 2 * (width // lanes) < machine.vector_registers
    return width // lanes if fits else None


def _bytes_of_panels(contraction: Contraction) -> int:
    """The size of the operands that lanes run along."""
    return sum(bytes_of(value) for value, _ in contraction.operands_with_lanes())


def _prefetch_steps(contraction: Contraction, steps: Sequence[Step], machine: Machine) -> list[Step]:
    """Ask early for what a tile adds and writes at its end, where that is more than the second cache holds."""
    op, root = contraction.op, contraction.root
    added = [a for a in contraction.kernel.body.block.args if any(use.operation is not op for use in a.uses)]
    loops = [name for name in op.dim_names[op.num_parallel :] if Unroll(name) not in steps]
    far = sum(bytes_of(v) for v in (root.result, *added)) > machine.l2_bytes
    return [Prefetch(loops[0])] if far and loops else []


def _next_panel_steps(
    contraction: Contraction,
    tile: RegisterTile,
    lanes: int,
    steps: Sequence[Step],
    rows: int,
    weights: int,
    machine: Machine,
) -> list[Step]:
    """Let the rows of a product that use a panel of weights bring the next one."""
    op = contraction.op
    loops = [name for name in op.dim_names[op.num_parallel :] if Unroll(name) not in steps]
    if not loops:
        return []
    every = prod(op.dim_sizes[i] for i in range(contraction.lane_dim) if i not in contraction.unshared_dims)
    reduced, element_bytes = prod(contraction.reduced_sizes), contraction.step_bytes
    width = min(tile.vectors * lanes, op.dim_sizes[contraction.lane_dim])
    return next_panel_steps(
        tile,
        loops=(loops[-1], op.dim_names[contraction.lane_dim]),
        rows=rows,
        steps=reduced,
        panel=reduced * width * element_bytes,
        others=contraction.bytes_of_rows * rows // every + rows * width * element_bytes,
        weights=weights,
        machine=machine,
    )


def _steps_of_iteration(contraction: Contraction, steps: Sequence[Step], machine: Machine) -> list[Step]:
    """Write out as many steps of the innermost reduction as an iteration has, where no steps are written out yet."""
    name, together = contraction.op.dim_names[-1], machine.architecture.reduction_steps
    size = contraction.reduced_sizes[-1]
    if contraction.per_dot > 1:
        together = gcd(max(together, machine.words_per_load(contraction.word_bits)), size)
    if together == 1 or size % together or size == together or Unroll(name) in steps:
        return []
    return [Tile(name, together), Unroll(f"{name}i")]


def _parts(contraction: Contraction, tile: RegisterTile, machine: Machine) -> int:
    """How many results a small tile keeps per accumulator, so that its multiply-adds do not wait for each other."""
    in_flight = int(machine.issue.fma_units * machine.issue.fma_latency)
    parts = in_flight // (tile.rows * tile.vectors)
    return parts if parts > 1 and contraction.reduced_sizes[-1] >= LONG * parts else 0


def _is_read_well(contraction: Contraction, machine: Machine) -> bool:
    """Whether operands may be read where they lie without what no estimate knows of.

    That is rows that are in each other's way in caches, where panels lie elsewhere; and short pieces of rows that come
    from main memory.
    """
    op = contraction.op
    operands, reduced = contraction.operands_with_lanes(), range(op.num_parallel, len(op.dims))
    distances = [bytes_apart(value, affine, dim) for value, affine in operands for dim in reduced]
    apart = all(not distance or distance % machine.memory.set_period for distance in distances)
    return apart and _bytes_of_panels(contraction) <= max(machine.l2_bytes, machine.l3_bytes)


def _operands_to_pack(
    contraction: Contraction, tile: RegisterTile, lanes: int, constants: Container[tuple[str, int]], packs: bool | None
) -> list[tuple[BlockArgument, AffineMap]]:
    """The arguments of the kernel that are worth storing as panels.

    What the compiler packs costs nothing; what the kernel has to pack itself pays if enough rows read it. A matrix of
    one block is in order as it is.
    """
    op, lane = contraction.op, contraction.lane_dim
    found: list[tuple[BlockArgument, AffineMap]] = []
    for value, affine in contraction.operands_with_lanes():
        dims = set[int]().union(*(e.used_dims() for e in affine.results))
        is_known = can_be_packed(value) and (contraction.kernel_name, value.index) in constants
        is_batched = any(i in dims for i in range(lane))
        if not can_be_packed(value) or (is_batched and not is_known) or len(affine.results) < 2:
            continue
        in_order = affine.results[-1] == AffineExpr.dimension(lane) and op.dim_sizes[lane] <= tile.vectors * lanes
        pays = prod(op.dim_sizes[:lane]) >= READS_PER_PACKING if packs is None else packs
        if not in_order and (is_known or pays):
            found.append((value, affine))
    return found


def packing_steps(
    operand: BlockArgument,
    affine: AffineMap,
    contraction: Contraction,
    lanes: int,
    constants: Container[tuple[str, int]],
) -> list[Step]:
    """Pack an argument of the kernel; one that is none of `constants` by loops in the kernel, which have steps, too."""
    name = argument_name(operand)
    steps: list[Step] = [Pack(name, contraction.op.dim_names[contraction.lane_dim])]
    if (contraction.kernel_name, operand.index) in constants:
        return steps
    if runs_along_memory(affine, contraction.lane_dim):
        return [*steps, Tile(f"{name}_lane", lanes), Vectorize(f"{name}_lanei", lanes)]
    # It lies along another dim: blocks of lanes x lanes, which `transpose-loads` reads by rows.
    along = f"{name}_{len(affine.results) - 2}"
    steps += [Tile(along, lanes), Tile(f"{name}_lane", lanes)]
    steps.append(Interchange.around(f"{name}_lane", f"{along}i", f"{name}_lanei"))
    return [*steps, Vectorize(f"{name}_lanei", lanes), Unroll(f"{along}i")]


def short_reductions(op: StructuredOp, most: int, trips: Sequence[int] | None = None) -> dict[str, int]:
    """The innermost reductions that are written out, and their sizes: those of few steps, `most`, together.

    `trips` are those of the loops that reduce, where these are not the sizes of their dims. The innermost comes first.
    """
    found: dict[str, int] = {}
    copies = 1
    names, sizes = op.dim_names[op.num_parallel :], trips or op.dim_sizes[op.num_parallel :]
    for name, size in reversed(list(zip(names, sizes, strict=True))):
        copies *= size
        if copies > most:
            break
        if size > 1:
            found[name] = size
    return found
