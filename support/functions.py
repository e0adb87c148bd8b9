"""What all levels agree on about functions: who sees them, and what the buffers that they take are for."""

from __future__ import annotations

from collections.abc import Container
from typing import TypeVar

from xdsl.dialects.func import FuncOp

from mlc.support.dtypes import unsigned
from mlc.support.types import MemRef, Tensor

_Shaped = TypeVar("_Shaped", Tensor, MemRef, "Tensor | MemRef")

OUTPUT = "mlc.output"
"""The attribute of an argument that is a buffer for a result."""
WORKSPACE = "mlc.workspace"
"""The attribute of an argument that is the arena for everything between inputs and outputs."""
UNSIGNED = "mlc.unsigned"
"""The attribute of an argument or a result whose elements, signless integers, are unsigned for the caller."""
NAME = "mlc.name"
"""The attribute of an argument or a result that is its name for callers, where the IR could not spell it."""
DIMS = "onnx.dims"
"""The attribute of an argument or a result that names its dims, nothing for those without a name."""
ALIGNMENT = 64
"""Bytes: what the workspace, what lies in it, and constants are aligned to. A cache line, and the widest vector."""


def seen_by_callers(kind: _Shaped, marks: Container[str]) -> _Shaped:
    """The type of an argument or a result with these attributes as its caller sees it: unsigned integers are marked."""
    if UNSIGNED not in marks:
        return kind
    return type(kind)(unsigned(kind.element_type), kind.shape)


def is_private(function: FuncOp) -> bool:
    """Whether only this module sees the function: private functions are kernels, the others are models."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"
