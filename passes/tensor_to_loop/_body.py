"""Writing the bodies of loops that compute with what they load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects.arith import IndexCastOp
from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.support.types import scalar_attribute


@dataclass
class NestWriter:
    """Collects ops; every method appends some, and returns the result if there is one."""

    ops: list[Operation] = field(default_factory=list[Operation])

    def __call__(self, op_type: Callable[..., Operation], *operands: Any) -> SSAValue:
        """Append `op_type(*operands)`."""
        op = op_type(*operands)
        self.ops.append(op)
        return op.results[0]

    def number(self, value: int, element: Attribute) -> SSAValue:
        """A constant."""
        return self(arith.ConstantOp, scalar_attribute(value, element))

    def index(self, value: SSAValue) -> SSAValue:
        """An integer that is a subscript."""
        return self(IndexCastOp, value, IndexType())

    def load(self, buffer: SSAValue, *subscripts: SSAValue) -> SSAValue:
        """An element."""
        return self(LoadOp, buffer, list(subscripts))

    def store(self, value: SSAValue, buffer: SSAValue, *subscripts: SSAValue) -> None:
        """Append a store."""
        self.ops.append(StoreOp(value, buffer, list(subscripts)))

    def parallel(self, dim: str, count: int, body: Callable[[NestWriter, SSAValue], None]) -> None:
        """Append a loop whose iterations are independent: from 0 to `count`, around what `body` appends."""
        loop = ForOp(dim, 0, count, kind=LoopKind.PARALLEL)
        inside = NestWriter()
        body(inside, loop.induction_variable)
        loop.body.block.add_ops([*inside.ops, YieldOp()])
        self.ops.append(loop)

    def serial(
        self,
        dim: str,
        count: int,
        initial: Sequence[SSAValue],
        body: Callable[[NestWriter, SSAValue, Sequence[SSAValue]], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        """Append a loop that carries values, of which `body` makes those of the next iteration; the last ones."""
        loop = ForOp(dim, 0, count, iter_args=initial)
        inside = NestWriter()
        after = body(inside, loop.induction_variable, loop.carried)
        loop.body.block.add_ops([*inside.ops, YieldOp(*after)])
        self.ops.append(loop)
        return loop.results
