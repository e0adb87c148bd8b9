"""What ops are apart from names: equal for ops that do the same."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import Attribute, Block, Operation, SSAValue


class Structure:
    """What a function is, with values and blocks numbered as they appear: equal for functions that differ in their own
    name, the names of values and locations alone.

    A subclass may leave out more: what it says of types, operands and properties takes the place of these.
    """

    def __init__(self) -> None:
        self._numbers: dict[SSAValue | Block, int] = {}

    def of(self, op: Operation) -> Hashable:
        """What `op` is, and all ops in it."""
        operands, properties = self.operands_of(op), self.properties_of(op)
        return (
            op.name,
            tuple(self.number(v) for v in operands),
            tuple((self.number(r), r.type) for r in op.results),
            tuple(self.number(b) for b in op.successors),
            frozenset(properties.items()),
            frozenset(op.attributes.items()),
            tuple(tuple(self._block(b) for b in region.blocks) for region in op.regions),
        )

    def number(self, value: SSAValue | Block) -> int:
        """Which one a value or block is, counted from the first that was met."""
        return self._numbers.setdefault(value, len(self._numbers))

    def type_of(self, argument: SSAValue) -> Hashable:
        """The type of an argument of a block."""
        return argument.type

    def operands_of(self, op: Operation) -> Sequence[SSAValue]:
        """The values that `op` uses."""
        return op.operands

    def properties_of(self, op: Operation) -> Mapping[str, Hashable]:
        """What `op` says besides; of a function not its name."""
        if not isinstance(op, func.FuncOp):
            return op.properties
        properties: dict[str, Attribute] = dict(op.properties)
        del properties["sym_name"]
        return properties

    def _block(self, block: Block) -> Hashable:
        arguments = tuple((self.number(a), self.type_of(a)) for a in block.args)
        return self.number(block), arguments, tuple(self.of(op) for op in block.ops)
