"""Products whose factors are floats of 16 bits, and whose sums are f32."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, ConvOp, GraphOp, MatmulOp, MoveOp, PadOp
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.graph.windows import channel_dim
from mlc.dialects.loop.dot import per_word


def why_not_short(op: GraphOp) -> str | None:
    """Why a product is not computed with short factors; None if it may be."""
    if not isinstance(op, MatmulOp | ConvOp):
        return f"{op.name} is computed in f32 only"
    if not all(is_static(v.type) for v in (*op.operands, op.result)):
        return "shapes are not known"
    if isinstance(op, ConvOp) and op.groups.value.data > 1:
        return "a convolution with groups is computed in f32 only"
    return None


def is_depthwise(op: ConvOp) -> bool:
    """Whether each channel has a window of its own, and extents are known."""
    values = (*op.operands, op.result)
    if not all(is_static(v.type) for v in values) or prod(op.window.kernel) == 1:
        return False
    channel = channel_dim(op.layout.data)
    return all(shape_of(v)[channel] == op.groups.value.data for v in (op.operands[0], op.result))


def is_known(value: SSAValue) -> bool:
    """Whether a value is computed from constants, by elementwise ops and moves."""
    seen, pending = {value}, [value]
    while pending:
        owner = pending.pop().owner
        if isinstance(owner, ConstantOp):
            continue
        if not isinstance(owner, GraphOp) or not (owner.MAPS or isinstance(owner, MoveOp)):
            return False
        pending += [v for v in owner.operands if v not in seen]
        seen.update(owner.operands)
    return True


def multiply_short(op: MatmulOp | ConvOp, factors: Sequence[SSAValue]) -> GraphOp:
    """Put the product of short factors, whose sums are f32, before `op`. Its user replaces `op` by it.

    An odd number of products has one more, of zeros: a word holds two numbers.
    """
    short = list(factors)
    if missing := -shape_of(short[1])[op.summed_axes[1]] % per_word(element_of(short[1])):
        for number, place in enumerate(op.summed_axes):
            rank = len(shape_of(short[number]))
            more = [missing if i == place else 0 for i in range(rank)]
            short[number] = insert(op, PadOp(short[number], [0] * rank, more, 0))
    return sum_in_f32(op, short)


def sum_in_f32(op: GraphOp, factors: Sequence[SSAValue]) -> GraphOp:
    """Put what adds the products of other factors in f32 before `op`, which computes the same else."""
    new = type(op).create(
        operands=list(factors),
        properties=dict(op.properties),
        attributes=dict(op.attributes),
        result_types=[tensor(shape_of(op.result), f32)],
    )
    new.result.name_hint = op.result.name_hint
    insert(op, new)
    return new


def insert(before: Operation, op: GraphOp) -> SSAValue:
    """The result of `op`, put before another one and told to come from the same place."""
    op.location = before.location
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.result
