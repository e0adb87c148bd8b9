"""What all levels agree on about functions: who sees them, and what the buffers that they take are for."""

from __future__ import annotations

from xdsl.dialects.func import FuncOp

OUTPUT = "mlc.output"
"""The attribute of an argument that is a buffer for a result."""
WORKSPACE = "mlc.workspace"
"""The attribute of an argument that is the arena for everything between inputs and outputs."""
ALIGNMENT = 64
"""Bytes: what the workspace, what lies in it, and constants are aligned to. A cache line, and the widest vector."""


def is_private(function: FuncOp) -> bool:
    """Whether only this module sees the function: private functions are kernels, the others are models."""
    return function.sym_visibility is not None and function.sym_visibility.data == "private"
