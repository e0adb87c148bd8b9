"""The linalg dialect: the body at all parallel points at once, for one reduced point after the other."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.linalg.attrs import IteratorType
from xdsl.dialects.linalg.ops import IndexOp
from xdsl.ir.affine import AffineMap

from mlc.dialects.linalg import LinalgOp, SoftmaxOp
from mlc.reference.any_order import sum_of
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.subscripts import apply_map, grid
from mlc.support.locations import error_at


@executes(LinalgOp)
def over_points(op: LinalgOp, frame: Frame) -> None:
    """The loops that the maps say; what is in `outs` is there before the first point."""
    if frame.lanes:
        raise error_at(op, f"{op.name}: has reference semantics outside of parallel loops only")
    count = len(op.ins)
    arrays = [frame[v] for v in (*op.ins, *op.outs)]
    sizes = [size for size in op.sizes([a.shape for a in arrays]) if size is not None]
    if len(sizes) != len(op.iterators):
        raise error_at(op, f"{op.name}: found a dim that no operand has alone; required: one for each dim")
    in_any_order = IteratorType.REDUCTION in op.iterators
    for number, out in enumerate(op.outs):

        def compute(*operands: Array, number: int = number) -> Array:
            return _run(op, frame, sizes, operands[:count], operands[count:])[number]

        found = sum_of(compute, *arrays) if in_any_order else compute(*arrays)
        if op.results:
            frame[op.results[number]] = found
        else:
            frame[out][...] = found


def _run(
    op: LinalgOp, frame: Frame, sizes: Sequence[int], read: Sequence[Array], before: Sequence[Array]
) -> list[Array]:
    """What all points leave in `outs`."""
    reduced = [i for i, kind in enumerate(op.iterators) if kind is not IteratorType.PARALLEL]
    parallel = [i for i in range(len(sizes)) if i not in reduced]
    points = grid([sizes[i] for i in parallel])
    maps, block, written = list(op.index_maps), op.point, [np.array(each) for each in before]
    indices = [each for each in block.walk() if isinstance(each, IndexOp)]
    for position in np.ndindex(*(sizes[i] for i in reduced)) if 0 not in sizes else ():
        axes = dict(zip(parallel, points, strict=True)) | dict(zip(reduced, map(np.asarray, position), strict=True))
        dims = [axes[i] for i in range(len(sizes))]
        for each in indices:
            frame[each.result] = np.asarray(dims[each.dim.value.data])
        elements = [_gather(a, m, dims) for a, m in zip((*read, *written), maps, strict=True)]
        found = frame.run_block(block, elements[: len(block.args)])
        for array, affine, values in zip(written, maps[len(read) :], found, strict=True):
            values, *subscripts = np.broadcast_arrays(values, *apply_map(affine, dims), *points)
            array[tuple(subscripts[: len(affine.results)])] = values
    return written


def _gather(operand: Array, affine: AffineMap, dims: Sequence[Array]) -> Array:
    return operand[tuple(apply_map(affine, dims))] if affine.results else operand


@executes(IndexOp)
def index(op: IndexOp, frame: Frame) -> None:
    """Where the point is, which the op around it has said."""


@evaluates(SoftmaxOp)
def softmax(op: SoftmaxOp, x: Array, init: Array) -> Array:
    """Less the maximum, so that nothing overflows that need not."""
    powers = np.exp(x - x.max(op.dim, keepdims=True))

    def total(terms: Array) -> Array:
        return np.sum(terms, op.dim, keepdims=True)

    return powers / sum_of(total, powers)
