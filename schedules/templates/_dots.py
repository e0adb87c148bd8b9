"""Which contractions add dot products of words of short numbers, and how fast."""

from __future__ import annotations

from collections.abc import Container

from xdsl.dialects.builtin import f16, f32, i32
from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop.dot import SHORT_TYPES, per_word
from mlc.schedules.templates._contractions import Contraction, can_be_packed, runs_along_memory
from mlc.support.types import tensor_type
from mlc.targets.machine import Machine


def steps_per_dot(contraction: Contraction, constants: Container[tuple[str, int]], machine: Machine) -> int:
    """How many steps of the innermost reduction become one dot product of words; 1 if they cannot.

    Rows have to lie along the reduction, and the other operand is stored in words when the program is compiled.
    """
    op, name = contraction.op, contraction.kernel_name
    elements = [tensor_type(v).element_type for v in op.inputs]
    if not op.contracts or len(set(elements)) != 1 or tensor_type(op.result).element_type not in (i32, f32):
        return 1
    if elements[0] not in SHORT_TYPES or (elements[0] == f16 and not machine.converts_f16):
        return 1
    count, innermost = per_word(elements[0]), len(op.dims) - 1
    panels = contraction.operands_with_lanes()
    rows = [m for v, m in zip(op.inputs, op.index_maps, strict=True) if all(v is not value for value, _ in panels)]
    is_known = all(can_be_packed(v) and (name, v.index) in constants for v, _ in panels)
    subscripts = [e for _, m in panels for e in m.results if innermost in e.used_dims()]
    is_plain = subscripts == [AffineExpr.dimension(innermost)]
    if not is_known or not is_plain or len(rows) != 1 or not runs_along_memory(rows[0], innermost):
        return 1
    return count if op.dim_sizes[innermost] % count == 0 else 1


def multiplying(contraction: Contraction, machine: Machine) -> Machine:
    """The machine, where dot products are the multiply-adds of a contraction that has them."""
    if contraction.per_dot == 1:
        return machine
    lhs, rhs = map(str, contraction.op.read_types)
    return machine.multiplying(machine.dots(lhs, rhs))
