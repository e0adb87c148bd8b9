"""A node of ONNX as patterns see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from xdsl.dialects.builtin import NoneType
from xdsl.ir import Attribute, SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.nodes import plain_value
from mlc.dialects.onnx.ops import OnnxOp
from mlc.dialects.onnx.schemas import onnx_package
from mlc.frontends.onnx.to_graph._conversion import Conversion
from mlc.frontends.operators.conversions import OperatorCall
from mlc.frontends.operators.graph_builder import Array
from mlc.frontends.operators.refusal import Unconvertible, value_needed
from mlc.frontends.operators.sizes import AnySize, in_symbols
from mlc.reference.constants import constant_data


@dataclass(kw_only=True)
class Node(OperatorCall[OnnxOp]):
    """A call of an operator: its operands, which are converted already, and its attributes with the schema's
    defaults."""

    run: Conversion

    @property
    def since(self) -> int:
        """The version in which the operator got the meaning that it has here."""
        return self.op.since

    # ---- operands

    def has(self, index: int) -> bool:
        """Whether the operand is there."""
        return index < len(self.op.operands) and not isinstance(self.op.operands[index].type, NoneType)

    def __getitem__(self, index: int) -> SSAValue:
        """An operand that has to be there.

        Raises:
            Unconvertible: it is left out.
        """
        if not self.has(index):
            raise Unconvertible(f"input '{self.operand_name(index)}' is missing")
        return self.op.operands[index]

    def optional(self, index: int) -> SSAValue | None:
        """An operand that may be left out."""
        return self.op.operands[index] if self.has(index) else None

    @property
    def operands(self) -> list[SSAValue]:
        """All operands that are there."""
        return [self.op.operands[i] for i in range(len(self.op.operands)) if self.has(i)]

    def shape(self, index: int = 0) -> tuple[int, ...]:
        """The shape of an operand."""
        return shape_of(self[index])

    def rank(self, index: int = 0) -> int:
        """The number of dims of an operand."""
        return len(self.shape(index))

    def require_rank(self, index: int, *ranks: int) -> tuple[int, ...]:
        """The shape of an operand, or of one that is left out, which has no dims.

        Raises:
            Unconvertible: it has another number of dims than these.
        """
        shape = self.shape(index) if self.has(index) else None
        if shape is not None and len(shape) not in ranks:
            required = " or ".join(map(str, ranks))
            raise Unconvertible(f"input '{self.operand_name(index)}' has {len(shape)} dims; required: {required}")
        return shape or ()

    def element(self, index: int = 0) -> Attribute:
        """The element type of an operand."""
        return element_of(self[index])

    def known(self, index: int) -> Array:
        """The data of an operand that has to be known now.

        Raises:
            Unconvertible: it is not.
        """
        array = self.knowledge.array(self[index])
        if array is None and self.is_size(index):
            raise Unconvertible(
                f"'{self.operand_name(index)}' has to be known when the model is compiled, and is "
                f"{list(map(in_symbols, self.sizes(index)))} for the extents of a call; required: bind these"
            )
        if array is None:
            raise value_needed(self.operand_name(index), self[index])
        return array

    def is_size(self, index: int) -> bool:
        """Whether an operand is integers that follow from the extents of inputs, which a call gives."""
        return self[index] in self.knowledge.sizes

    def sizes(self, index: int) -> list[AnySize]:
        """An operand of integers, which are known now or follow from the extents of inputs, as a flat list.

        Raises:
            Unconvertible: they depend on data.
        """
        found = self.knowledge.sizes.get(self[index])
        return [*self.known_ints(index)] if found is None else found.reshape(-1).tolist()

    def known_ints(self, index: int) -> list[int]:
        """The same for an operand of integers, as a flat list."""
        return [int(n) for n in self.known(index).reshape(-1)]

    def operand_name(self, index: int) -> str:
        """What the schema calls an operand."""
        return self.op.input_name(index)

    # ---- attributes

    def attribute(self, name: str) -> Any:
        """The value of an attribute, the schema's default if it is left out, else None."""
        found = self.op.attributes.get(name)
        if found is not None:
            return plain_value(found)
        said = self.op.schema.attributes.get(name) if self.op.schema else None
        if said is None or not said.default_value.name:
            return None
        return _plain(cast(Any, onnx_package("onnx.helper")).get_attribute_value(said.default_value))

    def int(self, name: str, default: int = 0) -> int:
        """An attribute that is an integer."""
        value = self.attribute(name)
        return default if value is None else int(value)

    def flag(self, name: str) -> bool:
        """An attribute that is 0 or 1."""
        return bool(self.int(name))

    def float(self, name: str, default: float = 0.0) -> float:
        """An attribute that is a number."""
        value = self.attribute(name)
        return default if value is None else float(value)

    def string(self, name: str, default: str = "") -> str:
        """An attribute that is a string."""
        value = self.attribute(name)
        return default if value is None else str(value)

    def ints(self, name: str, default: Sequence[int] | None = None) -> list[int] | None:
        """An attribute that is a list of integers; the default if it is left out."""
        value = self.attribute(name)
        return [int(n) for n in value] if value is not None else None if default is None else list(default)

    def list(self, name: str) -> Sequence[Any]:
        """An attribute that is a list; an empty one if it is left out."""
        return self.attribute(name) or ()

    def tensor(self, name: str) -> Array | None:
        """The data of an attribute that is a tensor; None if it is left out."""
        found = self.op.attributes.get(name)
        return None if found is None else constant_data(found, self.knowledge.resources)

    def axis(self, name: str = "axis", rank: int | None = None) -> int:
        """An attribute that counts dims, from the end if it is negative.

        Raises:
            Unconvertible: there is no such dim.
        """
        return axis_of(self.int(name), self.rank() if rank is None else rank)

    def one_of(self, name: str, *allowed: str) -> str:
        """A string attribute with one of these values.

        Raises:
            Unconvertible: it has another.
        """
        found = self.string(name)
        if found not in allowed:
            raise Unconvertible(f"attribute '{name}' is '{found}'; mlc knows {', '.join(allowed)}")
        return found


def axis_of(axis: int, rank: int) -> int:
    """A dim that may count from the end.

    Raises:
        Unconvertible: there is no such dim.
    """
    if not -rank <= axis < rank:
        raise Unconvertible(f"axis {axis} does not exist in {rank} dims")
    return axis % rank if rank else 0


def axes_of(axes: Sequence[int], rank: int) -> list[int]:
    """Dims that may count from the end, in ascending order.

    Raises:
        Unconvertible: there is no such dim, or one is named twice.
    """
    found = sorted(axis_of(axis, rank) for axis in axes)
    if len(set(found)) < len(found):
        raise Unconvertible(f"axes {list(axes)} name a dim twice")
    return found


def _plain(value: Any) -> Any:
    return value.decode() if isinstance(value, bytes) else value
