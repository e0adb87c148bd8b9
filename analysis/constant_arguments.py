"""Which arguments of kernels are weights, known when the program is compiled, at every call; and how much these are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Attribute, SSAValue

from mlc.analysis.calls import calls_of_functions
from mlc.support.dtypes import bytes_of


@dataclass(frozen=True)
class ModuleConstants:
    """Both, for those who ask about one kernel after the other, as each answer takes a walk over the module."""

    arguments: Mapping[tuple[str, int], Sequence[Attribute]]
    bytes: int

    @classmethod
    def of(cls, module: ModuleOp) -> ModuleConstants:
        """Those of a module, which has to stay as it is."""
        return cls(constant_arguments(module), bytes_of_constants(module))


def constant_arguments(module: ModuleOp) -> dict[tuple[str, int], list[Attribute]]:
    """The arguments that get a constant in all calls of `module`, as (name of the function, position), with these."""
    found: dict[tuple[str, int], list[Attribute]] = {}
    for name, calls in calls_of_functions(module).items():
        for position, operands in enumerate(zip(*(call.operands for call in calls), strict=True)):
            constants = [_constant_behind(operand) for operand in operands]
            if None not in constants:
                found[name, position] = [each for each in constants if each is not None]
    return found


def _constant_behind(value: SSAValue) -> Attribute | None:
    """The constant that `value` is, perhaps under another shape."""
    while isinstance(owner := value.owner, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
        value = owner.operands[0]
    return owner.value if isinstance(owner, arith.ConstantOp) else None


def bytes_of_constants(module: ModuleOp) -> int:
    """The size of all tensors that are constants of a module, each once: what passes by in a call of the model."""
    constants = (op for op in module.walk() if isinstance(op, arith.ConstantOp))
    return sum({op.value: bytes_of(op.result) for op in constants if isinstance(op.result.type, TensorType)}.values())
