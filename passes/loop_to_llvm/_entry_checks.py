"""What the function of a model finds out before its own code runs: whether that may run at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import llvm
from xdsl.dialects.builtin import IntegerAttr, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.dialects.llvm.integers import SubOp
from mlc.passes.loop_to_llvm._types import POINTER, integer_constant, offset
from mlc.support.functions import OUTPUT, WORKSPACE, held_extents, range_in

OUT_OF_RANGE = -3
"""What a model returns for an extent outside of its range (`mlc.h`)."""


def return_early(body: Region, ops: Sequence[Operation], failed: SSAValue, status: SSAValue) -> None:
    """Compute `ops` before the code of a function, and return `status` if `failed` is true."""
    first = body.blocks[0]
    before, refused = Block(arg_types=[argument.type for argument in first.args]), Block()
    for argument, new in zip(list(first.args), before.args, strict=True):
        new.name_hint = argument.name_hint
        argument.replace_all_uses_with(new)
        first.erase_arg(argument)
    before.add_ops([*ops, llvm.CondBrOp(failed, refused, [], first, [])])
    refused.add_op(llvm.ReturnOp(status))
    body.insert_block_before(before, first)
    body.add_block(refused)


def check_extents(body: Region, marks: Sequence[Mapping[str, Attribute]]) -> None:
    """Refuse a call that gives an extent outside of its range; `marks` are the attributes of the model's buffers."""
    inputs = [each for each in marks if OUTPUT not in each and WORKSPACE not in each]
    for number in sorted(held_extents(inputs)):
        if number >= len(inputs) or (allowed := range_in(inputs[number])) is None:
            continue
        least, most = (integer_constant(end, i64) for end in (allowed[0], allowed[-1]))
        slot = offset(body.blocks[0].args[0], number, POINTER)
        address = llvm.LoadOp(slot, POINTER)
        extent = llvm.LoadOp(address.dereferenced_value, i64)
        sign = llvm.ICmpPredicateFlag.SLT.to_int()
        below = llvm.ICmpOp(extent.dereferenced_value, least.result, IntegerAttr(sign, i64))
        above = llvm.ICmpOp(most.result, extent.dereferenced_value, IntegerAttr(sign, i64))
        failed = llvm.OrOp(below.res, above.res)
        ops = [slot, address, extent, least, most, below, above, failed]
        if allowed.step > 1:
            step, zero = integer_constant(allowed.step, i64), integer_constant(0, i64)
            from_start = SubOp(extent.dereferenced_value, least.result)
            rest = llvm.URemOp(from_start.res, step.result)
            unequal = llvm.ICmpPredicateFlag.NE.to_int()
            between = llvm.ICmpOp(rest.res, zero.result, IntegerAttr(unequal, i64))
            failed = llvm.OrOp(failed.res, between.res)
            ops += [step, zero, from_start, rest, between, failed]
        ops.append(status := integer_constant(OUT_OF_RANGE, i32))
        return_early(body, ops, failed.res, status.result)
