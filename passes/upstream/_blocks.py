"""Blocks of loops and branches while they are converted: what they take, what ends them, what nobody reads in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import tensor
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from mlc.passes.upstream._points import constant_of
from mlc.passes.upstream._scalars import is_scalar_op
from mlc.support.ir import clone, inlined, made_by


def move(source: Block, target: Block) -> None:
    """Put the ops of a block at the end of another one."""
    for op in list(source.ops):
        op.detach()
        target.add_op(op)


def copied(block: Block) -> tuple[Block, list[SSAValue]]:
    """A block with copies of the ops of another one but for its end, and what that hands on."""
    copy = Block(arg_types=block.arg_types)
    ops, values = inlined(block, copy.args)
    for old, new in zip(block.args, copy.args, strict=True):
        new.name_hint = old.name_hint
    copy.add_ops(ops)
    return copy, values


def ended(block: Block) -> list[SSAValue]:
    """Take the terminator off a block; what it hands on."""
    last = block.last_op
    assert last is not None
    values = list(last.operands)
    Rewriter.erase_op(last)
    return values


def end(block: Block, values: Sequence[SSAValue]) -> None:
    """End a body of kernels, without scalars that nobody reads."""
    block.add_op(tensor.YieldOp(*values))
    erase_unread(block)


def erase_unread(block: Block) -> None:
    """Erase scalars, and what is computed of them, that nobody reads."""
    for op in reversed(list(block.ops)):
        is_pure = is_scalar_op(op) or (bool(op.results) and is_side_effect_free(op))
        if is_pure and not any(result.uses for result in op.results):
            Rewriter.erase_op(op)


def capture(blocks: Sequence[Block]) -> list[SSAValue]:
    """Let bodies take what they use from outside as their last arguments, which are returned; constants move inside."""
    outside: dict[SSAValue, None] = {}
    for block in blocks:
        made = {v for op in block.walk() for v in made_by(op)} | {*block.args}
        used = dict.fromkeys(v for op in block.walk() for v in op.operands if v not in made)
        copies: dict[SSAValue, SSAValue] = {}
        for value in used:
            if (constant := constant_of(value)) is not None:
                copy = clone(constant)
                Rewriter.insert_op(copy, InsertPoint.at_start(block))
                copies[value] = copy.results[0]
            else:
                outside[value] = None
        _replace_in(block, copies)
    for block in blocks:
        arguments = {value: block.insert_arg(value.type, len(block.args)) for value in outside}
        for value, argument in arguments.items():
            argument.name_hint = value.name_hint
        _replace_in(block, arguments)
    return list(outside)


def _replace_in(block: Block, new: Mapping[SSAValue, SSAValue]) -> None:
    for op in block.walk():
        if any(v in new for v in op.operands):
            op.operands = [new.get(v, v) for v in op.operands]


def from_outside(op: Operation) -> list[SSAValue]:
    """The scalars that the regions of an op use, but do not make; without constants."""
    made = {v for inner in op.walk() for v in made_by(inner)}
    used = dict.fromkeys(v for inner in op.walk() if inner is not op for v in inner.operands)
    return [v for v in used if v not in made and not isinstance(v.type, TensorType) and constant_of(v) is None]
