"""What is known of values while a model is converted to graph ops."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects import graph
from mlc.dialects.graph import ConstantOp
from mlc.frontends.operators.size_rules import as_sizes
from mlc.frontends.operators.sizes import AnySize, ExtentSymbol, SizeArray, SymbolicSize, symbols_in
from mlc.reference.constants import constant_data
from mlc.support.resources import Resources

Array = NDArray[Any]
Extents = Mapping[int, SSAValue]
"""The actual extents of some dims of a value, each a `tensor<i64>`."""


@dataclass
class Knowledge:
    """What is known of values while a model is converted: the data of constants, and extents that depend on data."""

    resources: Resources
    hand_on: Callable[[graph.GraphOp, Sequence[Extents], Any], Extents] | None = None
    """What the extents of operands say of those of the result; nothing for sources that have no such values."""
    arrays: dict[SSAValue, Array] = field(default_factory=dict[SSAValue, Array])
    made: dict[ConstantOp, None] = field(default_factory=dict[ConstantOp, None])
    """The constants that the conversion made; who is not used in the end is dropped."""
    extents: dict[SSAValue, Extents] = field(default_factory=dict[SSAValue, Extents])
    """The actual extents of dims that are as long as their shape says at most."""
    sizes: dict[SSAValue, SizeArray] = field(default_factory=dict[SSAValue, "SizeArray"])
    """What values that follow from the extents of inputs are, as integers and polynomials of these extents."""
    written: dict[AnySize, SSAValue] = field(default_factory=dict["AnySize", SSAValue])
    """A `tensor<i64>` for each size that is an extent: equal extents are one value."""
    multiples: dict[SSAValue, tuple[SSAValue, int]] = field(default_factory=dict[SSAValue, "tuple[SSAValue, int]"])
    """Extents that are so many times others, of dims that are joined."""
    unmoved: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    """The values whose elements were moved for another shape: the elements are the same, in the same order."""
    positions: dict[tuple[Block | None, SSAValue], tuple[SSAValue, SSAValue]] = field(
        default_factory=dict["tuple[Block | None, SSAValue]", "tuple[SSAValue, SSAValue]"]
    )
    """Where values were found not to be 0, and how often: who asks twice gets the same extent."""
    each_step: dict[SSAValue, Callable[[], Array | None]] = field(
        default_factory=dict[SSAValue, "Callable[[], Array | None]"]
    )
    """What arguments of loops are in each step, stacked; None where that turns out to be unknown."""
    spell: Callable[[Attribute], str] = str
    """A type in the words of the source."""
    bodies: dict[Block, Operation] = field(default_factory=dict[Block, Operation])
    """The bodies that are being written, which are parts of no op yet, and the ops that these will be in front of."""
    repeated: bool = False
    """Whether what is converted now is computed in each step of a loop."""
    unseeded: int = 0
    """How many nodes that draw random numbers without a seed there were."""

    def array(self, value: SSAValue) -> Array | None:
        """The data of a constant; None for other values, and for one of which only so much is data as data says."""
        if value in self.extents:
            return None
        if value not in self.arrays and isinstance(op := value.owner, ConstantOp):
            self.arrays[value] = constant_data(op.value, self.resources)
        return self.arrays.get(value)

    def cause_of(self, extent: SSAValue) -> str:
        """Why an extent is not known, for messages."""
        return "depends on data" if self.is_data(extent) else "is known at the call only"

    def is_data(self, extent: SSAValue) -> bool:
        """Whether an extent depends on data: it may be 0, as the model computes it."""
        if extent not in self.sizes:
            return True
        size: AnySize = self.sizes[extent].item()
        return any(symbol.is_data for symbol in symbols_in(size))

    def open_dim(self, value: SSAValue, axis: int, extent: SSAValue, allowed: range) -> None:
        """Note that a dim of an input ends at what another input holds, which is one of `allowed`."""
        self._is_size(extent, ExtentSymbol.of(extent, allowed))
        self.extents[value] = {**self.extents.get(value, {}), axis: extent}

    def count(self, number: SSAValue, most: int) -> None:
        """Let sizes be computed of a number that data gives, from 0 to `most`. One in the body of a loop or of a branch
        is not there for what follows, and stays as it is."""
        if number not in self.sizes and isinstance(number.owner, Operation) and _is_top_level(number.owner):
            self._is_size(number, SymbolicSize.of(ExtentSymbol(number, 0, most, is_data=True)))

    def _is_size(self, number: SSAValue, size: AnySize) -> None:
        self.sizes[number], self.written[size] = as_sizes(np.asarray(size, object)), number

    def is_seen(self, value: SSAValue, at: Operation | None) -> bool:
        """Whether a value is there in front of an op: it may have been made in the body of a loop that has ended."""
        block = value.owner if isinstance(value.owner, Block) else value.owner.parent
        while at is not None and block is not None:
            if block.find_ancestor_op_in_block(at) is not None:
                return True
            while (around := at.parent_op()) is not None:
                at = around
            at = self.bodies.get(at.parent) if at.parent is not None else None
        return False

    def drop_unused(self) -> None:
        """Erase the constants that nobody uses, and forget the data that the conversion made for them."""
        used = {_resource(op) for op in self.made if op.result.first_use is not None}
        for op in self.made:
            if op.result.first_use is None and op.parent is not None:
                if (name := _resource(op)) is not None and name not in used:
                    self.resources.drop(name)
                self.arrays.pop(op.result, None)
                Rewriter.erase_op(op)


def _is_top_level(op: Operation) -> bool:
    around = op.parent_op()
    return around is not None and isinstance(around.parent_op(), ModuleOp)


def _resource(op: ConstantOp) -> str | None:
    """The name of the data of a constant that is not spelled out; copies in bodies share it."""
    return op.value.resource_handle.data if isinstance(op.value, DenseResourceAttr) else None
