"""Floats of 16 bits are their bits: LLVM has no instructions on vectors of bf16, or of f16, that every target knows.

What it cannot select, shuffle or compare as bf16 it converts to f32 and back, for which it calls a library.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import ModuleOp, i16
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.arith import SelectOp
from mlc.pass_manager.element_types import Replacements, replace_element_types, replaced
from mlc.support.dtypes import HALVES
from mlc.support.types import element_type

_BITS: Replacements = dict.fromkeys(HALVES, i16)
_BY_BITS = (arith.ConstantOp, SelectOp, arith.ExtFOp, arith.TruncFOp, arith.BitcastOp)
"""What is done with bits as with floats, and conversions."""
_OF_VECTORS = (vector.FMAOp, vector.ReductionOp)


def halves_as_bits(module: ModuleOp) -> None:
    """Make i16 of f16 and bf16; conversions to f32 and back, which the machine has, are from and to these bits.

    A module that computes with them, which only a person writes, stays as it is.
    """
    if not any(element_type(v.type) in HALVES for v in _values(module)):
        return
    ops = [op for op in module.walk() if any(element_type(v.type) in HALVES for v in (*op.operands, *op.results))]
    if any(_computes(op) for op in ops):
        return
    conversions = [(op, op.input.type, op.result.type) for op in ops if isinstance(op, arith.ExtFOp | arith.TruncFOp)]
    replace_element_types(module, _BITS)
    for op, source, result in conversions:
        if isinstance(op, arith.ExtFOp):
            new = [half := arith.BitcastOp(op.input, source), arith.ExtFOp(half.result, result)]
        else:
            new = [half := arith.TruncFOp(op.input, result), arith.BitcastOp(half.result, replaced(result, _BITS))]
        for each in new:
            each.location = op.location
        Rewriter.replace_op(op, new)
    for op in ops:
        if isinstance(op, arith.BitcastOp) and op.input.type == op.result.type:
            Rewriter.replace_op(op, [], [op.input])


def _values(module: ModuleOp) -> Iterator[SSAValue]:
    """All values, each once."""
    for op in module.walk():
        yield from op.results
        for region in op.regions:
            for block in region.blocks:
                yield from block.args


def _computes(op: Operation) -> bool:
    return (op.name.startswith(("arith.", "math.")) and not isinstance(op, _BY_BITS)) or isinstance(op, _OF_VECTORS)
