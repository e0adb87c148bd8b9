"""Which contractions add dot products of words of short numbers, and how fast."""

from __future__ import annotations

from collections.abc import Container

from xdsl.dialects.builtin import f16, f32, i32
from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop.dot import SHORT_INTEGERS, SHORT_TYPES, WORD_BITS, per_word
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.schedule_template import TensorKernel
from mlc.schedules.templates._contractions import Contraction, can_be_packed, runs_along_memory
from mlc.support.types import tensor_type
from mlc.targets.machine import Machine


def steps_per_dot(
    contraction: Contraction, constants: Container[tuple[str, int]], machine: Machine, bits: int = WORD_BITS
) -> int:
    """How many steps of the innermost reduction become one dot product of words of `bits`; 1 if they cannot.

    Rows have to lie along the reduction, and the other operand is stored in words when the program is compiled.
    """
    op, name = contraction.op, contraction.kernel_name
    elements = [tensor_type(v).element_type for v in op.inputs]
    if not op.contracts or len(set(elements)) != 1 or tensor_type(op.result).element_type not in (i32, f32):
        return 1
    if elements[0] not in SHORT_TYPES or (elements[0] == f16 and not machine.converts_f16):
        return 1
    count, innermost = per_word(elements[0], bits), len(op.dims) - 1
    panels = contraction.operands_with_lanes()
    rows = [m for v, m in zip(op.inputs, op.index_maps, strict=True) if all(v is not value for value, _ in panels)]
    is_known = all(can_be_packed(v) and (name, v.index) in constants for v, _ in panels)
    subscripts = [e for _, m in panels for e in m.results if innermost in e.used_dims()]
    is_plain = subscripts == [AffineExpr.dimension(innermost)]
    if not is_known or not is_plain or len(rows) != 1 or not runs_along_memory(rows[0], innermost):
        return 1
    return count if op.dim_sizes[innermost] % count == 0 else 1


def taps_per_dot(op: StructuredOp, kernel: TensorKernel) -> int:
    """How many taps of a window become one dot product, where each lane has weights of its own; 1 if they cannot.

    Lanes of the image are put together to words; the weights are stored in words when the program is compiled. Where no
    instruction takes words of bytes, these become numbers of 16 bits: four bytes would be taken apart again.
    """
    if not op.contracts or len(op.inputs) != 2 or tensor_type(op.result).element_type != i32:
        return 1
    elements = {tensor_type(v).element_type for v in op.inputs}
    if len(elements) != 1 or not elements <= set(SHORT_INTEGERS):
        return 1
    weights = [
        v for v in op.inputs if can_be_packed(v) and (kernel.function.sym_name.data, v.index) in kernel.constants
    ]
    maps = dict(zip(op.inputs, op.index_maps, strict=True))
    lane = op.num_parallel - 1
    if not any({d for e in maps[v].results for d in e.used_dims()} <= {lane, *_reduced(op)} for v in weights):
        return 1
    machine, bits = kernel.machine, kernel.machine.vector_bits
    lhs, rhs = map(str, op.read_types)
    if machine.dot_instruction(lhs, rhs, bits) or machine.dot_instruction(rhs, lhs, bits):
        return per_word(elements.pop())
    return 2 if machine.dot_instruction("i16", "i16", bits) else 1


def _reduced(op: StructuredOp) -> range:
    return range(op.num_parallel, len(op.dims))


def multiplying(contraction: Contraction, machine: Machine) -> Machine:
    """The machine, where dot products are the multiply-adds of a contraction that has them."""
    if contraction.per_dot == 1:
        return machine
    lhs, rhs = map(str, contraction.op.read_types)
    return machine.multiplying(machine.dots(lhs, rhs, contraction.word_bits))
