"""The pass `canonicalize`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import ModuleOp, UnknownLoc
from xdsl.folder import Folder
from xdsl.ir import Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.traits import ConstantLike, HasCanonicalizationPatternsTrait, HasFolder
from xdsl.transforms.dead_code_elimination import is_trivially_dead
from xdsl.utils.worklist import Worklist

from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug


@dataclass(frozen=True)
class CanonicalizePass(Pass):
    """Bring every op to its simplest form, by the folders and canonicalization patterns of its dialect.

    ```mlir
    %0 = graph.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
    %1 = graph.transpose %0 [1, 0] : tensor<3x2xf32> -> tensor<2x3xf32>
    %2 = graph.mul %1, %one : tensor<2x3xf32>, tensor<f32> -> tensor<2x3xf32>     // %one = dense<1.0>
    return %2
    // after
    return %x
    ```

    It works at any level and takes each op again when one next to it has changed, so time is linear in the ops and the
    rewrites. Ops that fall out of use on the way are erased. It leaves alone what would change a bit of a result:
    `x + 0.0` stays, as it turns -0.0 into 0.0.
    """

    name = "canonicalize"

    max_rewrites_per_op: int = 100
    """More rewrites than this, on average, mean that two patterns undo each other."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        driver = _Driver(Folder(ctx))
        ops = [op for op in module.walk() if op is not module]
        driver.run(ops, self.max_rewrites_per_op * (len(ops) + 100))


@dataclass
class _Driver:
    """A greedy rewriter that visits, after a change, the new ops and the neighbours of the old one."""

    folder: Folder
    worklist: Worklist[Operation] = field(default_factory=Worklist[Operation])
    patterns: dict[type[Operation], Sequence[RewritePattern]] = field(
        default_factory=dict[type[Operation], Sequence[RewritePattern]]
    )
    applied: str = ""
    """The pattern that was applied last."""

    def run(self, ops: Sequence[Operation], limit: int) -> None:
        """Rewrite until nothing changes.

        Raises:
            CompilerBug: `limit` rewrites were not enough.
        """
        for op in reversed(ops):
            self.worklist.push(op)
        while self.worklist:
            op = self.worklist.pop()
            if self._simplify(op):
                limit -= 1
                if limit < 0:
                    last = f": the last one is {self.applied}" if self.applied else ""
                    raise CompilerBug(f"patterns of '{op.name}' do not come to an end{last}", "canonicalize")

    def _simplify(self, op: Operation) -> bool:
        """Erase, fold or rewrite `op`; whether anything changed."""
        # Whether an op without results is of any use takes a look at all that is in it: that is left to `dce`.
        if op.results and all(r.first_use is None for r in op.results) and is_trivially_dead(op):
            self._rewriter(op).erase(op)
            return True
        patterns = self._patterns_of(type(op))
        folds = op.has_trait(HasFolder) and not op.has_trait(ConstantLike)
        if not patterns and not folds:
            return False
        rewriter = self._rewriter(op)
        if folds and self.folder.replace_with_fold(op, rewriter) is not None:
            return True
        for pattern in patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                self.applied = type(pattern).__name__
                if op.parent is not None:
                    self.worklist.push(op)
                return True
        return False

    def _patterns_of(self, op_type: type[Operation]) -> Sequence[RewritePattern]:
        if (found := self.patterns.get(op_type)) is None:
            traits = op_type.get_traits_of_type(HasCanonicalizationPatternsTrait)
            found = self.patterns[op_type] = [p for t in traits for p in t.get_patterns(op_type)]
        return found

    def _rewriter(self, op: Operation) -> PatternRewriter:
        """A rewriter at `op` that tells this driver what it does; new ops get the location of `op`."""
        location = op.location
        rewriter = PatternRewriter(op)

        def inserted(new: Operation) -> None:
            if isinstance(new.location, UnknownLoc):
                new.location = location
            self.worklist.push(new)

        def removed(old: Operation) -> None:
            for erased in old.walk():
                self.worklist.remove(erased)
            for operand in old.operands:
                self._revisit_owner(operand)

        def replaced(_old: Operation, values: Sequence[SSAValue | None]) -> None:
            for value in values:
                if value is not None:
                    self._revisit_owner(value)

        rewriter.operation_insertion_handler = [inserted]
        rewriter.operation_removal_handler = [removed]
        rewriter.operation_modification_handler = [self.worklist.push]
        rewriter.operation_replacement_handler = [replaced]
        return rewriter

    def _revisit_owner(self, value: SSAValue) -> None:
        if isinstance(value, OpResult):
            self.worklist.push(value.op)
