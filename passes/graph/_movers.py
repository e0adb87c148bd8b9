"""Ops that only move elements, and which readers can read in place of what was moved."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.graph import MoveOp, ReshapeOp
from mlc.dialects.graph.types import shape_of
from mlc.support.linear import LinearForm

_LONGEST = 8
"""Longer chains of moves are looked at in part."""


def moves_before(value: SSAValue) -> list[MoveOp]:
    """The moves that end in `value`, the last one first; each of them, and `value`, has one use."""
    moves: list[MoveOp] = []
    while isinstance(move := value.owner, MoveOp) and value.has_one_use() and len(moves) < _LONGEST:
        moves.append(move)
        value = move.input
    return moves


def foldable(moves: Sequence[MoveOp], strided: bool = False) -> list[MoveOp]:
    """As many of `moves`, from the reader on, as the reader can do in its own subscripts.

    What it reads stays contiguous along the last dimension, unless it may be `strided`. Reshapes at the far end are
    left out: these are views, which cost nothing where they are.
    """
    for count in range(len(moves), 0, -1):
        first = moves[count - 1]
        if not isinstance(first, ReshapeOp) and why_not_folded(moves[:count], strided) is None:
            return list(moves[:count])
    return []


def why_not_folded(moves: Sequence[MoveOp], strided: bool = False) -> str | None:
    """Why a reader of the first of `moves` cannot do them all in its subscripts; None if it can."""
    shape = shape_of(moves[0].result)
    subscripts = _subscripts(moves, shape)
    if subscripts is None:
        return f"{moves[0].name} joins or splits dimensions, which no subscript says"
    if not strided and not _is_contiguous(subscripts, shape, shape_of(moves[-1].input)):
        return f"{moves[0].name} would have to be read with a stride"
    return None


def keeps_contiguous(op: MoveOp) -> bool:
    """Whether the last dimension of what is moved stays the last; dimensions of extent 1 do not count."""
    shape = shape_of(op.result)
    subscripts = _subscripts([op], shape)
    return subscripts is not None and _is_contiguous(subscripts, shape, shape_of(op.input))


def _subscripts(moves: Sequence[MoveOp], shape: Sequence[int]) -> list[AffineExpr] | None:
    """Where the moves read their source, for the point of the result that the dims name; None if not affine."""
    subscripts: list[AffineExpr] | None = [AffineExpr.dimension(i) for i in range(len(shape))]
    for move in moves:
        subscripts = None if subscripts is None else move.read_through(subscripts, shape)
    return subscripts


def _is_contiguous(subscripts: Sequence[AffineExpr], shape: Sequence[int], source: Sequence[int]) -> bool:
    """Whether neighbours along the last dim of `shape` are neighbours in the memory of `source`, or there are none.

    Dims and axes of extent 1 are in nobody's way: what is the last of a line of pixels is not the one pixel's width.
    """
    last = max((i for i, extent in enumerate(shape) if extent > 1), default=None)
    if last is None:
        return True
    forms = [LinearForm.of(e) for e, extent in zip(subscripts, source, strict=True) if extent > 1]
    factors = [0 if form is None else form.factors.get(last, 0) for form in forms]
    return factors[-1:] == [1] and not any(factors[:-1])
