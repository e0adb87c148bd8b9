"""Recognising attention: a softmax over a product of matrices, multiplied with another matrix."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects.graph import CastOp, CompareOp, GraphOp, MatmulOp, SoftmaxOp, WhereOp, splat_of
from mlc.dialects.graph.types import shape_of


def attention_before(op: GraphOp) -> list[GraphOp]:
    """The ops of `softmax(elementwise(a @ b)) @ c` in program order, if `op` is the last of them; else none.

    The softmax runs along the rows of the scores, and nobody else reads these: not before, not after it. Masks and the
    like, which are other operands of the elementwise ops, are not part of it. What puts 0 in place of NaN after the
    softmax, for rows that are masked altogether, is, and so are casts of its result.
    """
    if not isinstance(op, MatmulOp) or not op.lhs.has_one_use():
        return []
    weights, casts = op.lhs, list[GraphOp]()
    while isinstance(cast := weights.owner, CastOp) and cast.input.has_one_use():
        casts.insert(0, cast)
        weights = cast.input
    guard = _zeros_for_nan(weights)
    softmax = (guard[0].operands[0] if guard else weights).owner
    if not isinstance(softmax, SoftmaxOp):
        return []
    shape = shape_of(softmax.result)
    if softmax.axis.value.data != len(shape) - 1 or shape != shape_of(op.lhs):
        return []
    scores = _scores(softmax.input, shape)
    return [*scores, softmax, *guard, *casts, op] if scores else []


def _zeros_for_nan(value: SSAValue) -> list[GraphOp]:
    """The ops of `where(x != x, 0, x)`, if `value` is that of an `x` that nobody else reads; else none."""
    where = value.owner
    if not isinstance(where, WhereOp) or splat_of(where.on_true) != 0:
        return []
    x, compare = where.on_false, where.condition.owner
    if not isinstance(compare, CompareOp) or compare.predicate.data != "ne" or not where.condition.has_one_use():
        return []
    is_of_x = compare.lhs is x and compare.rhs is x
    return [compare, where] if is_of_x and {use.operation for use in x.uses} == {compare, where} else []


def _scores(value: SSAValue, shape: tuple[int, ...]) -> list[GraphOp]:
    """The product of matrices that `value` is, up to elementwise ops, and these; none if it is something else."""
    path: list[GraphOp] = []
    pending: list[tuple[SSAValue, int]] = [(value, 0)]
    while pending:
        value, depth = pending.pop()
        del path[depth:]
        producer = value.owner
        if not isinstance(producer, GraphOp) or not value.has_one_use() or shape_of(value) != shape:
            continue
        path.append(producer)
        if isinstance(producer, MatmulOp):
            return path[::-1]
        if producer.MAPS:
            pending += [(operand, depth + 1) for operand in producer.operands]
    return []
