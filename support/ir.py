"""Small helpers over xDSL's IR that several passes need."""

from __future__ import annotations

from xdsl.ir import Operation, SSAValue


def clone(op: Operation, mapping: dict[SSAValue, SSAValue] | None = None) -> Operation:
    """A copy of `op`, location included, with operands replaced as `mapping` says; `mapping` learns the results."""
    copy = op.clone(mapping)
    copy.location = op.location
    return copy
