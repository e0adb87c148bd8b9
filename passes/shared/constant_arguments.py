"""Which arguments of kernels are weights: known when the program is compiled, at every call."""

from __future__ import annotations

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from mlc.passes.shared.calls import calls_of_functions


def constant_arguments(module: ModuleOp) -> set[tuple[str, int]]:
    """The arguments that get a constant in all calls of `module`, as (name of the function, position)."""
    return {
        (name, position)
        for name, calls in calls_of_functions(module).items()
        for position, operands in enumerate(zip(*(call.operands for call in calls), strict=True))
        if all(map(_is_constant, operands))
    }


def _is_constant(value: SSAValue) -> bool:
    """Whether `value` is a constant, perhaps under another shape."""
    while isinstance(owner := value.owner, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
        value = owner.operands[0]
    return isinstance(owner, arith.ConstantOp)
