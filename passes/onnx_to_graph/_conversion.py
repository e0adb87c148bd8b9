"""One run of the conversion: what is known, and what could not be converted."""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.passes.onnx_to_graph._functions import expand
from mlc.passes.shared.extents import result_extents
from mlc.passes.shared.graph_builder import Knowledge
from mlc.passes.shared.refusal import Unconvertible
from mlc.passes.shared.to_graph import ConversionToGraph

PASS = "convert-onnx-to-graph"
"""The pass that patterns register for."""

NO_PATTERN = "mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/importing-onnx.md)"
"""Why an op is refused that nothing converts."""


@dataclass
class Conversion(ConversionToGraph):
    """One run of the conversion from ONNX."""

    PASS: ClassVar[str] = PASS

    wrong: Container[Operation] = ()
    """Ops of which somebody else says what is wrong with them; they are not looked at."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.knowledge.hand_on = result_extents
        self.knowledge.spell = in_words

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


def require_fixed(op: OnnxOp, knowledge: Knowledge) -> None:
    """Raises: Unconvertible if the extent of a dim of an operand depends on data."""
    for index, value in enumerate(op.operands):
        for axis in knowledge.extents.get(value, {}):
            raise Unconvertible(
                f"the extent of dim {axis} of '{op.input_name(index)}', {in_words(value.type)} at most, depends on "
                "data, and mlc has no form of this operator that leaves out what lies behind it; let the model end in "
                "front of this node"
            )
