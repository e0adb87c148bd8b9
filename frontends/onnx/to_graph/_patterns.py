"""What the patterns of this lowering share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, NoneType, TensorType
from xdsl.ir import Operation

from mlc.dialects import onnx
from mlc.dialects.graph.types import element_of
from mlc.dialects.onnx.nodes import in_words
from mlc.dialects.onnx.ops import OnnxOp
from mlc.frontends.onnx.to_graph._conversion import PASS, Conversion, require_fixed, rounded, widen
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._strings import strings_in
from mlc.frontends.onnx.to_graph._validity import fault_of, operands_in_words
from mlc.frontends.operators.conversions import Converts, FunctionPattern
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.to_graph import Results
from mlc.support.dtypes import is_supported
from mlc.support.errors import Words
from mlc.support.former_names import warn_of_name

_MOST_ELEMENTS = 1 << 47
"""As many bytes as a process can address on today's machines."""


class OnnxPattern(FunctionPattern):
    """Converts an operator by a function that gets a `Node`.

    With `rounds_once` operands are widened where the first one has 16 bits.
    """

    PASS: ClassVar[str] = PASS
    OPTIONS: ClassVar[Mapping[str, Any]] = {"bounded": False, "rounds_once": False}
    bounded: ClassVar[bool]
    rounds_once: ClassVar[bool | Callable[[Node], bool]]

    @classmethod
    def op_class(cls, name: str, domain: str) -> type[Operation]:
        return onnx.op(name, domain)

    def converted(self, op: Operation, b: GraphBuilder) -> Results:
        assert isinstance(op, OnnxOp)
        assert isinstance(self.run, Conversion)
        _require_inputs(op)
        _require_numbers(op)
        _require_known(op)
        if not self.bounded:
            require_fixed(op, b.knowledge)
        node = Node(op, b.knowledge, b.hint, op=op, run=self.run)
        once = type(self).rounds_once
        if not (once if isinstance(once, bool) else once(node)):
            return self.called(op, node)
        own = list(op.operands)
        element = widen(op, b)
        try:
            found = self.called(op, node)
        except Exception:
            op.operands = own  # what is said of the node names its own types
            raise
        return found if element is None else [v and rounded(b, v, element) for v in found]

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
    """Raises: Unconvertible if an operand is not a tensor of known shape that mlc computes with."""
    for index, value in enumerate(op.operands):
        kind = value.type
        if isinstance(kind, NoneType):
            continue
        found = f"input '{op.input_name(index)}' is {in_words(kind)}"
        if not isinstance(kind, TensorType):
            raise Unconvertible(f"{found}, which is not a tensor of known shape")
        if DYNAMIC_INDEX in kind.get_shape():
            raise Unconvertible(f"{found}, whose shape is not known")
        if prod(kind.get_shape()) > _MOST_ELEMENTS:
            raise Unconvertible(f"{found}, which has more elements than a machine can address")
        if not is_supported(element_of(value)):
            raise Unconvertible(f"{found}, with whose elements mlc does not compute")


converts = Converts(OnnxPattern)
"""Decorator of a function that converts operators of ONNX, `Gelu`, or of a domain of their own.

```python
@converts("Twist", domain="com.example")
def twist(b: Node) -> Results:
    return b.scaled(b[0], b.float("a", 1.0))
```

What an operator means may depend on the version of its domain: `b.since` is the one that gave it its present meaning.
"""


class FromOnnx(OnnxPattern):
    """How patterns were written before: a class with a method `build`, registered by `lowers`."""

    TAKES_BOUNDED: ClassVar[bool] = False
    ROUNDS_ONCE: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        warn_of_name("conversions of ONNX are functions now, @converts(NAME), not classes with a method `build`")
        cls.bounded, cls.rounds_once = cls.TAKES_BOUNDED, cls.ROUNDS_ONCE

    def called(self, op: Operation, /, *arguments: Any, **named: Any) -> list[Any]:
        found: Any = self.build(*arguments, *arguments)
        return list(cast("Sequence[Any]", found)) if isinstance(found, Sequence) else [found]

    @abstractmethod
    def build(self, node: Node, b: GraphBuilder) -> Results:
        """Append graph ops to `b` and return what replaces the results of the node."""


__all__ = ["FromOnnx", "OnnxPattern", "Results", "converts"]
