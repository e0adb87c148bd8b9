"""Which structured ops get no buffer: lowering puts them into the loops of their reader, and schedules count on it."""

from __future__ import annotations

from xdsl.ir.affine import AffineDimExpr

from mlc.dialects.tensor import StructuredOp


def computed_in_place(op: StructuredOp) -> bool:
    """Whether `op` is emitted inside its consumer's nest: it has one use, and that use needs each point exactly once.

    A reduction goes into an op that does not reduce, so that no reduction runs inside another.
    """
    uses = list(op.result.uses)
    if len(uses) != 1:
        return False
    use = uses[0]
    consumer = use.operation
    if not isinstance(consumer, StructuredOp) or consumer.parent is not op.parent:
        return False
    if op.reduction is not None and consumer.reduction is not None:
        return False
    subscripts = consumer.index_maps[use.index].results
    read = {e.position for e in subscripts if isinstance(e, AffineDimExpr)}
    return len(read) == len(subscripts) == len(consumer.dims)
