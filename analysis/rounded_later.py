"""Which numbers have more bits than what becomes of them can show."""

from __future__ import annotations

from typing import Any

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr
from xdsl.ir import Attribute, OpResult, SSAValue

from mlc.support.types import element_type


def is_rounded_later(value: SSAValue, element: Attribute) -> bool:
    """Whether all that is computed of `value`, a float or a vector of floats, is rounded to the type `element`, and is
    off by no larger part of itself than `value` is.

    So are products, quotients, and sums of what is not negative; a difference may be off by many times as much.
    """
    pending, seen = [value], {value}
    while pending:
        uses = list(pending.pop().uses)
        if not uses:
            return False
        for user in (use.operation for use in uses):
            if isinstance(user, arith.TruncFOp) and element_type(user.result.type) == element:
                continue
            if not _keeps_relative_errors(user):
                return False
            pending += [result for result in user.results if result not in seen]
            seen.update(user.results)
    return True


def _keeps_relative_errors(op: object) -> bool:
    if isinstance(op, arith.AddfOp):
        return all(_is_not_negative(v) for v in op.operands)
    return isinstance(op, arith.MulfOp | arith.DivfOp | arith.NegfOp)


def _is_not_negative(value: SSAValue) -> bool:
    match value.owner if isinstance(value, OpResult) else None:
        case math.ExpOp() | math.AbsFOp():
            return True
        case arith.ConstantOp() as constant:
            return _numbers(constant.value) >= 0
        case _:
            return False


def _numbers(value: Attribute) -> float:
    """The least number of a constant; -1 of one that is no float."""
    if isinstance(value, FloatAttr):
        return value.value.data
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return -1
    numbers: Any = value.get_values()[:1] if value.is_splat() else value.get_values()
    return min(numbers)
