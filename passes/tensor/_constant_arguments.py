"""Which arguments of kernels are weights: known when the program is compiled, at every call."""

from __future__ import annotations

from xdsl.dialects import arith, func, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue


def constant_arguments(module: ModuleOp) -> set[tuple[str, int]]:
    """The arguments that get a constant in all calls of `module`, as (name of the function, position)."""
    constant: dict[tuple[str, int], bool] = {}
    for op in module.walk():
        if isinstance(op, func.CallOp):
            for position, operand in enumerate(op.operands):
                key = op.callee.root_reference.data, position
                constant[key] = constant.get(key, True) and _is_constant(operand)
    return {key for key, always in constant.items() if always}


def _is_constant(value: SSAValue) -> bool:
    """Whether `value` is a constant, perhaps under another shape."""
    while isinstance(owner := value.owner, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
        value = owner.operands[0]
    return isinstance(owner, arith.ConstantOp)
