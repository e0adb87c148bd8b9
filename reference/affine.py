"""The affine dialect: loops, branches and accesses whose bounds and subscripts are affine expressions."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import affine
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineConstraintKind, AffineMap

from mlc.dialects.affine import MaxOp
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.memory import read, write
from mlc.reference.subscripts import apply_map

_HOLDS: dict[AffineConstraintKind, Callable[[int, int], bool]] = {
    AffineConstraintKind.ge: operator.ge,
    AffineConstraintKind.le: operator.le,
    AffineConstraintKind.eq: operator.eq,
}


@evaluates(affine.ApplyOp)
def apply(op: affine.ApplyOp, *operands: Array) -> Array:
    """The value of an affine expression."""
    return apply_map(op.map.data, operands)[0]


@evaluates(affine.MinOp)
def smallest(op: affine.MinOp, *operands: Array) -> Array:
    """The smallest of the values of a map."""
    return np.minimum.reduce(apply_map(op.map.data, operands))


@evaluates(MaxOp)
def largest(op: MaxOp, *operands: Array) -> Array:
    """The largest of the values of a map."""
    return np.maximum.reduce(apply_map(op.map.data, operands))


@executes(affine.ForOp)
def loop(op: affine.ForOp, frame: Frame) -> None:
    """From the largest of the lower bounds to below the smallest of the upper ones."""

    def bounds(where: AffineMap, operands: Sequence[SSAValue]) -> list[int]:
        return [int(each.item()) for each in apply_map(where, [frame[v] for v in operands])]

    lower = max(bounds(op.lowerBoundMap.data, op.lowerBoundOperands))
    upper = min(bounds(op.upperBoundMap.data, op.upperBoundOperands))
    carried = [frame[v] for v in op.inits]
    for i in range(lower, upper, op.step.value.data):
        carried = frame.run_block(op.body.block, [np.asarray(i, np.int64), *carried])
    for result, array in zip(op.res, carried, strict=True):
        frame[result] = array


@executes(affine.IfOp)
def branch(op: affine.IfOp, frame: Frame) -> None:
    """The first region if all constraints of the set hold."""
    which = op.condition.data
    numbers = [int(frame[v].item()) for v in op.args]
    dims, symbols = numbers[: which.num_dims], numbers[which.num_dims :]
    holds = all(
        _HOLDS[each.kind](each.lhs.eval(dims, symbols), each.rhs.eval(dims, symbols)) for each in which.constraints
    )
    region = op.then_region if holds else op.else_region
    if region.blocks:
        for result, array in zip(op.res, frame.run_block(region.block, []), strict=True):
            frame[result] = array


@executes(affine.LoadOp)
def load(op: affine.LoadOp, frame: Frame) -> None:
    """One element."""
    frame[op.result] = read(
        op, frame, op.memref, apply_map(op.map.data, [frame[v] for v in op.indices]), op.result.type
    )


@executes(affine.StoreOp)
def store(op: affine.StoreOp, frame: Frame) -> None:
    """One element."""
    write(op, frame, op.memref, apply_map(op.map.data, [frame[v] for v in op.indices]), op.value)
