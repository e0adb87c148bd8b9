"""Constants at the loop level: which one a buffer is, and the name of its data."""

from __future__ import annotations

from xdsl.dialects import memref
from xdsl.dialects.builtin import DenseResourceAttr
from xdsl.ir import SSAValue

from mlc.dialects.loop import ConstantOp


def resource_of(constant: ConstantOp) -> str:
    """The name of the resource of a constant; empty if its numbers stand in the text."""
    return constant.value.resource_handle.data if isinstance(constant.value, DenseResourceAttr) else ""


def constant_behind(value: SSAValue) -> ConstantOp | None:
    """The constant that `value` is, perhaps under another shape."""
    while isinstance(owner := value.owner, memref.ReinterpretCastOp):
        value = owner.source
    return owner if isinstance(owner, ConstantOp) else None
