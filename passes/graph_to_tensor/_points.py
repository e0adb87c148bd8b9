"""Writing scalar bodies: what happens at one point of a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from mlc.support.dtypes import is_unsigned
from mlc.support.types import integer_width, scalar_attribute


@dataclass
class Points:
    """Collects the scalar ops of a body; every method appends an op and returns its value."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def __call__(self, op_type: Callable[..., Operation], *operands: Any) -> SSAValue:
        """Append `op_type(*operands)`."""
        op = op_type(*operands)
        self.ops.append(op)
        return op.results[0]

    def drop_unused(self, values: Iterable[SSAValue]) -> None:
        """Leave out the ops that give those of `values` that no other op takes."""
        unused = {value.owner for value in values if not value.uses}
        self.ops = [op for op in self.ops if op not in unused]

    def number(self, value: float, element: Attribute) -> SSAValue:
        """A constant of the given element type."""
        return self(arith.ConstantOp, scalar_attribute(value, element))

    def typed(
        self,
        of_float: Callable[..., Operation],
        of_int: Callable[..., Operation],
        *operands: SSAValue,
        of_unsigned: Callable[..., Operation] | None = None,
    ) -> SSAValue:
        """The op for floats or one for integers, by the type of the first operand.

        Unsigned integers have one of their own where the sign matters.
        """
        if of_unsigned is not None and is_unsigned(operands[0].type):
            return self(of_unsigned, *operands)
        return self(of_int if is_integer(operands[0]) else of_float, *operands)

    def add(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """lhs + rhs"""
        return self.typed(arith.AddfOp, arith.AddiOp, lhs, rhs)

    def sub(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """lhs - rhs"""
        return self.typed(arith.SubfOp, arith.SubiOp, lhs, rhs)

    def mul(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """lhs * rhs"""
        return self.typed(arith.MulfOp, arith.MuliOp, lhs, rhs)

    def div(self, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        """lhs / rhs; integers round towards zero"""
        return self.typed(arith.DivfOp, arith.DivSIOp, lhs, rhs, of_unsigned=arith.DivUIOp)


Body = Callable[..., SSAValue]
"""A function from `Points` and one scalar per operand to the scalar that is computed."""


def is_integer(value: SSAValue) -> bool:
    """Whether a scalar is an integer (i1 included)."""
    return integer_width(value.type) is not None


def unchanged(p: Points, x: SSAValue) -> SSAValue:
    """The body of a map that only moves elements."""
    del p
    return x


def region_of(body: Body, elements: Sequence[Attribute]) -> Region:
    """The region whose block computes `body` on scalars of these types and yields the result."""
    block = Block(arg_types=elements)
    points = Points()
    value = body(points, *block.args)
    block.add_ops([*points.ops, YieldOp(value)])
    return Region(block)
