"""Numbers of four bits in words: looked up in a table where one instruction does that, else shifted."""

from __future__ import annotations

from typing import Any, cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.llvm import integers
from mlc.dialects.loop import UnpackBytesOp, UnpackOp
from mlc.dialects.loop.unpack import LEAST, MOST
from mlc.pass_manager.lowering import lowers
from mlc.passes.loop_to_llvm._machine_pattern import MachinePattern
from mlc.passes.loop_to_llvm._types import VALUES, intrinsic, number_of, shifted
from mlc.support.context import CompilerContext
from mlc.support.types import vector_type

_NUMBERS = [float(n) for n in (*range(MOST + 1), *range(LEAST, 0))]
"""The number of each code of four bits."""


@lowers(VALUES, UnpackOp)
class LowerUnpack(MachinePattern):
    """A shift to the right and a lookup; or a shift to the left, one to the right, and a conversion."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnpackOp, rewriter: PatternRewriter) -> None:
        kind = vector_type(op.words.type)
        at = 4 * op.number.value.data
        ops: list[Operation] = []
        lookup = None
        if kind is not None and kind.get_shape()[0] == len(_NUMBERS):
            machine = self.machine
            lookup = machine.architecture.lookup(machine.features, 32 * len(_NUMBERS))
        if lookup is not None:
            codes = _shifted(llvm.LShrOp, op.words, at, ops)
            table = DenseIntOrFPElementsAttr.from_list(cast(Any, op.result.type), _NUMBERS)
            numbers = llvm.ConstantOp.create(result_types=[op.result.type], properties={"value": table})
            rewriter.replace(op, [*ops, numbers, intrinsic(lookup, [numbers.result, codes], op.result.type)])
            return
        up = _shifted(integers.ShlOp, op.words, 28 - at, ops)
        down = _shifted(llvm.AShrOp, up, 28, ops)
        rewriter.replace(op, [*ops, llvm.SIToFPOp.create(operands=[down], result_types=[op.result.type])])


@lowers(VALUES, UnpackBytesOp)
class LowerUnpackBytes(RewritePattern):
    """A shift to the right and a mask."""

    def __init__(self, ctx: CompilerContext) -> None:
        del ctx

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnpackBytesOp, rewriter: PatternRewriter) -> None:
        ops: list[Operation] = []
        low = _shifted(llvm.LShrOp, op.words, op.number.value.data * op.bits.value.data, ops)
        kind = op.result.type
        mask = llvm.ConstantOp.create(result_types=[kind], properties={"value": number_of(kind, op.mask)})
        rewriter.replace(op, [*ops, mask, llvm.AndOp.create(operands=[low, mask.results[0]], result_types=[kind])])


def _shifted(target: type[Operation], value: SSAValue, by: int, ops: list[Operation]) -> SSAValue:
    """`value` shifted by a number of bits; the ops for it are appended."""
    if not by:
        return value
    ops += shifted(target, value, by)
    return ops[-1].results[0]
