"""What the patterns of this lowering share."""

from __future__ import annotations

from abc import abstractmethod
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneType, TensorType
from xdsl.ir import Operation, SSAValue

from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.frontends.onnx.to_graph._conversion import PASS, Conversion, require_fixed, rounded, widen
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._strings import strings_in
from mlc.frontends.onnx.to_graph._validity import fault_of, operands_in_words
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import Results, ToGraphPattern
from mlc.support.dtypes import is_supported
from mlc.support.errors import Words

_MOST_ELEMENTS = 1 << 47
"""As many bytes as a process can address on today's machines."""


class FromOnnx(ToGraphPattern):
    """Lowers one operator of ONNX: `build` says what its results are at the graph level.

    ```python
    @lowers("convert-onnx-to-graph", onnx.op("Neg"))
    class Neg(FromOnnx):
        def build(self, node: Node, b: GraphBuilder) -> Results:
            return b(graph.NegOp, node[0])
    ```
    """

    TAKES_BOUNDED: ClassVar[bool] = False
    """Whether operands may have dims whose extents depend on data. Then all that is made of them goes through the
    builder, which hands these extents on, and no shape is taken for more than the most that there can be."""

    ROUNDS_ONCE: ClassVar[bool] = False
    """Whether elements of 16 bits are f32 for `build`, where the first operand has such, and results are rounded in the
    end: what is several ops at the graph level would round, and overflow, between them."""

    def rounds_once(self, node: Node) -> bool:
        """`ROUNDS_ONCE` of a node, where it depends on more than the operator."""
        return self.ROUNDS_ONCE

    @property
    def conversion(self) -> Conversion:
        """The run that the pattern takes part in."""
        assert isinstance(self.run, Conversion)
        return self.run

    def converted(self, op: Operation, b: GraphBuilder) -> Results:
        assert isinstance(op, OnnxOp)
        _require_inputs(op)
        _require_numbers(op)
        _require_known(op)
        if not self.TAKES_BOUNDED:
            require_fixed(op, b.knowledge)
        node = Node(op, b.knowledge)
        if not self.rounds_once(node):
            return self.build(node, b)
        own = list(op.operands)
        element = widen(op, b)
        try:
            found = self.build(node, b)
        except Exception:
            op.operands = own  # what is said of the node names its own types
            raise
        results = [found] if isinstance(found, SSAValue) else found
        return results if element is None else [v and rounded(b, v, element) for v in results]

    def reason(self, op: Operation, error: Exception) -> Words | Unconvertible | None:
        assert isinstance(op, OnnxOp)
        if isinstance(error, Unconvertible) and error.of_operands:
            return fault_of(op, self.run.knowledge) or (f"{operands_in_words(op)}: ", *error.words)
        if isinstance(error, Unconvertible):
            return error
        # Patterns count on what the specification requires, which is asked only now: most models are right.
        fault = fault_of(op, self.run.knowledge)
        if fault is None and isinstance(error, MemoryError | OverflowError):
            fault = f"it asks for numbers, or for data, beyond what a machine holds: {error}"
        return fault

    @abstractmethod
    def build(self, node: Node, b: GraphBuilder) -> Results:
        """Append graph ops to `b` and return what replaces the results of the node.

        Raises:
            Unconvertible: the node cannot be converted.
        """


def _require_inputs(op: OnnxOp) -> None:
    """Raises: Unconvertible if an operand that the schema requires is not there."""
    for index, formal in enumerate(op.schema.inputs if op.schema else ()):
        is_there = index < len(op.operands) and not isinstance(op.operands[index].type, NoneType)
        if formal.option.name == "Single" and not is_there:
            raise Unconvertible(f"input '{formal.name}' is missing")


def _require_numbers(op: OnnxOp) -> None:
    """Raises: Unconvertible if the node makes strings, or compares with them."""
    if (reason := strings_in(op)) is not None:
        raise Unconvertible(reason)


def _require_known(op: OnnxOp) -> None:
    """Raises: Unconvertible if an operand is no tensor of known shape that mlc computes with."""
    for index, value in enumerate(op.operands):
        kind = value.type
        if isinstance(kind, NoneType):
            continue
        found = f"input '{op.input_name(index)}' is {in_words(kind)}"
        if not isinstance(kind, TensorType):
            raise Unconvertible(f"{found}, which is no tensor of known shape")
        if DYNAMIC_INDEX in kind.get_shape():
            raise Unconvertible(f"{found}, whose shape is not known")
        if prod(kind.get_shape()) > _MOST_ELEMENTS:
            raise Unconvertible(f"{found}, which has more elements than a machine can address")
        if not is_supported(element_of(value)):
            raise Unconvertible(f"{found}, with whose elements mlc does not compute")


class BoundedFromOnnx(FromOnnx):
    """Lowers an operator that takes dims whose extents depend on data."""

    TAKES_BOUNDED: ClassVar[bool] = True


__all__ = ["PASS", "BoundedFromOnnx", "FromOnnx", "Results"]
