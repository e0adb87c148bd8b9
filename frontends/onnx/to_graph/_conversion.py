"""One run of the conversion: what is known, and what could not be converted."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, UnrealizedConversionCastOp, bf16, f16, f32
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.frontends.onnx.to_graph._functions import expand
from mlc.frontends.operators.extents import result_extents
from mlc.frontends.operators.graph_builder import GraphBuilder, Knowledge
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import ConversionToGraph
from mlc.support.errors import LOAD_PASS

PASS = "convert-onnx-to-graph"
"""The pass that patterns register for."""

NO_PATTERN = ("mlc has no pattern for this operator; ", LOAD_PASS, " adds one (docs/importing-onnx.md)")
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
            elif not self._expanded(op):
                self.refuse(op, (*NO_PATTERN, *self._missing(op)))

    def _expanded(self, op: OnnxOp) -> bool:
        """Convert the body that the specification gives an operator, if it gives one; it rounds once, in the end."""
        own = list(op.operands)
        element = widen(op, GraphBuilder(op, self.knowledge))
        ends = [] if element is None else [_behind(op, result) for result in op.results]
        if (body := expand(op, self.knowledge)) is None:
            op.operands = own
            for end in ends:
                end.results[0].replace_all_uses_with(end.operands[0])
                Rewriter.erase_op(end)
            return False
        Rewriter.erase_op(op)
        self.lower(body)
        for end in ends:
            if self.is_lost(value := end.operands[0]):
                self.lose(end)
                continue
            assert element is not None
            end.results[0].replace_all_uses_with(rounded(GraphBuilder(end, self.knowledge), value, element))
            Rewriter.erase_op(end)
        return True

    def _missing(self, op: OnnxOp) -> Iterator[str]:
        """Why the specification gives an operator no body, where it gives one for other shapes."""
        schema = op.schema
        is_made = schema is not None and schema.has_context_dependent_function and not schema.has_function
        if is_made and any(v in self.knowledge.extents for v in op.operands):
            yield ", and has no body for dims that are open"


def _behind(op: OnnxOp, result: SSAValue) -> Operation:
    """What stands for a result until it is rounded."""
    end = UnrealizedConversionCastOp.get([result], [result.type])
    result.replace_uses_with_if(end.results[0], lambda use: use.operation is not end)
    Rewriter.insert_op(end, InsertPoint.after(op))
    return end


def widen(op: OnnxOp, b: GraphBuilder) -> Attribute | None:
    """Make operands of f16 and bf16 f32, if the first one is of such, and return its element type; else None."""
    element = element_of(op.operands[0]) if op.operands and isinstance(op.operands[0].type, TensorType) else None
    if element not in (f16, bf16):
        return None
    for index, value in enumerate(op.operands):
        if isinstance(value.type, TensorType) and element_of(value) in (f16, bf16):
            op.operands[index] = b.cast(value, f32)
    return element


def rounded(b: GraphBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    """A result of an op with such operands: what is f32 in the type that they had."""
    return b.cast(value, element) if element_of(value) == f32 else value


def require_fixed(op: OnnxOp, knowledge: Knowledge) -> None:
    """Raises: Unconvertible if the extent of a dim of an operand is not known."""
    for index, value in enumerate(op.operands):
        for axis, extent in knowledge.extents.get(value, {}).items():
            raise Unconvertible(
                f"the extent of dim {axis} of '{op.input_name(index)}', {in_words(value.type)} at most, "
                f"{knowledge.cause_of(extent)}, and mlc has no form of this operator that leaves out what lies after "
                "it; let the model end before this node"
            )
