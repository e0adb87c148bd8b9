"""One run of the conversion: what is known, and what could not be converted."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field

from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.passes.lowering import LoweringDriver
from mlc.passes.onnx_to_graph._builder import Knowledge
from mlc.passes.onnx_to_graph._extents import result_extents
from mlc.passes.onnx_to_graph._functions import expand
from mlc.passes.onnx_to_graph._refusal import Unconvertible
from mlc.support.context import CompilerContext

PASS = "convert-onnx-to-graph"
"""The pass that patterns register for."""

NO_PATTERN = "mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/importing-onnx.md)"
"""Why an op is refused that nothing converts."""


@dataclass
class Conversion(CompilerContext):
    """The context of the patterns: that of the compilation, and what they share while one module is converted."""

    refused: list[tuple[OnnxOp, str]] = field(default_factory=list[tuple[OnnxOp, str]])
    """The ops that cannot be converted, with the reason."""
    lost: set[SSAValue] = field(default_factory=set[SSAValue])
    """The values that would need one of these."""
    wrong: Container[Operation] = ()
    """Ops of which somebody else says what is wrong with them; they are not looked at."""

    def __post_init__(self) -> None:
        self.driver = LoweringDriver(PASS, self)
        self.knowledge = Knowledge(self.resources, result_extents)

    @staticmethod
    def within(ctx: CompilerContext) -> Conversion:
        """A new run, on the data of a compilation."""
        return Conversion(resources=ctx.resources, remarks=ctx.remarks, warnings=ctx.warnings, target=ctx.target)

    def lower(self, ops: Iterable[Operation]) -> None:
        """Convert ops, in program order. One without a pattern becomes the body that its specification gives, or is
        refused."""
        for op in list(ops):
            if isinstance(op, OnnxOp) and op in self.wrong:
                self.lose(op)
            elif not isinstance(op, OnnxOp) or self.driver.handles(op):
                self.driver.lower([op])
            elif any(self.is_lost(v) for v in op.operands):
                self.lose(op)
            elif self._needs_shapes(op):
                self.refuse(op, f"{NO_PATTERN}, and its body depends on extents that depend on data")
            elif (body := expand(op, self.resources)) is not None:
                Rewriter.erase_op(op)
                self.lower(body)
            else:
                self.refuse(op, NO_PATTERN)

    def _needs_shapes(self, op: OnnxOp) -> bool:
        """Whether the body of an operator is made for shapes that are known only when the model runs."""
        schema = op.schema
        is_made = schema is not None and schema.has_context_dependent_function and not schema.has_function
        return is_made and any(v in self.knowledge.extents for v in op.operands)

    def refuse(self, op: OnnxOp, reason: str) -> None:
        """Note that `op` cannot be converted."""
        self.refused.append((op, reason))
        self.lose(op)

    def lose(self, op: OnnxOp) -> None:
        """Note that the results of `op` are not there, for a reason that is known."""
        self.lost.update(op.results)

    def is_lost(self, value: SSAValue) -> bool:
        """Whether a value is missing because of an op that was refused."""
        return value in self.lost


def require_fixed(op: OnnxOp, knowledge: Knowledge) -> None:
    """Raises: Unconvertible if the extent of a dim of an operand depends on data."""
    for index, value in enumerate(op.operands):
        for axis in knowledge.extents.get(value, {}):
            raise Unconvertible(
                f"the extent of dim {axis} of '{op.input_name(index)}', {in_words(value.type)} at most, depends on "
                "data, and mlc has no form of this operator that leaves out what lies behind it; let the model end in "
                "front of this node"
            )
