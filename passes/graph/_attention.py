"""Recognising attention: a softmax over a product of matrices, multiplied with another matrix."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects.graph import GraphOp, MatmulOp, SoftmaxOp
from mlc.dialects.graph.types import shape_of


def attention_before(op: GraphOp) -> list[GraphOp]:
    """The ops of `softmax(elementwise(a @ b)) @ c` in program order, if `op` is the last of them; else none.

    The softmax runs along the rows of the scores, and nobody else reads these: not before, not after it. Masks and the
    like, which are other operands of the elementwise ops, are not part of it.
    """
    if not isinstance(op, MatmulOp):
        return []
    softmax = op.lhs.owner
    if not isinstance(softmax, SoftmaxOp) or not op.lhs.has_one_use():
        return []
    shape = shape_of(softmax.result)
    if softmax.axis.value.data != len(shape) - 1 or shape != shape_of(op.lhs):
        return []
    scores = _scores(softmax.input, shape)
    return [*scores, softmax, op] if scores else []


def _scores(value: SSAValue, shape: tuple[int, ...]) -> list[GraphOp]:
    """The product of matrices that `value` is, up to elementwise ops, and these; none if it is no such thing."""
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
