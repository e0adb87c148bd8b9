"""What a region computes, as expressions: two that are equal mean the same, whatever their values are called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from xdsl.ir import Block, BlockArgument, Operation, SSAValue

from mlc.dialects.stablehlo import HloOp

Expression = tuple[Any, ...]
"""`("arg", i)`, `("outside", value)`, or an op's name, its properties, result type and operands. Operands of ops that
may be exchanged are in one order."""


def expression(value: SSAValue, block: Block, renamed: Mapping[int, int] | None = None) -> Expression:
    """What a value in a region is, with its arguments renamed."""
    if isinstance(value, BlockArgument) and value.owner is block:
        return ("arg", (renamed or {}).get(value.index, value.index))
    op = value.owner
    if not isinstance(op, HloOp) or op.parent is not block or op.regions:
        return ("outside", id(value))
    operands = [expression(v, block, renamed) for v in op.operands]
    if op.COMMUTATIVE:
        operands.sort(key=repr)
    properties = tuple(sorted((name, str(p)) for name, p in op.properties.items()))
    return (op.name, properties, str(value.type), *operands)


def comparison(value: SSAValue) -> tuple[str, str, SSAValue, SSAValue] | None:
    """Direction, type and operands of a comparison; None for another op."""
    op = value.owner
    if not isinstance(op, HloOp) or op.name != "stablehlo.compare":
        return None
    return op.word("comparison_direction"), op.word("compare_type"), op.operands[0], op.operands[1]


def returned(block: Block) -> list[SSAValue]:
    """What a region gives."""
    last = cast(Operation, block.last_op)
    return list(last.operands)


def only_op(block: Block) -> HloOp | None:
    """The op that a region consists of, on its arguments in any order."""
    first, last = block.first_op, block.last_op
    if first is None or last is None or first.next_op is not last or not isinstance(first, HloOp):
        return None
    if list(last.operands) != list(first.results) or set(first.operands) != set(block.args):
        return None
    return first if first.COMMUTATIVE and len(block.args) == 2 else None
