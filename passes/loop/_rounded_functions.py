"""Functions of f32 whose results are rounded to bf16: fewer instructions, and enough bits."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith, func, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, bf16, f32
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.analysis.rounded_later import is_rounded_later
from mlc.dialects.llvm.intrinsics import ReciprocalOp
from mlc.polynomials.builder import ConstantPool, Emitter, Number
from mlc.polynomials.exp import exp_to_round
from mlc.support.types import vector_type

ERROR = 1 << 11
"""The largest error of what is computed here, in units in the last place of f32."""


_LANES = 16


def expand_rounded(function: func.FuncOp, constants: ConstantPool) -> None:
    """Compute exp and 1 / x of vectors of AVX-512 with 14 bits where all that they lead to is rounded to bf16.

    So a sigmoid of 16 numbers takes a third of the cycles: a division alone takes 16.
    """
    found = [op for op in function.body.walk() if _has_short_form(op) and is_rounded_later(op.results[0], bf16)]
    for op in found:
        x = Number(Emitter(op, constants, avx512=True), op.operands[-1])
        result = exp_to_round(x) if isinstance(op, math.ExpOp) else x.emitter.emit(ReciprocalOp, [x.value], x.type)
        result.value.name_hint = op.results[0].name_hint
        Rewriter.replace_op(op, [], [result.value])


def _has_short_form(op: Operation) -> bool:
    if not isinstance(op, math.ExpOp | arith.DivfOp) or (kind := vector_type(op.result.type)) is None:
        return False
    shape = kind.get_shape()
    is_in_registers = kind.element_type == f32 and len(shape) == 1 and shape[0] % _LANES == 0
    return is_in_registers and (isinstance(op, math.ExpOp) or _is_one(op.lhs.owner))


def _is_one(op: object) -> bool:
    value: Any = op.value if isinstance(op, arith.ConstantOp) else None
    return isinstance(value, DenseIntOrFPElementsAttr) and value.is_splat() and value.get_values()[0] == 1
