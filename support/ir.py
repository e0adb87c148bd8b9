"""Small helpers over xDSL's IR that several passes need."""

from __future__ import annotations

from typing import cast

from xdsl.ir import Operation, SSAValue


def clone(op: Operation, mapping: dict[SSAValue, SSAValue] | None = None) -> Operation:
    """A copy of `op` with its operands replaced as `mapping` says; `mapping` learns the results."""
    copy = cast(Operation, op.clone(mapping))  # pyright: ignore[reportUnknownMemberType]
    copy.location = op.location
    return copy
