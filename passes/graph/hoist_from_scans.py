"""The pass `hoist-from-scans`."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, GraphOp, ScanOp
from mlc.dialects.graph.scan_parts import ScanParts
from mlc.dialects.graph.types import is_static, shape_of, type_of
from mlc.pass_manager.base import Pass
from mlc.passes.graph._all_steps import Batch, StepOperand, compute, has_rule
from mlc.support.context import CompilerContext
from mlc.support.ir import clone


@dataclass(frozen=True)
class HoistFromScansPass(Pass):
    """Compute before a loop what does not depend on what it carries.

    ```mlir
    %last = graph.scan 16 carry (%h = %h0) over (%x = %xs) using (%w = %weights) : … {
      %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x6xf32> -> tensor<4x6xf32>
      %1 = graph.add %0, %h : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
      …
    // after
    %0 = graph.reshape %xs : tensor<16x4x8xf32> -> tensor<64x8xf32>
    %1 = graph.matmul %0, %weights : tensor<64x8xf32>, tensor<8x6xf32> -> tensor<64x6xf32>
    %2 = graph.reshape %1 : tensor<64x6xf32> -> tensor<16x4x6xf32>
    %last = graph.scan 16 carry (%h = %h0) over (%y = %2) : … {
      %3 = graph.add %y, %h : tensor<4x6xf32>, tensor<4x6xf32> -> tensor<4x6xf32>
      …
    ```

    What is the same in all steps is computed once. A product that follows from rows alone is one large product instead
    of many small ones, which read the weights each time; it takes along the ops before it, and elementwise ops
    after it that read nothing else of the step, such as its bias. So is what a step only computes to stack it. It
    leaves alone other ops on rows, since these are cheapest where their results are read, ops with no rule in
    `_all_steps`, and ops that read rows of both directions.
    """

    name = "hoist-from-scans"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        # What left an inner loop may leave the outer one next.
        for op in list(module.walk(region_first=True)):
            if isinstance(op, ScanOp) and op.steps and all(is_static(v.type) for v in (*op.operands, *op.results)):
                _Hoisting(op).run(ctx)


@dataclass(frozen=True)
class _Outside:
    """A value of the body before the loop: the same for all steps, or the values of all steps in some order."""

    value: SSAValue
    by_steps: bool
    backwards: bool = False


@dataclass
class _Hoisting:
    op: ScanOp
    outside: dict[SSAValue, _Outside] = field(default_factory=dict[SSAValue, _Outside])
    """What is known before the loop."""
    order: dict[SSAValue, bool] = field(default_factory=dict[SSAValue, bool])
    """For each value of the body that follows from rows alone, whether the last row is the first."""
    constant: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values of the body that are the same in all steps."""

    made: list[Operation] = field(default_factory=list[Operation])
    """The ops that compute all steps at once."""
    batch: Batch = field(init=False)

    def __post_init__(self) -> None:
        op = self.op
        self.batch = Batch(op.steps)
        for inside, source, back in zip(op.rows, op.rows_of, op.taken_backwards, strict=True):
            self.outside[inside], self.order[inside] = _Outside(source, True, back), back
        for inside, value in zip(op.used, op.captured, strict=True):
            self.outside[inside] = _Outside(value, False)
            self.constant.add(inside)
        for inner in op.body.block.ops:
            self._classify(inner)

    def _classify(self, op: Operation) -> None:
        if not isinstance(op, GraphOp | ConstantOp | ScanOp) or not all(is_static(r.type) for r in op.results):
            return
        if all(v in self.constant for v in op.operands):
            self.constant.update(op.results)
        elif isinstance(op, GraphOp) and has_rule(op):
            orders = {self.order.get(v) for v in op.operands if v not in self.constant}
            if len(orders) == 1 and (order := orders.pop()) is not None:
                self.order[op.result] = order

    def run(self, ctx: CompilerContext) -> None:
        """Move ops before the loop, if there are some worth it."""
        parts = ScanParts(self.op)
        wanted: dict[Operation, None] = {}
        for stack in parts.stacks:
            if self.order.get(stack.row) == stack.backwards:
                self._want(stack.row, wanted)
        for op in self.op.body.block.ops:
            if isinstance(op, ConstantOp):
                continue
            if all(r in self.constant for r in op.results) and op.results:
                wanted[op] = None
            elif isinstance(op, GraphOp) and op.result in self.order and (op.CONTRACTS or self._follows(op, wanted)):
                self._want(op.result, wanted)
        if not wanted:
            return
        for op in [op for op in self.op.body.block.ops if op in wanted]:
            self._hoist(op)
            ctx.remark(op, f"'{op.name}' is computed before the loop of {self.op.steps} steps")
        self._use_results(parts, wanted)

    def _want(self, value: SSAValue, wanted: dict[Operation, None]) -> None:
        """Also want what `value` is computed from; constants and arguments are outside already."""
        pending = [value]
        while pending:
            owner = pending.pop().owner
            if isinstance(owner, Operation) and owner not in wanted and not isinstance(owner, ConstantOp):
                wanted[owner] = None
                pending += owner.operands

    def _follows(self, op: GraphOp, wanted: dict[Operation, None]) -> bool:
        """Whether `op` maps a result that is computed before the loop, and reads no other rows."""
        read = [v for v in op.operands if v not in self.constant]
        return op.MAPS and all(v.owner in wanted and shape_of(v) == shape_of(op.result) for v in read)

    def _hoist(self, op: Operation) -> None:
        operands = [self._known(v) for v in op.operands]
        if isinstance(op, GraphOp) and any(o.by_steps for o in operands):
            each = zip(operands, op.operands, strict=True)
            value = compute(op, [StepOperand(o.value, o.by_steps, len(shape_of(v))) for o, v in each], self.batch)
            ops = self.batch.taken()
            for new in ops:
                new.location = op.location
            Rewriter.insert_op(ops, InsertPoint.before(self.op))
            self.made += ops
            value.name_hint = value.name_hint or op.result.name_hint
            self.outside[op.result] = _Outside(value, True, self.order[op.result])
            return
        copy = clone(op, {v: o.value for v, o in zip(op.operands, operands, strict=True)})
        Rewriter.insert_op(copy, InsertPoint.before(self.op))
        for old, new in zip(op.results, copy.results, strict=True):
            new.name_hint = old.name_hint
            self.outside[old] = _Outside(new, False)

    def _known(self, value: SSAValue) -> _Outside:
        """A value before the loop; a constant is repeated there."""
        if value not in self.outside:
            assert isinstance(value.owner, ConstantOp)
            copy = clone(value.owner)
            copy.results[0].name_hint = value.name_hint
            Rewriter.insert_op(copy, InsertPoint.before(self.op))
            self.outside[value] = _Outside(copy.results[0], False)
        return self.outside[value]

    def _use_results(self, parts: ScanParts, wanted: dict[Operation, None]) -> None:
        """Let what stays in the body, and who reads the stacks, read what is computed in front."""
        rewriter = PatternRewriter(self.op)
        for stack in list(parts.stacks):
            found = self.outside.get(stack.row)
            if found is not None and found.by_steps and found.backwards == stack.backwards:
                assert stack.result is not None
                stack.result.replace_all_uses_with(found.value)
                parts.stacks.remove(stack)
        for op in wanted:
            for result in op.results:
                if any(use.operation not in wanted for use in result.uses):
                    outside = self.outside[result]
                    new = (
                        parts.add_rows(outside.value, type_of(result), outside.backwards)
                        if outside.by_steps
                        else parts.add_used(outside.value)
                    )
                    new.name_hint = result.name_hint
                    parts.rename(result, new, rewriter)
        parts.drop_dead_ops(rewriter)
        parts.drop_unused_operands()
        if parts.carried or parts.stacks:
            parts.rebuild(rewriter)
        else:
            rewriter.erase(self.op)
        for op in reversed(self.made):
            if not op.results[0].uses:
                Rewriter.erase_op(op)
