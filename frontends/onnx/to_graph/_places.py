"""Operators that read or change tensors at places which are data."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._moves import in_order
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.open_shapes import all_along, require_fixed
from mlc.frontends.operators.places import along_axis, taken_along
from mlc.frontends.operators.refusal import Unconvertible


@converts("GatherElements", bounded=True)
def gather_elements(b: Node) -> Results:
    """An index for each element of the result."""
    return taken_along(b, b[0], b[1], b.axis())


@converts("GatherND", bounded=True)
def gather_nd(b: Node) -> Results:
    """Coordinates along the first axes after those that are a batch."""
    batch, count = b.int("batch_dims"), b.shape(1)[-1]
    indices = b.knowledge.array(b[1])
    if indices is not None and count and not batch and not b.knowledge.extents.get(b[0]):
        extents, rest = np.array(b.shape()[:count]), b.shape()[count:]
        places = np.where(indices < 0, indices + extents, indices)
        if np.all((places >= 0) & (places < extents)):
            flat = b.reshape(b[0], (int(np.prod(extents)), *rest))
            steps = np.append(np.cumprod(extents[:0:-1])[::-1], 1)
            if (found := in_order(b, flat, 0, places @ steps)) is not None:
                return found
    return b(graph.GatherNdOp, b[0], b[1], range(batch, batch + count), range(batch))


def _kind(b: Node) -> str:
    """What becomes of an element that an update meets."""
    reduction = b.string("reduction", "none")
    if reduction not in ("none", "add", "mul", "max", "min"):
        raise Unconvertible(f"attribute 'reduction' is '{reduction}'; mlc knows none, add, mul, max and min")
    return "set" if reduction == "none" else reduction


@converts("ScatterElements", "Scatter", bounded=True)
def scatter_elements(b: Node) -> Results:
    """An index for each update."""
    indices, axes, own = along_axis(b, b[1], b.axis())
    return b(graph.ScatterNdOp, _kind(b), b[0], indices, b[2], axes, own)


@converts("ScatterND", bounded=True)
def scatter_nd(b: Node) -> Results:
    """Coordinates along the first axes."""
    axes = range(b.shape(1)[-1])
    return b(graph.ScatterNdOp, _kind(b), b[0], b[1], b[2], axes)


@converts("TensorScatter")
def tensor_scatter(b: Node) -> Results:
    """A cache in which the rows of an update get their places, from an index of each batch on."""
    cache, update, axis = b[0], b[1], b.axis()
    length, steps = b.shape()[axis], b.shape(1)[axis]
    if axis == 0:
        raise Unconvertible("axis is 0, which is that of the batch")
    places = b.constant(np.arange(steps).reshape(*[1] * axis, steps), i64)
    if b.has(2):
        first = b.reshape(b.cast(b[2], i64), (*b.shape(2), *[1] * axis))
        places = b.add(first, places)
    if b.one_of("mode", "linear", "circular") == "circular":
        places = b(graph.ModOp, places, b.number(length, places))
    places = b.reshape(b.broadcast(places, b.shape(1)[: axis + 1]), (*b.shape(1)[: axis + 1], 1))
    return b(graph.ScatterNdOp, "set", cache, places, update, [axis], range(axis))


@converts("MaxUnpool")
def max_unpool(b: Node) -> Results:
    """Elements go to where a pooling found them, all others are 0; a larger shape has zeros at its end.

    Places are counted over the whole result that the window gives, whatever shape is asked for.
    """
    x, kernel = b[0], b.ints("kernel_shape") or []
    spatial = b.shape()[2:]
    strides, pads = b.ints("strides") or [1] * len(kernel), b.ints("pads") or [0] * 2 * len(kernel)
    if not len(kernel) == len(strides) == len(spatial) or len(pads) != 2 * len(spatial):
        raise Unconvertible(f"kernel {kernel}, strides {strides} and pads {pads} do not fit {list(b.shape())}")
    extents = [
        (extent - 1) * strides[i] + kernel[i] - pads[i] - pads[i + len(kernel)] for i, extent in enumerate(spatial)
    ]
    shape = (*b.shape()[:2], *extents)
    count = prod(b.shape())
    zeros = b.splat(0, (prod(shape),), element_of(x))
    indices, updates = b.reshape(b[1], (count, 1)), b.reshape(x, (count,))
    found = b.reshape(b(graph.ScatterNdOp, "set", zeros, indices, updates, [0]), shape)
    wanted = b.known_ints(2) if b.has(2) else list(shape)
    if len(wanted) != len(shape) or any(w < e for w, e in zip(wanted, shape, strict=True)):
        raise Unconvertible(f"the output shape {wanted} has no room for {list(shape)}")
    if wanted == list(shape):
        return found
    return b(graph.PadOp, found, [0] * len(shape), [w - e for w, e in zip(wanted, shape, strict=True)], 0)


@converts("Col2Im")
def col2_im(b: Node) -> Results:
    """Columns are added up where their windows were: rows of all images and channels, to places that are known."""
    image, block = b.known_ints(1), b.known_ints(2)
    rank = len(image)
    dilations, strides = b.ints("dilations") or [1] * rank, b.ints("strides") or [1] * rank
    pads = b.ints("pads") or [0] * 2 * rank
    images, rows, columns = b.shape()
    if rows % prod(block) or not len(block) == len(dilations) == len(strides) == rank or len(pads) != 2 * rank:
        raise Unconvertible(f"{list(b.shape())} holds no windows of {block} of images of {image}")
    padded = [e + pads[i] + pads[i + rank] for i, e in enumerate(image)]
    steps = [(p - (k - 1) * d - 1) // s + 1 for p, k, d, s in zip(padded, block, dilations, strides, strict=True)]
    if prod(steps) != columns or min(steps, default=1) < 1:
        raise Unconvertible(f"{columns} columns, where windows of {block} have {steps} places in {image}")
    axes = [
        np.arange(k)[:, None] * d + np.arange(n) * s
        for k, d, n, s in zip(block, dilations, steps, strides, strict=True)
    ]
    flat = np.zeros((1,) * (2 * rank), np.int64)
    for i, places in enumerate(axes):
        shape = [1] * (2 * rank)
        shape[i], shape[rank + i] = places.shape
        flat = flat * padded[i] + places.reshape(shape)
    all_channels = images * (rows // prod(block))
    values = b.reshape(b[0], (all_channels, prod(block) * columns))
    zeros = b.splat(0, (prod(padded), all_channels), element_of(b[0]))
    found = b(graph.ScatterNdOp, "add", zeros, b.constant(flat.reshape(-1, 1)), b.transpose(values, (1, 0)), [0])
    found = b.reshape(b.transpose(found, (1, 0)), (images, rows // prod(block), *padded))
    for i in range(rank):
        found = b.slice(found, 2 + i, pads[i], pads[i] + image[i])
    return found


@converts("ReverseSequence", bounded=True)
def reverse_sequence(b: Node) -> Results:
    """The first elements of each sequence turned round: read at `length - 1 - t` for `t < length`, else at `t`."""
    x, time, batch = b[0], b.axis("time_axis"), b.int("batch_axis", 1)
    if {time, batch} != {0, 1}:
        raise Unconvertible(f"time axis {time} and batch axis {batch} must be 0 and 1")
    extent, size = b.shape()[time], b.axis_size(x, time)
    if size is None:
        require_fixed(b, x, f"'{b.operand_name(0)}'", [time])
    lengths = b.reshape(b.cast(b[1], i64), _only(batch, b.shape()[batch]))
    times = b.constant(np.arange(extent).reshape(_only(time, extent)), i64)
    turned = b.sub(b.sub(lengths, b.number(1, lengths)), times)
    inside = b.compare("lt", times, lengths)
    places = b.reshape(b.where(inside, turned, times), (*b.shape()[:2], 1))
    found = b(graph.GatherNdOp, all_along(b, x, [time]), places, [time], [batch])
    return found if size is None or size == extent else b.sized(found, {time: size})


def _only(axis: int, extent: int) -> Sequence[int]:
    """A shape of two dims, one of which has extent 1."""
    return (extent, 1) if axis == 0 else (1, extent)
