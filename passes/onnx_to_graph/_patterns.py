"""What the patterns of this lowering share."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.passes.onnx_to_graph._builder import GraphBuilder
from mlc.passes.onnx_to_graph._conversion import PASS, Conversion, require_fixed
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._refusal import Unconvertible, Unfit
from mlc.passes.onnx_to_graph._strings import strings_in
from mlc.passes.onnx_to_graph._validity import fault_of, operands_in_words
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_supported

_MOST_ELEMENTS = 1 << 47
"""As many bytes as a process can address on today's machines."""

_OF_GRAPH = re.compile(r"^graph\.\w+: |; insert graph\.cast| \(\w+_c\d+\)$")

Results = SSAValue | Sequence[SSAValue | None]
"""What a node gives: its first result, or all of them; None for one that nobody asked for."""


class FromOnnx(RewritePattern):
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

    def __init__(self, ctx: CompilerContext) -> None:
        assert isinstance(ctx, Conversion)
        self.conversion = ctx

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, OnnxOp)
        conversion = self.conversion
        if any(conversion.is_lost(v) for v in op.operands):
            conversion.lose(op)
            return
        hint = next((r.name_hint for r in op.results if r.name_hint), None) or op.OP_TYPE.lower()
        try:
            _require_inputs(op)
            _require_numbers(op)
            _require_known(op)
            if not self.TAKES_BOUNDED:
                require_fixed(op, conversion.knowledge)
            found = self.build(Node(op, conversion.knowledge), GraphBuilder(op, conversion.knowledge, hint))
        except Unfit as e:
            conversion.refuse(op, fault_of(op, conversion.knowledge) or f"{operands_in_words(op)}: {_plain(e)}")
            return
        except Unconvertible as e:
            conversion.refuse(op, str(e))
            return
        except Exception as e:
            # Patterns count on what the specification requires, which is asked only now: most models are right.
            fault = fault_of(op, conversion.knowledge)
            if fault is None and isinstance(e, MemoryError | OverflowError):
                fault = f"it asks for numbers, or for data, beyond what a machine holds: {e}"
            if fault is None:
                raise
            conversion.refuse(op, fault)
            return
        results = [found] if isinstance(found, SSAValue) else list(found)
        results += [None] * (len(op.results) - len(results))
        for old, new in zip(op.results, results, strict=False):
            if new is None and old.first_use is not None:
                conversion.refuse(op, f"its result {old.index} cannot be computed")
                return
        for old, new in zip(op.results, results, strict=False):
            if new is not None:
                new.name_hint = old.name_hint or new.name_hint
                old.replace_all_uses_with(new)
        rewriter.erase(op)

    @abstractmethod
    def build(self, node: Node, b: GraphBuilder) -> Results:
        """Append graph ops to `b` and return what replaces the results of the node.

        Raises:
            Unconvertible: the node cannot be converted.
        """


def _plain(error: Unfit) -> str:
    """What the graph dialect says of shapes and types, without its name and the number of the constraint."""
    return _OF_GRAPH.sub("", str(error))


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
