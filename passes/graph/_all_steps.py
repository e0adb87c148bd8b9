"""An op of a loop's body, computed for all steps at once: its operands have the steps as an axis in front."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

from xdsl.ir import Operation, SSAValue

from mlc.dialects.graph import (
    ElementwiseOp,
    GraphOp,
    MatmulOp,
    ReduceOp,
    ReshapeOp,
    SliceOp,
    SoftmaxOp,
    TransposeOp,
    ints,
)
from mlc.dialects.graph.types import Shape, element_of, shape_of, tensor
from mlc.support.ir import entry_for


@dataclass(frozen=True)
class StepOperand:
    """What an op reads in each step: the same value, or a row of it."""

    value: SSAValue
    by_steps: bool
    rank: int
    """The number of axes that a step sees."""


@dataclass
class Batch:
    """Collects the ops that compute all steps.

    Attributes:
        flat: what values that are rows of a product, by steps, were before they were cut into steps.
    """

    steps: int
    ops: list[Operation] = field(default_factory=list[Operation])
    flat: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def taken(self) -> list[Operation]:
        """The ops collected since the last time."""
        ops, self.ops = self.ops, []
        return ops

    def add(self, op: GraphOp) -> SSAValue:
        """Append an op; returns its result."""
        self.ops.append(op)
        return op.result

    def reshape(self, value: SSAValue, shape: Shape) -> SSAValue:
        """The value under another shape."""
        return value if shape_of(value) == shape else self.add(ReshapeOp(value, shape))

    def cut(self, rows: SSAValue, shape: Shape) -> SSAValue:
        """Rows of all steps, as those of each."""
        result = self.reshape(rows, shape)
        self.flat[result] = rows
        return result

    def aligned(self, operand: StepOperand, rank: int) -> SSAValue:
        """An operand such that, broadcast, its axes meet those of a result of `rank` axes per step."""
        if not operand.by_steps or operand.rank >= rank:
            return operand.value
        steps, *row = shape_of(operand.value)
        return self.reshape(operand.value, (steps, *(1,) * (rank - operand.rank), *row))


_Rule = Callable[[Any, Sequence[StepOperand], Batch], SSAValue]


def has_rule(op: Operation) -> bool:
    """Whether all steps of an op can be computed at once."""
    return entry_for(type(op), _RULES) is not None


def compute(op: GraphOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    """The results of all steps, one after the other; at least one of the operands is by steps."""
    rule = entry_for(type(op), _RULES)
    assert rule is not None
    return rule(op, operands, batch)


def _elementwise(op: ElementwiseOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    """On what was a product, it computes in the shape that this had, so that they become one kernel."""
    shape = (batch.steps, *shape_of(op.result))
    flat = [_flat(o, shape, batch) for o in operands]
    values = [value for value in flat if value is not None]
    if len(values) < len(operands):
        return batch.add(_like(op, [batch.aligned(operand, len(shape) - 1) for operand in operands], shape))
    result = batch.add(_like(op, values, (prod(shape[:-1]), shape[-1])))
    return batch.cut(result, shape)


def _flat(operand: StepOperand, shape: Shape, batch: Batch) -> SSAValue | None:
    """What an operand is to rows of all steps, of which `shape` are the steps: rows as many, or the same for each."""
    if operand.by_steps:
        return batch.flat.get(operand.value) if shape_of(operand.value) == shape else None
    return operand.value if operand.rank < 2 else None


def _like(op: ElementwiseOp, operands: Sequence[SSAValue], shape: Shape) -> ElementwiseOp:
    kind = tensor(shape, element_of(op.result))
    own = dict(op.properties), dict(op.attributes)
    return type(op).create(operands=operands, result_types=[kind], properties=own[0], attributes=own[1])


def _matmul(op: MatmulOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    """Rows of all steps times one matrix are one product; other products are as many."""
    lhs, rhs = operands
    shape = (batch.steps, *shape_of(op.result))
    if not rhs.by_steps and rhs.rank == 2:
        columns = shape_of(lhs.value)[-1]
        rows = batch.reshape(lhs.value, (prod(shape[:-1]), columns))
        return batch.cut(batch.add(MatmulOp(rows, rhs.value, element_of(op.result))), shape)
    rank = len(shape) - 1
    return batch.add(MatmulOp(batch.aligned(lhs, rank), batch.aligned(rhs, rank), element_of(op.result)))


def _reshape(op: ReshapeOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    return batch.reshape(operands[0].value, (batch.steps, *shape_of(op.result)))


def _transpose(op: TransposeOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    return batch.add(TransposeOp(operands[0].value, [0, *(axis + 1 for axis in ints(op.permutation))]))


def _slice(op: SliceOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    ends, strides = [batch.steps, *ints(op.ends)], [1, *ints(op.strides)]
    return batch.add(SliceOp(operands[0].value, [0, *ints(op.starts)], ends, strides))


def _reduce(op: ReduceOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    axes = [axis + 1 for axis in ints(op.axes)]
    return batch.add(ReduceOp(op.kind.data, operands[0].value, axes, op.keepdims is not None))


def _softmax(op: SoftmaxOp, operands: Sequence[StepOperand], batch: Batch) -> SSAValue:
    return batch.add(SoftmaxOp(operands[0].value, op.axis.value.data + 1))


_RULES: dict[type[Operation], _Rule] = {
    ElementwiseOp: _elementwise,
    MatmulOp: _matmul,
    ReshapeOp: _reshape,
    TransposeOp: _transpose,
    SliceOp: _slice,
    ReduceOp: _reduce,
    SoftmaxOp: _softmax,
}
