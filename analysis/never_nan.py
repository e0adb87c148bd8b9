"""Which floats are never NaN, as their ops show: constants, and maxima and minima that start from one."""

from __future__ import annotations

import math as numbers
from typing import Any

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue

from mlc.dialects.arith import CmpfOp, SelectOp
from mlc.dialects.loop import ForOp


def is_never_nan(value: SSAValue) -> bool:
    """Whether `value`, a float or a vector of floats, is not NaN whatever is read from memory.

    `maxnumf` and `minnumf` give NaN only if both operands are NaN. What a loop carries is proved by induction: it
    starts as no NaN, and stays so in an iteration that is entered with none.
    """
    return _is_never_nan(value, set())


def _is_never_nan(value: SSAValue, assumed: set[SSAValue]) -> bool:
    if value in assumed:
        return True
    if isinstance(value, BlockArgument):
        return _is_carried_without_nan(value.block, value, assumed)
    match op := value.owner:
        case arith.ConstantOp():
            return _has_no_nan(op.value)
        case arith.MaxnumfOp() | arith.MinnumfOp():
            # The carried value tends to be the second: it costs no look at what is read.
            return any(_is_never_nan(v, assumed) for v in reversed(op.operands))
        case SelectOp():
            condition, chosen, other = op.operands
            return _is_never_nan(other, assumed) and (
                _is_true_of_numbers(condition, chosen) or _is_never_nan(chosen, assumed)
            )
        case vector.BroadcastOp():
            return _is_never_nan(op.source, assumed)
        case ForOp() if isinstance(value, OpResult):
            return _is_never_nan(op.carried[value.index], assumed)
        case _:
            return False


def _is_true_of_numbers(condition: SSAValue, value: SSAValue) -> bool:
    """Whether `condition` is false where `value` is NaN: an ordered comparison with it."""
    compare = condition.owner
    return isinstance(compare, CmpfOp) and value in compare.operands and compare.predicate_name.startswith("o")


def _is_carried_without_nan(block: Block, value: BlockArgument, assumed: set[SSAValue]) -> bool:
    loop = block.parent_op()
    if not isinstance(loop, ForOp) or value not in loop.carried:
        return False
    number = loop.carried.index(value)
    return _is_never_nan(loop.iter_args[number], assumed) and _is_never_nan(loop.yielded[number], assumed | {value})


def _has_no_nan(value: Attribute) -> bool:
    if isinstance(value, FloatAttr):
        return not numbers.isnan(value.value.data)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return False
    elements: Any = value.get_values()[:1] if value.is_splat() else value.get_values()
    return not any(numbers.isnan(element) for element in elements)
