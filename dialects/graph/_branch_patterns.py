"""Simpler forms of `graph.if` and `graph.while`."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from mlc.dialects.branches import IfLike, WhileLike
from mlc.dialects.graph.constant import constant_of, splat_of
from mlc.support.ir import clone, inlined


class TakeKnownBranch(RewritePattern):
    """Of two bodies, the one that a constant condition chooses."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IfLike, rewriter: PatternRewriter) -> None:
        if (known := splat_of(op.condition)) is not None:
            ops, results = inlined((op.then if known else op.otherwise).block, op.captured)
            rewriter.replace(op, ops, results)


class FoldWhileThatNeverRuns(RewritePattern):
    """What no step changes is what it was."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: WhileLike, rewriter: PatternRewriter) -> None:
        last = op.condition.block.last_op
        if last is not None and splat_of(last.operands[0]) == 0:
            rewriter.replace(op, (), op.initial)


class SimplifyCaptured(RewritePattern):
    """Constants stand in the bodies, each value has one name there, and nothing is used in vain."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, IfLike | WhileLike)
        regions = (op.then, op.otherwise) if isinstance(op, IfLike) else (op.condition, op.body)
        start = 0 if isinstance(op, IfLike) else len(op.initial)
        first: dict[SSAValue, int] = {}
        kept: list[SSAValue] = []
        dropped: list[int] = []
        for position, value in enumerate(op.captured, start):
            _move_in(value, position, regions, rewriter)
            if value in first:
                for region in regions:
                    old, new = (region.block.args[i] for i in (position, first[value]))
                    rewriter.replace_all_uses_with(old, new)
            first.setdefault(value, position)
            if any(region.block.args[position].uses for region in regions):
                kept.append(value)
            else:
                dropped.append(position)
        if dropped:
            for region in regions:
                for argument in [region.block.args[i] for i in dropped]:
                    region.block.erase_arg(argument)
            _rebuild(op, kept, rewriter)


def _move_in(value: SSAValue, position: int, regions: Sequence[Region], rewriter: PatternRewriter) -> None:
    """Let bodies have a constant of their own."""
    if (constant := constant_of(value)) is None:
        return
    for region in regions:
        argument = region.block.args[position]
        if argument.uses:
            copy = clone(constant)
            copy.results[0].name_hint = value.name_hint
            rewriter.insert(copy, InsertPoint.at_start(region.block))
            rewriter.replace_all_uses_with(argument, copy.results[0])


def _rebuild(op: IfLike | WhileLike, captured: Sequence[SSAValue], rewriter: PatternRewriter) -> None:
    first, second = (op.detach_region(region) for region in list(op.regions))
    if isinstance(op, IfLike):
        new: IfLike | WhileLike = type(op)(op.condition, captured, op.result_types, first, second)
    else:
        new = type(op)(op.initial, captured, first, second)
    new.attributes |= op.attributes
    new.location = op.location
    for old, result in zip(op.outputs, new.outputs, strict=True):
        result.name_hint = old.name_hint
    rewriter.replace(op, new)


IF_PATTERNS = (TakeKnownBranch(), SimplifyCaptured())
WHILE_PATTERNS = (FoldWhileThatNeverRuns(), SimplifyCaptured())
