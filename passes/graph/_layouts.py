"""What changes in each graph op when the channels of its images come last.

A rule gives the properties that change, or None if the op cannot be had that way; the types of images are permuted for
all ops alike. A plugin adds rules for its own ops to `RULES`, under the op's class or a base class of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from xdsl.dialects.builtin import IntegerAttr, StringAttr, i64
from xdsl.ir import Attribute, Operation

from mlc.dialects.graph import (
    ArgReduceOp,
    BatchNormOp,
    ConcatOp,
    ConvOp,
    ConvTransposeOp,
    ElementwiseOp,
    GroupNormOp,
    PadOp,
    PoolOp,
    ReduceOp,
    SliceOp,
    SoftmaxOp,
    ints,
)
from mlc.dialects.graph.types import I64Array, Shape, i64_array, shape_of
from mlc.dialects.graph.windows import LAYOUTS


def channels_last(rank: int) -> Shape:
    """The permutation that puts channels last, such as [0, 2, 3, 1]."""
    return (0, *range(2, rank), 1)


def channels_first(rank: int) -> Shape:
    """The permutation that undoes it, such as [0, 3, 1, 2]."""
    return (0, rank - 1, *range(1, rank - 1))


def weights_of_conv(rank: int) -> Shape:
    """From [out, in, taps...] to [taps..., in, out]."""
    return (*range(2, rank), 1, 0)


def weights_of_conv_transpose(rank: int) -> Shape:
    """From [in, out, taps...] to [taps..., in, out]."""
    return (*range(2, rank), 0, 1)


Properties: TypeAlias = Mapping[str, Attribute]


@dataclass(frozen=True)
class LayoutRule:
    """How an op is rewritten."""

    properties: Callable[[Any], Properties | None]
    """The properties of an op that change, or None if the op has to stay."""
    first_only: bool = False
    """Whether only the first operand is an image."""
    starts: bool = False
    """Whether the op is worth rewriting even if its operand has to be transposed for it."""
    weights: Callable[[int], Shape] | None = None
    """How the second operand is permuted, by its rank, if it is the weights of a convolution."""


def permute(values: Sequence[int], permutation: Sequence[int]) -> Shape:
    """Element `permutation[i]` comes to place `i`."""
    return tuple(values[p] for p in permutation)


def rule_for(op: Operation) -> LayoutRule | None:
    """The rule for the class of `op`, or the nearest base class that has one."""
    return next((RULES[c] for c in type(op).__mro__ if c in RULES), None)


def _permuted(array: I64Array) -> Attribute:
    numbers = ints(array)
    return i64_array(permute(numbers, channels_last(len(numbers))))


def _windowed(op: ConvOp | ConvTransposeOp | PoolOp) -> Properties | None:
    first, last = LAYOUTS[op.SPATIAL]
    return {"layout": StringAttr(last)} if op.layout.data == first else None


def _place(op: Operation, axis: int) -> int:
    """Where an axis of the image that `op` reads comes to lie."""
    return channels_last(len(shape_of(op.operands[0]))).index(axis)


def _one_axis(op: BatchNormOp | ConcatOp | GroupNormOp | SoftmaxOp) -> Properties:
    return {"axis": IntegerAttr(_place(op, op.axis.value.data), i64)}


def _reduce(op: ReduceOp) -> Properties | None:
    axes = ints(op.axes)
    if op.keepdims is None and not _keeps_order_of_rest(op, axes):
        return None
    return {"axes": i64_array(sorted(_place(op, axis) for axis in axes))}


def _arg_reduce(op: ArgReduceOp) -> Properties | None:
    axis = op.axis.value.data
    if op.keepdims is None and not _keeps_order_of_rest(op, (axis,)):
        return None
    return {"axis": IntegerAttr(_place(op, axis), i64)}


def _keeps_order_of_rest(op: Operation, axes: Shape) -> bool:
    """Whether the dimensions other than `axes` are in the same order in both layouts."""
    kept = [d for d in channels_last(len(shape_of(op.operands[0]))) if d not in axes]
    return kept == sorted(kept)


def _slice(op: SliceOp) -> Properties:
    return {"starts": _permuted(op.starts), "ends": _permuted(op.ends), "strides": _permuted(op.strides)}


def _pad(op: PadOp) -> Properties:
    return {"low": _permuted(op.low), "high": _permuted(op.high)}


def _nothing(op: Operation) -> Properties:
    return {}


RULES: dict[type, LayoutRule] = {
    ConvOp: LayoutRule(_windowed, first_only=True, starts=True, weights=weights_of_conv),
    ConvTransposeOp: LayoutRule(_windowed, first_only=True, starts=True, weights=weights_of_conv_transpose),
    PoolOp: LayoutRule(_windowed, first_only=True, starts=True),
    ArgReduceOp: LayoutRule(_arg_reduce),
    BatchNormOp: LayoutRule(_one_axis, first_only=True),
    ConcatOp: LayoutRule(_one_axis),
    ElementwiseOp: LayoutRule(_nothing),
    GroupNormOp: LayoutRule(_one_axis, first_only=True),
    PadOp: LayoutRule(_pad),
    ReduceOp: LayoutRule(_reduce),
    SliceOp: LayoutRule(_slice),
    SoftmaxOp: LayoutRule(_one_axis),
}
