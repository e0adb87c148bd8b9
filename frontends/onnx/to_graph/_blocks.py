"""Weights of two, four and eight bits that are quantised in blocks, several to a byte: `com.microsoft.MatMulNBits`.

Each number becomes a byte of its own, with the scale of its block beside it: a constant is unpacked when the model is
converted.
"""

from __future__ import annotations

from math import prod

import numpy as np
from xdsl.dialects.builtin import f32, i8
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._quantization import no_zero_point
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.products import numpy_product
from mlc.frontends.operators.recurrent import plus
from mlc.frontends.operators.refusal import Unconvertible
from mlc.support.dtypes import unsigned
from mlc.support.types import integer_width

_BYTE = unsigned(i8)
_BYTES_ALLOWED = 4
"""The `accuracy_level` that allows integers of 8 bits."""
_LEAST_BLOCK = 16


def unpacked(b: GraphBuilder, packed: SSAValue, bits: int) -> SSAValue:
    """The numbers of `bits` bits in the bytes of the last dim, the first in the lowest bits, each as a ui8."""
    shape = shape_of(packed)
    if bits == 8:
        return packed
    starts = range(0, 8, bits)
    whole = (*shape[:-1], shape[-1] * len(starts))
    if (data := b.knowledge.array(packed)) is not None:
        numbers = data[..., None] >> np.array(starts, np.uint8) & np.uint8((1 << bits) - 1)
        return b.constant(numbers.reshape(whole), _BYTE)
    mask = b.number((1 << bits) - 1, packed)
    parts = [b(graph.AndOp, b(graph.ShrOp, packed, b.number(start, packed)), mask) for start in starts]
    last = len(shape)
    return b.reshape(b.concat([b.unsqueeze(part, [last]) for part in parts], last), whole)


@converts("MatMulNBits", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def mat_mul_n_bits(b: Node) -> Results:
    """`A B^T`, with a bias; each block of a row of B has a scale, and a zero point: half of the range, unless given.

    `g_idx` says of each column which block's scale it has. An `accuracy_level` of 4 allows to round A to integers of 8
    bits, with a scale for each block of a row: f32 are rounded, without `g_idx`. Other products are those of floats.
    """
    rows, depth, block, bits = *(b.int(name) for name in ("N", "K", "block_size")), _bits(b)
    if b.flag("weight_prepacked"):
        raise Unconvertible("the weights are packed for one kind of GPU (weight_prepacked); required: 0")
    if block < 1:
        raise Unconvertible(f"block_size is {block}; required: at least 16")
    blocks = -(-depth // block)
    packed = b.reshape(b[1], (rows, blocks, block * bits // 8))
    numbers, scale, zero = (
        unpacked(b, packed, bits),
        b.reshape(b[2], (rows, blocks)),
        _zero_points(b, rows, blocks, bits),
    )
    if (order := b.optional(4)) is not None:
        order = b.slice(order, 0, 0, depth)
        numbers = b.slice(b.reshape(numbers, (rows, blocks * block)), 1, 0, depth)
        scale, zero = (None if x is None else b(graph.GatherOp, x, order, 1) for x in (scale, zero))
    else:
        scale, zero = (None if x is None else b.unsqueeze(x, [2]) for x in (scale, zero))
    assert scale is not None
    weights = _dequantized(b, numbers, scale, zero, bits)
    weights = b.slice(b.reshape(weights, (rows, prod(shape_of(weights)[1:]))), 1, 0, depth)
    x = b[0]
    if b.int("accuracy_level") == _BYTES_ALLOWED and order is None and element_of(x) == f32 and block >= _LEAST_BLOCK:
        x = _rounded(b, x, block)
    return plus(b, numpy_product(b, x, b.transpose(weights, (1, 0))), b.optional(5))


def _rounded(b: GraphBuilder, x: SSAValue, block: int) -> SSAValue:
    """Floats as integers from -127 to 127 times a scale: in each block of the last dim, a 127th of the largest size.

    The least scale is the least normal number, so that blocks of zeros have one.
    """
    *rows, depth = shape_of(x)
    blocks = -(-depth // block)
    padding = [*[0] * len(rows), blocks * block - depth]
    padded = b(graph.PadOp, x, [0] * len(padding), padding, 0.0) if any(padding) else x
    apart = b.reshape(padded, (*rows, blocks, block))
    largest = b.reduce("max", b(graph.AbsOp, apart), [len(rows) + 1], keepdims=True)
    scale = b.maximum(b.div(largest, b.number(127, x)), b.number(np.finfo(np.float32).smallest_normal.item(), x))
    zero = no_zero_point(b, i8)
    rounded = b(graph.DequantizeOp, b(graph.QuantizeOp, apart, scale, zero), scale, zero)
    return b.slice(b.reshape(rounded, (*rows, blocks * block)), len(rows), 0, depth)


def _bits(b: Node) -> int:
    if (bits := b.int("bits")) not in (2, 4, 8):
        raise Unconvertible(f"attribute 'bits' is {bits}; mlc knows 2, 4 and 8")
    return bits


def _zero_points(b: Node, rows: int, blocks: int, bits: int) -> SSAValue | None:
    """The zero points of all blocks, integers or floats; None if they are left out."""
    zero = b.optional(3)
    if zero is None:
        return None
    if element_of(zero) == _BYTE:
        held = -(-blocks * bits // 8)
        zero = b.slice(unpacked(b, b.reshape(zero, (rows, held)), bits), 1, 0, blocks)
    return b.reshape(zero, (rows, blocks))


def _dequantized(b: GraphBuilder, x: SSAValue, scale: SSAValue, zero: SSAValue | None, bits: int) -> SSAValue:
    """Numbers of so many bits, less their zero points, times their scales."""
    if zero is not None and element_of(zero) == _BYTE:
        return b(graph.DequantizeOp, x, scale, zero)
    if zero is not None:
        return b.mul(b.sub(b.cast(x, element_of(scale)), b.cast(zero, element_of(scale))), scale)
    half = 1 << (bits - 1)
    if (data := b.knowledge.array(x)) is not None:
        return b(graph.DequantizeOp, b.constant(data.astype(np.int16) - half, i8), scale, no_zero_point(b, i8))
    return b(graph.DequantizeOp, x, scale, b.number(half, x))


@converts("GatherBlockQuantized", domain=RUNTIME_DOMAIN, bounded=True)
def gather_block_quantized(b: Node) -> Results:
    """Slices of quantised data at indices; then these are dequantised."""
    element, bits = b.element(), _bits(b)
    data, zero = b[0], b.optional(3)
    gathered, blocked = b.axis("gather_axis"), b.axis("quantize_axis")
    if element == _BYTE:
        data = unpacked(b, data, bits)
        zero = None if zero is None else unpacked(b, zero, bits)
    else:
        bits = integer_width(element) or 8
    extent, block = shape_of(data)[blocked], b.int("block_size")
    if gathered == blocked:
        raise Unconvertible(f"gather_axis and quantize_axis are both {gathered}; required: two axes")
    if block < 1 or shape_of(b[2])[blocked : blocked + 1] != (-(-extent // block),):
        raise Unconvertible(
            f"scales {list(shape_of(b[2]))} are not one for each {block} elements along axis {blocked} of {extent}"
        )
    if zero is not None:
        b.require_rank(3, b.rank())
        zero = b.slice(zero, blocked, 0, shape_of(b[2])[blocked])
    data, scale, zero = (None if x is None else b(graph.GatherOp, x, b[1], gathered) for x in (data, b[2], zero))
    assert data is not None and scale is not None
    along = blocked if blocked < gathered else blocked + b.rank(1) - 1
    if zero is None:
        zero = b.splat(1 << (bits - 1) if element == _BYTE else 0, (), element_of(data))
    else:
        zero = _spread(b, zero, axis_of(along, len(shape_of(data))), block, extent)
    return b(graph.DequantizeOp, data, _spread(b, scale, along, block, extent), zero)


def _spread(b: GraphBuilder, x: SSAValue, axis: int, block: int, extent: int) -> SSAValue:
    """What each block has, for each of its elements."""
    shape = shape_of(x)
    wide = b.broadcast(b.unsqueeze(x, [axis + 1]), (*shape[: axis + 1], block, *shape[axis + 1 :]))
    return b.slice(b.reshape(wide, (*shape[:axis], shape[axis] * block, *shape[axis + 1 :])), axis, 0, extent)
