"""Simpler forms of `graph.scan`."""

from __future__ import annotations

from typing import cast

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.rewriter import InsertPoint

from mlc.dialects.graph.constant import constant_of
from mlc.dialects.graph.scan_parts import ScanParts, Stack
from mlc.dialects.graph.shape import ReshapeOp
from mlc.dialects.graph.types import is_static, shape_of
from mlc.dialects.scan import ScanLike
from mlc.support.ir import clone


class FoldScanOfNoSteps(RewritePattern):
    """What no step changes is what it was; the stacks of no rows are left to those who read them."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScanLike, rewriter: PatternRewriter) -> None:
        if op.steps == 0 and not any(stack.uses for stack in op.stacks):
            rewriter.replace(op, (), [*op.initial, *(None for _ in op.stacks)])


class InlineSingleStep(RewritePattern):
    """A loop that runs once is its body."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScanLike, rewriter: PatternRewriter) -> None:
        if op.steps != 1 or not all(is_static(v.type) for v in (*op.rows_of, *op.rows, *op.outputs, *op.yielded)):
            return
        block = op.body.block
        rows = [ReshapeOp(v, shape_of(row)) for v, row in zip(op.rows_of, op.rows, strict=True)]
        arguments: list[SSAValue] = [*op.initial, *(row.result for row in rows), *op.captured]
        mapping: dict[SSAValue, SSAValue] = dict(zip(block.args, arguments, strict=True))
        ops: list[Operation] = [*rows, *(clone(inner, mapping) for inner in list(block.ops)[:-1])]
        results = [mapping.get(v, v) for v in op.yielded]
        for i in range(len(op.initial), len(results)):
            ops.append(stack := ReshapeOp(results[i], shape_of(op.outputs[i])))
            results[i] = stack.result
        rewriter.replace(op, ops, results)


class SimplifyOperands(RewritePattern):
    """Constants stand in the body, what is carried unchanged is used, and each value has one name inside."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScanLike, rewriter: PatternRewriter) -> None:
        parts = ScanParts(op)
        changes = [step(parts, rewriter) for step in (_use_unchanged, _bring_in_constants, _join_equal)]
        if any(changes):
            parts.rebuild(rewriter)


class DropUnused(RewritePattern):
    """Nothing is carried, taken, used or stacked in vain; rows that are stacked as they come are not a new tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ScanLike, rewriter: PatternRewriter) -> None:
        parts = ScanParts(op)
        changes = [step(parts, rewriter) for step in (_drop_stacks, _drop_carried, _drop_operands)]
        if any(changes):
            parts.rebuild(rewriter)


PATTERNS = (FoldScanOfNoSteps(), InlineSingleStep(), SimplifyOperands(), DropUnused())


def _use_unchanged(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    unchanged = [c for c in parts.carried if c.next is c.inside]
    for each in unchanged:
        parts.carried.remove(each)
        rewriter.replace_all_uses_with(each.result, each.initial)
        parts.rename(each.inside, parts.add_used(each.initial), rewriter)
    return bool(unchanged)


def _bring_in_constants(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    found = [(u, c) for u in parts.used if u.inside.uses and (c := constant_of(u.value)) is not None]
    for used, constant in found:
        parts.used.remove(used)
        copy = clone(constant)
        copy.results[0].name_hint = used.value.name_hint
        rewriter.insert(copy, InsertPoint.at_start(parts.body))
        parts.rename(used.inside, copy.results[0], rewriter)
    return bool(found)


def _join_equal(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    first: dict[tuple[SSAValue, bool | None], BlockArgument] = {}
    before = len(parts.rows) + len(parts.used)
    for rows in list(parts.rows):
        if (found := first.setdefault((rows.source, rows.backwards), rows.inside)) is not rows.inside:
            parts.rename(rows.inside, found, rewriter)
            parts.rows.remove(rows)
    for used in list(parts.used):
        if (found := first.setdefault((used.value, None), used.inside)) is not used.inside:
            parts.rename(used.inside, found, rewriter)
            parts.used.remove(used)
    return len(parts.rows) + len(parts.used) < before


def _drop_stacks(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    """Leave out stacks that nobody reads, that are another one, or that are what rows are taken from."""
    sources = {(r.inside, r.backwards): r.source for r in parts.rows}
    known: dict[tuple[SSAValue, bool], SSAValue] = {**sources}
    kept: list[Stack] = []
    for stack in parts.stacks:
        assert stack.result is not None
        key = (stack.row, stack.backwards)
        if not stack.result.uses:
            continue
        if (same := known.get(key)) is not None and same.type == stack.result.type:
            rewriter.replace_all_uses_with(stack.result, same)
            continue
        known[key] = stack.result
        kept.append(stack)
    changed = len(kept) < len(parts.stacks)
    parts.stacks = kept
    return changed


def _drop_carried(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    """Leave out what is carried for its own sake only."""
    by_name = {c.inside: c for c in parts.carried}
    pending: list[SSAValue] = [s.row for s in parts.stacks]
    pending += [c.next for c in parts.carried if c.result.uses]
    seen: set[SSAValue] = set()
    needed = {c for c in parts.carried if c.result.uses}
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        if isinstance(owner := value.owner, Operation):
            pending += owner.operands
        elif (carried := by_name.get(cast(BlockArgument, value))) is not None:
            needed.add(carried)
            pending.append(carried.next)
    if len(needed) == len(parts.carried):
        return False
    parts.carried = [c for c in parts.carried if c in needed]
    return True


def _drop_operands(parts: ScanParts, rewriter: PatternRewriter) -> bool:
    """Leave out operands that no step looks at, after ops that nobody needs."""
    parts.drop_dead_ops(rewriter)
    return parts.drop_unused_operands()
