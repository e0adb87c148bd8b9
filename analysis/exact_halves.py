"""Which numbers of f32 are numbers of a shorter type, as their ops show: what was widened, and choices among such."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, FloatAttr
from xdsl.ir import Attribute, Block, BlockArgument, OpResult, SSAValue

from mlc.dialects.arith import SelectOp
from mlc.dialects.loop import ForOp
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type

_CHOOSING = (arith.MaximumfOp, arith.MinimumfOp, arith.MaxnumfOp, arith.MinnumfOp)
_OF_SIGNS = (arith.NegfOp, math.AbsFOp)


def is_exact(value: SSAValue, element: Attribute) -> bool:
    """Whether `value`, a float or a vector of floats, is NaN or a number of the shorter type `element`.

    So rounding it to that type changes nothing, as that of `max(x, 0)` of an `x` that was widened. What a loop carries
    is proved by induction: it starts as such a number, and stays one in an iteration that is entered with one.
    """
    return _is_exact(value, element, set())


def _is_exact(value: SSAValue, element: Attribute, assumed: set[SSAValue]) -> bool:
    """As `is_exact`; what is proved, or being proved, is in `assumed` and not looked at again."""
    if value in assumed:
        return True
    if isinstance(value, BlockArgument):
        return _is_carried(value.block, value, element, assumed)
    match op := value.owner:
        case arith.ConstantOp():
            found = _is_constant(op.value, element)
        case arith.ExtFOp():
            found = element_type(op.input.type) == element
        case SelectOp():
            _, chosen, other = op.operands
            found = _is_exact(chosen, element, assumed) and _is_exact(other, element, assumed)
        case vector.BroadcastOp():
            found = _is_exact(op.source, element, assumed)
        case ForOp() if isinstance(value, OpResult):
            found = _is_exact(op.carried[value.index], element, assumed)
        case _:
            chooses = isinstance(op, _CHOOSING + _OF_SIGNS)
            found = chooses and all(_is_exact(v, element, assumed) for v in op.operands)
    if found:
        assumed.add(value)
    return found


def _is_carried(block: Block, value: BlockArgument, element: Attribute, assumed: set[SSAValue]) -> bool:
    loop = block.parent_op()
    if not isinstance(loop, ForOp) or value not in loop.carried:
        return False
    number = loop.carried.index(value)
    starts = _is_exact(loop.iter_args[number], element, assumed)
    return starts and _is_exact(loop.yielded[number], element, assumed | {value})


def _is_constant(value: Attribute, element: Attribute) -> bool:
    if isinstance(value, FloatAttr):
        numbers: Any = [value.value.data]
    elif isinstance(value, DenseIntOrFPElementsAttr):
        numbers = value.get_values()[:1] if value.is_splat() else value.get_values()
    else:
        return False
    wide = np.array(numbers, np.float64)
    with np.errstate(over="ignore"):
        return bool(np.array_equal(wide.astype(to_numpy(element)).astype(np.float64), wide))
