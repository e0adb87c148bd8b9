"""What the patterns of this lowering share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.pass_manager.type_conversion import converted, in_old_form, parts_of
from mlc.passes.graph_to_tensor._builder import Builder
from mlc.support.context import CompilerContext

_PASS = "convert-graph-to-tensor"


class ToTensor(RewritePattern):
    """Lowers one kind of graph op: `build` says what its result is at the tensor level.

    The types of the op are those of the graph level. Where this lowering converts them (`converts_type`), `part` and
    `parts` give the operands in their new types, and the result has the type, or the types, that `types` names.
    """

    def __init__(self, ctx: CompilerContext) -> None:
        self.ctx = ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        builder = Builder()
        built = self.build(op, builder)
        if built is None:
            return
        parts = [built] if isinstance(built, SSAValue) else list(built)
        for part in parts:
            part.name_hint = part.name_hint or op.results[0].name_hint
        if (cast := in_old_form(_PASS, op, parts, op.results[0].type)) is not None:
            parts = [builder.insert(cast)]
        for new in builder.ops:
            new.location = op.location
        rewriter.replace(op, builder.ops, parts)

    def parts(self, value: SSAValue) -> tuple[SSAValue, ...]:
        """An operand in the types that this lowering makes of its own.

        Raises:
            UserError: no pattern has lowered the op that gives it.
        """
        return parts_of(_PASS, value)

    def part(self, value: SSAValue) -> SSAValue:
        """An operand in the one type that this lowering makes of its own; the operand itself, if that stays."""
        (only,) = self.parts(value)
        return only

    def types(self, kind: Attribute) -> tuple[Attribute, ...]:
        """What this lowering makes of a type."""
        return converted(_PASS, kind)

    @abstractmethod
    def build(self, op: Operation, b: Builder) -> SSAValue | Sequence[SSAValue] | None:
        """Append tensor-level ops to `b` and return the value that replaces the result of `op`: several, if its type
        becomes several.

        None leaves `op` to the pattern of the next lower benefit, if there is one.
        """
