"""Bags of rows of a table, and the gradient of the table."""

from __future__ import annotations

from math import inf, prod

import numpy as np
from xdsl.dialects.builtin import f32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._orders import search
from mlc.frontends.torch.to_graph._patterns import converts

_SUM, _MEAN, _MAX = 0, 1, 2


@converts("_embedding_bag", "_embedding_bag_forward_only")
def embedding_bag(
    b: Call, weight: SSAValue, indices: SSAValue, offsets: SSAValue, mode: int, per_sample_weights: SSAValue | None,
    padding_idx: int,
) -> Results:  # fmt: skip
    """Rows of a table, combined bag by bag; where bags start is data. An empty bag is 0.

    Of the greatest elements, the first one of several counts as the one that was taken.
    """
    bags, width = b.shape()
    count = prod(shape_of(indices))
    sizes = b.shape(2)
    if not count or not bags:
        return [b.splat(0, b.shape(i), b.element(i)) for i in range(4)]
    bag = _bags(b, offsets, count)
    at = b.reshape(bag, (count, 1))
    index = b.cast(b.reshape(indices, (count,)), i64)
    b.require_places(index, shape_of(weight)[0])
    counted = b.compare("ne", index, b.constant(padding_idx)) if padding_idx >= 0 else b.splat(1, (count,), i64)
    sizes = b(graph.ScatterNdOp, "add", b.splat(0, (bags,), i64), at, b.cast(counted, i64), [0])
    rows = b.widened(b(graph.GatherOp, weight, index, 0))
    if per_sample_weights is not None:
        rows = b.mul(rows, b.unsqueeze(b.cast(per_sample_weights, element_of(rows)), [1]))
    if padding_idx >= 0:
        rows = b.where(b.unsqueeze(counted, [1]), rows, b.number(-inf if mode == _MAX else 0, rows))
    kind, start = ("max", -inf) if mode == _MAX else ("add", 0)
    found = b(graph.ScatterNdOp, kind, b.splat(start, (bags, width), element_of(rows)), at, rows, [0])
    if mode == _MAX:
        empty = b.compare("eq", b.unsqueeze(sizes, [1]), b.constant(0))
        found = b.where(empty, b.number(0, found), found)
    if mode == _MEAN:
        found = _per_element(b, found, sizes)
    greatest = b.splat(0, b.shape(3), b.element(3))
    if mode == _MAX and b.wants(3):
        greatest = _rows_of_greatest(b, index, rows, found, at)
    of_indices = bag if b.shape(1) == (count,) else b.splat(0, b.shape(1), i64)
    counts = sizes if b.shape(2) == (bags,) else b.splat(0, b.shape(2), i64)
    return [found, of_indices, counts, greatest]


def _rows_of_greatest(b: Call, index: SSAValue, rows: SSAValue, greatest: SSAValue, at: SSAValue) -> SSAValue:
    """Which row of the table each element of a bag is from; 0 for empty bags."""
    count, bags = shape_of(rows)[0], shape_of(greatest)
    is_it = b.compare("eq", rows, b(graph.GatherOp, greatest, b.reshape(at, (count,)), 0))
    places = b.unsqueeze(b.constant(np.arange(count)), [1])
    first = b.where(is_it, places, b.constant(count))
    first = b(graph.ScatterNdOp, "min", b.splat(count, bags, i64), at, first, [0])
    return b(graph.GatherOp, b.concat([index, b.constant([0])], 0), first, 0)


@converts("_embedding_bag_backward", "_embedding_bag_dense_backward")
def embedding_bag_gradient(
    b: Call, grad: SSAValue, indices: SSAValue, bag_size: SSAValue, maximum_indices: SSAValue, num_weights: int,
    scale_grad_by_freq: bool, mode: int, per_sample_weights: SSAValue | None, padding_idx: int,
    offsets: SSAValue | None = None, offset2bag: SSAValue | None = None, sparse: bool = False,
) -> Results:  # fmt: skip
    """The gradient of a bag goes to each of its rows, or to those of its greatest elements."""
    if sparse:
        raise Unconvertible("the gradient is a sparse tensor")
    bags, width = shape_of(grad)
    gradient, count = b.widened(grad), prod(shape_of(indices))
    zeros = b.splat(0, (num_weights, width), element_of(gradient))
    if not count or not bags:
        return zeros
    index = b.cast(b.reshape(indices, (count,)), i64)
    bag = _bags(b, offsets, count) if offsets is not None else offset2bag
    assert bag is not None
    at, kept = b.reshape(b.cast(bag, i64), (count, 1)), b.compare("ne", index, b.constant(padding_idx))
    sizes = b(graph.ScatterNdOp, "add", b.splat(0, (bags,), i64), at, b.cast(kept, i64), [0])
    if mode == _MAX:
        empty = b.unsqueeze(b.compare("eq", sizes, b.constant(0)), [1])
        columns = b.broadcast(b.constant(np.arange(width)), (bags, width))
        places = b.concat([b.unsqueeze(v, [2]) for v in (b.cast(maximum_indices, i64), columns)], 2)
        return b(graph.ScatterNdOp, "add", zeros, places, b.where(empty, b.number(0, gradient), gradient), [0, 1])
    if mode == _MEAN:
        gradient = _per_element(b, gradient, sizes)
    rows = b(graph.GatherOp, gradient, b.reshape(at, (count,)), 0)
    if per_sample_weights is not None:
        rows = b.mul(rows, b.unsqueeze(b.cast(per_sample_weights, element_of(rows)), [1]))
    if padding_idx >= 0:
        rows = b.where(b.unsqueeze(kept, [1]), rows, b.number(0, rows))
    if scale_grad_by_freq:
        places = b.reshape(index, (count, 1))
        times = b(graph.ScatterNdOp, "add", b.splat(0, (num_weights,), i64), places, b.splat(1, (count,), i64), [0])
        rows = b.div(rows, b.unsqueeze(b.cast(b(graph.GatherOp, times, index, 0), element_of(rows)), [1]))
    return b(graph.ScatterNdOp, "add", zeros, b.reshape(index, (count, 1)), rows, [0])


@converts("_embedding_bag_per_sample_weights_backward")
def embedding_bag_weights_gradient(
    b: Call, grad: SSAValue, weight: SSAValue, indices: SSAValue, offsets: SSAValue, padding_idx: int
) -> Results:
    """The product of a row with the gradient of its bag."""
    count = prod(shape_of(indices))
    index = b.cast(b.reshape(indices, (count,)), i64)
    rows, bags = b.widened(b(graph.GatherOp, weight, index, 0)), b.widened(grad)
    found = b.reduce("sum", b.mul(rows, b(graph.GatherOp, bags, _bags(b, offsets, count), 0)), [1])
    if padding_idx >= 0:
        found = b.where(b.compare("ne", index, b.constant(padding_idx)), found, b.number(0, found))
    return b.reshape(found, b.shape())


def _per_element(b: Call, bags: SSAValue, sizes: SSAValue) -> SSAValue:
    """Rows of bags over how many elements each has; empty ones as they are."""
    number = b(graph.MaxOp, sizes, b.constant(1))
    return b.div(bags, b.unsqueeze(b.cast(number, element_of(bags)), [1]))


def _bags(b: Call, offsets: SSAValue, count: int) -> SSAValue:
    """The bag that each index is in."""
    places = b.constant(np.arange(count, dtype=np.int64), i64)
    return b.sub(search(b, b.cast(offsets, i64), places, True), b.constant(1))


@converts("embedding_dense_backward")
def embedding_gradient(
    b: Call, grad_output: SSAValue, indices: SSAValue, num_weights: int, padding_idx: int, scale_grad_by_freq: bool
) -> Results:
    """Gradients of rows are added up where the rows were read, over how often if that is asked for; those of the
    padding row are dropped."""
    width = shape_of(grad_output)[-1]
    count = prod(shape_of(indices))
    if not count or not width or not num_weights:
        return b.splat(0, b.shape(), b.element())
    rows = b.reshape(b.widened(grad_output), (count, width))
    places = b.reshape(b.cast(indices, i64), (count, 1))
    if padding_idx >= 0:
        rows = b.where(b.compare("eq", places, b.number(padding_idx, places)), b.number(0, rows), rows)
    zeros = b.splat(0, (num_weights, width), element_of(rows))
    found = b(graph.ScatterNdOp, "add", zeros, places, rows, [0])
    if not scale_grad_by_freq:
        return found
    ones, none = b.splat(1, (count, 1), f32), b.splat(0, (num_weights, 1), f32)
    times = b(graph.ScatterNdOp, "add", none, places, ones, [0])
    return b.div(found, b.cast(b(graph.MaxOp, times, b.constant(1.0)), element_of(found)))
