"""What holds for blocks and branches of any dialect: rules of MLIR that no operation's own verifier looks after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.traits import IsTerminator, NoTerminator, SingleBlockImplicitTerminator

from mlc.syntax.words import name_of

Problem = tuple[Operation, str]
"""An operation and what is wrong with it."""

_RETURNS = {"func.func": "func.return", "llvm.func": "llvm.return"}


def problems_of(op: Operation) -> Iterator[Problem]:
    """What is wrong with the blocks of `op` and the ends of these, in the order of the text."""
    for region in op.regions:
        for block in region.blocks:
            yield from _problems_of_block(op, region, block)


def _problems_of_block(op: Operation, region: Region, block: Block) -> Iterator[Problem]:
    alone = region.first_block is region.last_block
    needs_end = not (alone and op.has_trait(NoTerminator, value_if_unregistered=True))
    last = block.last_op
    if last is None:
        if needs_end and alone:
            yield op, f"'{name_of(op)}': a region's only block is empty; it needs at least a terminator{_example(op)}"
        elif needs_end:
            yield op, f"'{name_of(op)}': block '{_name(block)}' is empty; each block of several ends with a terminator"
        return
    if needs_end and not last.has_trait(IsTerminator, value_if_unregistered=True):
        yield last, f"'{name_of(last)}' ends a block, which needs a terminator after it{_example(op)}"
    for inner in block.ops:
        if inner.successors and inner is not last:
            yield inner, f"'{name_of(inner)}' has successors, so it has to be the last operation of its block"
    for number, target in enumerate(last.successors):
        yield from (
            (last, f"'{name_of(last)}' {reason}") for reason in _problems_of_branch(last, number, target, region)
        )


def _problems_of_branch(branch: Operation, number: int, target: Block, region: Region) -> Iterator[str]:
    if target.parent is not region:
        yield f"branches to '{_name(target)}', which is not a block of the same region"
        return
    if target is region.first_block:
        yield "branches to the entry block of its region, which may have no predecessors; branch to a block after it"
    if (passed := _PASSED.get(branch.name)) is None:
        return
    try:
        values = passed(branch)[number]
    except (IndexError, ValueError):  # its own verifier tells what is wrong with its groups of operands
        return
    if len(values) != len(target.args):
        yield (
            f"passes {count(len(values), 'value')} to '{_name(target)}', which has "
            f"{count(len(target.args), 'argument')}"
        )
        return
    for i, (value, argument) in enumerate(zip(values, target.args, strict=True)):
        if value.type != argument.type:
            yield f"passes value {i} of type {value.type} to '{_name(target)}', which takes {argument.type} there"


def _switch_operands(op: Any) -> Sequence[Sequence[SSAValue]]:
    rest = list(op.case_operands)
    groups: list[Sequence[SSAValue]] = [op.default_operands]
    for size in op.case_operand_segments.get_values():
        groups.append(rest[:size])
        del rest[:size]
    return groups


_PASSED: dict[str, Callable[[Any], Sequence[Sequence[SSAValue]]]] = {
    "cf.br": lambda op: [op.arguments],
    "cf.cond_br": lambda op: [op.then_arguments, op.else_arguments],
    "cf.switch": _switch_operands,
    "llvm.br": lambda op: [op.arguments],
    "llvm.cond_br": lambda op: [op.then_arguments, op.else_arguments],
}
"""The values that a branch passes to each of its successors. Branches of other dialects have verifiers of their own."""


def _example(op: Operation) -> str:
    """What a block of `op` may end with, where that is known."""
    implicit = op.get_trait(SingleBlockImplicitTerminator)
    name = _RETURNS.get(op.name) or (implicit.op_type.name if implicit is not None else None)
    return f", such as '{name}'" if name else ""


def _name(block: Block) -> str:
    """The label of a block, as it is printed."""
    if block.name_hint is not None:
        return f"^{block.name_hint}"
    assert block.parent is not None
    return f"^bb{block.parent.get_block_index(block)}"


def count(number: int, noun: str) -> str:
    """`1 value`, `2 values`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
