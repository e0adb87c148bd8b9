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
    Conv2dOp,
    ConvTranspose2dOp,
    ElementwiseOp,
    GroupNormOp,
    PadOp,
    Pool2dOp,
    ReduceOp,
    SliceOp,
    SoftmaxOp,
    ints,
)
from mlc.dialects.graph.types import I64Array, Shape, i64_array

TO_NHWC = (0, 2, 3, 1)
TO_NCHW = (0, 3, 1, 2)
TO_HWIO = (2, 3, 1, 0)
"""Weights of convolutions, from [out, in, h, w]."""
TRANSPOSED_TO_HWIO = (2, 3, 0, 1)
"""Weights of transposed convolutions, from [in, out, h, w]."""

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
    weights: Shape = ()
    """How the second operand is permuted, if it is the weights of a convolution."""


def permute(values: Sequence[int], permutation: Sequence[int]) -> Shape:
    """Element `permutation[i]` comes to place `i`."""
    return tuple(values[p] for p in permutation)


def rule_for(op: Operation) -> LayoutRule | None:
    """The rule for the class of `op`, or the nearest base class that has one."""
    return next((RULES[c] for c in type(op).__mro__ if c in RULES), None)


def _permuted(array: I64Array) -> Attribute:
    return i64_array(permute(ints(array), TO_NHWC))


def _windowed(op: Conv2dOp | ConvTranspose2dOp | Pool2dOp) -> Properties | None:
    return {"layout": StringAttr("NHWC")} if op.layout.data == "NCHW" else None


def _one_axis(op: BatchNormOp | ConcatOp | GroupNormOp | SoftmaxOp) -> Properties:
    return {"axis": IntegerAttr(TO_NHWC.index(op.axis.value.data), i64)}


def _reduce(op: ReduceOp) -> Properties | None:
    axes = ints(op.axes)
    if op.keepdims is None and not _keeps_order_of_rest(axes):
        return None
    return {"axes": i64_array(sorted(TO_NHWC.index(axis) for axis in axes))}


def _arg_reduce(op: ArgReduceOp) -> Properties | None:
    axis = op.axis.value.data
    if op.keepdims is None and not _keeps_order_of_rest((axis,)):
        return None
    return {"axis": IntegerAttr(TO_NHWC.index(axis), i64)}


def _keeps_order_of_rest(axes: Shape) -> bool:
    """Whether the dimensions other than `axes` are in the same order in both layouts."""
    kept = [d for d in TO_NHWC if d not in axes]
    return kept == sorted(kept)


def _slice(op: SliceOp) -> Properties:
    return {"starts": _permuted(op.starts), "ends": _permuted(op.ends), "strides": _permuted(op.strides)}


def _pad(op: PadOp) -> Properties:
    return {"low": _permuted(op.low), "high": _permuted(op.high)}


def _nothing(op: Operation) -> Properties:
    return {}


RULES: dict[type, LayoutRule] = {
    Conv2dOp: LayoutRule(_windowed, first_only=True, starts=True, weights=TO_HWIO),
    ConvTranspose2dOp: LayoutRule(_windowed, first_only=True, starts=True, weights=TRANSPOSED_TO_HWIO),
    Pool2dOp: LayoutRule(_windowed, first_only=True, starts=True),
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
