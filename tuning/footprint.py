"""How much memory a model touches: what a kernel finds in the caches depends on it."""

from __future__ import annotations

from itertools import accumulate
from math import prod

from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.dialects.func import CallOp
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.support.dtypes import to_numpy
from mlc.support.functions import models_of
from mlc.support.types import element_type


def bytes_of_others(module: ModuleOp, kernel: str) -> int:
    """About how many bytes a call of a model touches beside those of one call of a kernel; 0 if it does not call it.

    These are inputs, outputs and constants, and as much of what lies between kernels as is alive at one time: memory is
    used again for what comes later. `module` is at the tensor level.
    """
    (model,) = models_of(module)
    ops = list(model.body.block.ops)
    own = next((op for op in ops if isinstance(op, CallOp) and op.callee.string_value() == kernel), None)
    if own is None:
        return 0
    ends: dict[SSAValue, int] = {}
    for place, op in enumerate(ops):
        for value in op.operands:
            ends[_whole(value)] = place
    outputs = {_whole(value) for value in ops[-1].operands}
    kept = {value for value in ends if not isinstance(value.owner, CallOp)} | outputs
    changes = [0] * (len(ops) + 1)
    for place, op in enumerate(ops):
        for value in op.results if isinstance(op, CallOp) else ():
            if value not in outputs:
                changes[place] += _bytes(value)
                changes[ends.get(value, place) + 1] -= _bytes(value)
    between = max(accumulate(changes))
    used = {*map(_whole, own.operands), *own.results}
    return max(sum(map(_bytes, kept)) + between - sum(map(_bytes, used)), 0)


def _whole(value: SSAValue) -> SSAValue:
    """The input, constant or result of a kernel that a value is, perhaps in another shape."""
    while isinstance(op := value.owner, Operation) and not isinstance(op, CallOp) and op.operands:
        value = op.operands[0]
    return value


def _bytes(value: SSAValue) -> int:
    kind: Attribute = value.type
    return prod(kind.get_shape()) * to_numpy(element_type(kind)).itemsize if isinstance(kind, ShapedType) else 0
