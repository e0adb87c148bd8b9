"""The register tiles that a contraction asks for, and the words of its dot products."""

from __future__ import annotations

from dataclasses import replace
from math import prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap

from mlc.dialects.loop.dot import LONG_WORD_BITS, WORD_BITS
from mlc.schedules.register_tile import TileProblem, best_tile, tile_cycles
from mlc.schedules.schedule_template import TensorKernel
from mlc.schedules.templates._contractions import Contraction, bytes_apart
from mlc.schedules.templates._dots import multiplying, steps_per_dot
from mlc.targets.machine import Machine

_OF_SUMS_IN_I16 = 2
"""The registers of sums of two products that are added up next, and of the ones that they are multiplied with."""
_OF_SUMS_IN_I32 = 1
"""The register of a dot product that another instruction adds to a sum."""


def tile_problem(contraction: Contraction, lanes: int, padding: float, machine: Machine) -> TileProblem:
    """What a tile has to cover.

    Args:
        contraction: with the words that its dot products take.
        lanes: of a vector.
        padding: the share of products with padding that can be left out.
        machine: the target.
    """
    op, row = contraction.op, contraction.row_dim
    reads = zip(op.inputs, op.index_maps, strict=True)
    most_rows = min((rows_in_cache(v, m, row, machine) for v, m in reads), default=16)
    rows = op.dim_sizes[row] if row is not None else 1
    column = prod(contraction.reduced_sizes) * contraction.step_bytes
    words = machine.words_per_load(contraction.word_bits) if contraction.per_dot > 1 else 1
    return TileProblem(
        rows,
        contraction.columns,
        lanes,
        most_rows,
        column,
        padding,
        holds_rows=words > 1 and contraction.reduced_sizes[-1] % words == 0,
        others=_registers_between(contraction, machine),
        pairs_rows=contraction.word_bits == LONG_WORD_BITS,
    )


def _registers_between(contraction: Contraction, machine: Machine) -> int:
    """The registers that a multiply-add takes beside factors and sums, where it is several instructions."""
    if contraction.per_dot == 1 or contraction.word_bits != WORD_BITS:
        return 0
    lhs, rhs = map(str, contraction.op.read_types)
    if machine.byte_products(lhs, rhs, machine.vector_bits) is not None:
        return _OF_SUMS_IN_I16
    instruction = machine.dot_instruction(lhs, rhs, machine.vector_bits)
    return 0 if instruction is None or instruction.adds else _OF_SUMS_IN_I32


def with_long_words(contraction: Contraction, kernel: TensorKernel) -> Contraction:
    """The contraction, with words of 64 bits if instructions take two rows of them at a time, and that is faster."""
    machine = kernel.machine
    if contraction.per_dot == 1 or not machine.outer_dots(*map(str, contraction.op.read_types)):
        return contraction
    per_dot = steps_per_dot(contraction, kernel.constants, machine, LONG_WORD_BITS)
    if per_dot == 1 or contraction.is_grouped:
        return contraction
    words = contraction, replace(contraction, per_dot=per_dot)

    def cycles(each: Contraction) -> float:
        problem, computing = tile_problem(each, kernel.lanes, 0.0, machine), multiplying(each, machine)
        return each.reduced_sizes[-1] * tile_cycles(best_tile(problem, computing), problem, computing)

    return min(words, key=cycles)


def rows_in_cache(operand: SSAValue, affine: AffineMap, row: int | None, machine: Machine) -> int:
    """How many neighbouring rows of an operand the first cache can hold at a time: fewer if they share its sets."""
    if row is None:
        return 16
    distance, caches = bytes_apart(operand, affine, row), machine.memory
    return caches.l1_ways if distance and distance % caches.set_period == 0 else 16
