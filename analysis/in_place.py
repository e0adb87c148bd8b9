"""Producer-consumer fusion: which structured ops get no buffer, as lowering puts them into the loops of their readers.

Schedules count on it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Block
from xdsl.ir.affine import AffineDimExpr

from mlc.dialects.tensor import StructuredOp

_Dim = tuple[StructuredOp, int]
"""A loop of a nest: a dim of the op that the nest is of, or one over which an op inside it reduces."""
_Place = tuple[StructuredOp, tuple[_Dim, ...]]
"""Where an op is computed: the op whose nest that is in, and the loop that each dim of the op stands for there."""


def computed_in_place(block: Block | None) -> set[StructuredOp]:
    """The structured ops of a block that are emitted inside the nests of their readers.

    All readers are in one nest, and need each point exactly once, all the same one: `x * sigmoid(x)` computes `x` and
    uses it twice. A reduction goes into ops that do not reduce, so that no reduction runs inside another; but a
    contraction goes into another one, whose sum then runs over sums of groups.
    """
    places: dict[StructuredOp, _Place] = {}
    found: set[StructuredOp] = set()
    op = None if block is None else block.last_op
    while op is not None:
        if isinstance(op, StructuredOp):
            place = _place_of(op, places)
            if place is not None:
                found.add(op)
            over = range(op.num_parallel)
            root, dims = place or (op, tuple((op, i) for i in over))
            places[op] = root, (*dims, *((op, i) for i in range(op.num_parallel, len(op.dims))))
        op = op.prev_op
    return found


def is_one_nest(ops: Sequence[StructuredOp]) -> bool:
    """Whether the ops of a kernel are all computed in the nest of the last one."""
    in_place = computed_in_place(ops[-1].parent)
    return all(op in in_place for op in ops[:-1])


def _place_of(op: StructuredOp, places: dict[StructuredOp, _Place]) -> _Place | None:
    """The one place where all readers of `op` need it, given by its `over` dims; None if there is not one."""
    found: _Place | None = None
    for use in op.result.uses:
        reader = use.operation
        if not isinstance(reader, StructuredOp) or reader not in places:
            return None
        if op.reduction is not None and reader.reduction is not None and not (op.contracts and reader.contracts):
            return None
        subscripts = reader.index_maps[use.index].results
        read = [e.position for e in subscripts if isinstance(e, AffineDimExpr)]
        if not len(set(read)) == len(subscripts) == len(reader.dims):
            return None
        root, dims = places[reader]
        place = root, tuple(dims[i] for i in read)
        if found not in (None, place):
            return None
        found = place
    return found
