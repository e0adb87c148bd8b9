"""What conversions of all sources to the graph dialect share: one run, and how a pattern replaces an op."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects.builtin import FunctionType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import Rewriter
from xdsl.traits import is_side_effect_free

from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import LoweringDriver
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError, Words

Results = SSAValue | Sequence[SSAValue | None]
"""What replaces an op: its first result, or all of them; None for one that nobody asked for."""

_C = TypeVar("_C", bound="ConversionToGraph")


@dataclass
class ConversionToGraph(CompilerContext):
    """The context of the patterns: that of the compilation, and what they share while one module is converted."""

    PASS: ClassVar[str]
    """The pass that patterns register for."""

    refused: list[tuple[Operation, Unconvertible]] = field(default_factory=list[tuple[Operation, Unconvertible]])
    """The ops that cannot be converted, with the reason."""
    lost: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values that would need one of these."""

    def __post_init__(self) -> None:
        self.driver = LoweringDriver(self.PASS, self)
        self.knowledge = Knowledge(self.resources)

    @classmethod
    def within(cls: type[_C], ctx: CompilerContext) -> _C:
        """A new run, on the data of a compilation."""
        return cls(resources=ctx.resources, remarks=ctx.remarks, warnings=ctx.warnings, target=ctx.target)

    def refuse(self, op: Operation, reason: Words | Unconvertible) -> None:
        """Note that `op` cannot be converted."""
        self.refused.append((op, reason if isinstance(reason, Unconvertible) else Unconvertible(reason)))
        self.lose(op)

    def lose(self, op: Operation) -> None:
        """Note that the results of `op` are not there, for a reason that is known."""
        self.lost.update(op.results)

    def is_lost(self, value: SSAValue) -> bool:
        """Whether a value is missing because of an op that was refused."""
        return value in self.lost


class ToGraphPattern(RewritePattern):
    """Lowers one op of a source. What it writes depends on the types of operands, which are converted already, and on
    the data of constants. An op that cannot be converted is refused with a reason, and stays."""

    def __init__(self, ctx: CompilerContext) -> None:
        assert isinstance(ctx, ConversionToGraph)
        self.run = ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        run = self.run
        if any(run.is_lost(v) for v in op.operands):
            run.lose(op)
            rewriter.notify_op_modified(op)  # no other pattern is tried
            return
        hint = next((r.name_hint for r in op.results if r.name_hint), None) or self.hint(op)
        try:
            found = self.converted(op, GraphBuilder(op, run.knowledge, hint))
        except UserError:
            raise
        except Exception as e:
            if (reason := self.reason(op, e)) is None:
                raise
            run.refuse(op, reason)
            rewriter.notify_op_modified(op)
            return
        results: list[Any] = list(cast("Sequence[Any]", found)) if isinstance(found, Sequence) else [found]
        results += [None] * (len(op.results) - len(results))
        for old, new in zip(op.results, results, strict=False):
            if new is None and old.first_use is not None:
                run.refuse(op, f"its result {old.index} cannot be computed")
                return
        self.replace(op, results, rewriter)

    def replace(self, op: Operation, results: Sequence[Any], rewriter: PatternRewriter) -> None:
        """Put what `converted` gave in the place of the results of an op."""
        for old, new in zip(op.results, results, strict=False):
            if new is not None:
                new.name_hint = old.name_hint or new.name_hint
                old.replace_all_uses_with(new)
        rewriter.erase(op)

    @abstractmethod
    def converted(self, op: Operation, b: GraphBuilder) -> Any:
        """Append graph ops to `b` and return what replaces the results of `op`, `Results` if they are real.

        Raises:
            Unconvertible: the op cannot be converted.
        """

    def hint(self, op: Operation) -> str:
        """What constants are called that are made for an op whose results have no names."""
        return op.name.rpartition(".")[2].lower()

    def reason(self, op: Operation, error: Exception) -> Words | Unconvertible | None:
        """Why `op` is refused, given what was raised when it was converted; None if the pattern is wrong."""
        return error if isinstance(error, Unconvertible) else None


def finish_function(function: FuncOp, is_source: Callable[[Operation], bool]) -> None:
    """Drop what nobody reads once a function is converted, and say what it returns now; `is_source` tells the ops
    of the source, of which nothing else is known."""
    block = function.body.block
    erase_unused(block, is_source)
    assert block.last_op is not None
    function.function_type = FunctionType.from_lists(block.arg_types, [v.type for v in block.last_op.operands])


def erase_unused(block: Block, is_source: Callable[[Operation], bool]) -> None:
    """Drop the ops of the source, and those without side effects, whose results nobody reads."""
    for op in reversed(list(block.ops)):
        unused = op.results and all(result.first_use is None for result in op.results)
        if unused and (is_source(op) or is_side_effect_free(op)):
            Rewriter.erase_op(op)
