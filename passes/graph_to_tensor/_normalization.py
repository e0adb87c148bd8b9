"""Reductions, softmax and the norms become reductions and maps."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects import math
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.dialects.tensor.dim_names import dim_names
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Access, Builder, d, dims_of, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points, unchanged
from mlc.support.types import element_type

_KINDS = {"sum": "add", "mean": "add", "max": "max", "min": "min", "prod": "mul"}


@lowers("convert-graph-to-tensor", graph.ReduceOp)
class ReduceToReduce(ToTensor):
    """The reduced axes become `reduce` dims; with `keepdims` the result has dims of extent 1 in their place."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ReduceOp)
        shape, axes, kind = shape_of(op.input), ints(op.axes), op.kind.data.value
        element = element_type(op.result.type)
        if not axes:
            return b.map_points([(op.input, every(len(shape)))], shape, element, unchanged)
        names = dim_names(len(shape))
        keep = op.keepdims is not None
        over = [
            (f"one{i}" if i in axes else names[i], 1 if i in axes else size)
            for i, size in enumerate(shape)
            if keep or i not in axes
        ]
        reduce = reduced_dims([shape[i] for i in axes])
        position = {i: len(over) + number for number, i in enumerate(axes)}
        kept = iter([p for p, (name, _) in enumerate(over) if not name.startswith("one")])
        subscripts = [d(position[i] if i in position else next(kept)) for i in range(len(shape))]
        combined = b.reduce(_KINDS[kind], [(op.input, subscripts)], over, reduce)
        if kind != "mean":
            return combined
        count = prod(shape[axis] for axis in axes)

        def divide(p: Points, x: SSAValue) -> SSAValue:
            return p.div(x, p.number(count, element))

        return b.map([(combined, every(len(over)))], over, element, divide)


@lowers("convert-graph-to-tensor", graph.SoftmaxOp)
class SoftmaxToReductions(ToTensor):
    """Subtract the maximum, so that no exponential overflows; then divide by the sum.

    A row has one division; its elements are multiplied. That rounds once more, and is several times as fast.

    The maximum leaves out NaN, which is faster on x86: the exponential of a NaN is one, and so is the sum of its row,
    whatever was subtracted.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.SoftmaxOp)
        shape, axis = shape_of(op.input), op.axis.value.data
        element, rank = element_type(op.result.type), len(shape)
        dims = dims_of(shape)
        over, reduce = [*dims[:axis], *dims[axis + 1 :]], reduced_dims([shape[axis]])
        # In the reductions, the reduced dim is the last one.
        row = [*every(axis), d(rank - 1), *(d(i) for i in range(axis, rank - 1))]
        rest = [d(i) for i in range(rank) if i != axis]

        def shifted_exp(p: Points, x: SSAValue, greatest: SSAValue) -> SSAValue:
            return p(math.ExpOp, p.sub(x, greatest))

        greatest = b.reduce("maxnum", [(op.input, row)], over, reduce)
        numerator = b.map([(op.input, every(rank)), (greatest, rest)], dims, element, shifted_exp)

        def inverse(p: Points, total: SSAValue) -> SSAValue:
            return p.div(p.number(1, element), total)

        total = b.reduce("add", [(numerator, row)], over, reduce)
        factor = b.map([(total, every(rank - 1))], over, element, inverse)
        return b.map([(numerator, every(rank)), (factor, rest)], dims, element, Points.mul)


def _inverse_deviation(p: Points, variance: SSAValue, epsilon: float) -> SSAValue:
    """1 / sqrt(variance + epsilon)"""
    shifted = p.add(variance, p.number(epsilon, variance.type))
    return p.div(p.number(1, variance.type), p(math.SqrtOp, shifted))


def _square(p: Points, x: SSAValue) -> SSAValue:
    return p.mul(x, x)


def _squared_difference(p: Points, x: SSAValue, mean: SSAValue) -> SSAValue:
    return _square(p, p.sub(x, mean))


def _normalise(p: Points, x: SSAValue, mean: SSAValue, factor: SSAValue, scale: SSAValue, bias: SSAValue) -> SSAValue:
    return p.add(p.mul(p.mul(p.sub(x, mean), factor), scale), bias)


@lowers("convert-graph-to-tensor", graph.LayerNormOp)
class LayerNormToReductions(ToTensor):
    """Mean, then the mean of squared differences (two passes: no cancellation), then scale and shift.

    The mean is the first element and the mean of differences from it: an error of the mean is added to each element, so
    it has to be small beside these differences, however large the elements are. Where all are equal, there is none.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.LayerNormOp)
        shape, axis = shape_of(op.input), op.axis.value.data
        element, rank = element_type(op.result.type), len(shape)
        if 0 in shape:
            return b.map_points([(op.input, every(rank))], shape, element, unchanged)
        dims, epsilon = dims_of(shape), op.epsilon.value.data
        over, reduce = dims[:axis], reduced_dims(shape[axis:])
        count = prod(shape[axis:])
        outer = every(axis)

        first = [*outer, *[AffineExpr.constant(0)] * (rank - axis)]

        def mean_of(p: Points, total: SSAValue, first: SSAValue) -> SSAValue:
            return p.add(first, p.div(total, p.number(count, element)))

        def inverse(p: Points, squares: SSAValue) -> SSAValue:
            return _inverse_deviation(p, p.div(squares, p.number(count, element)), epsilon)

        total = b.reduce("add", [(op.input, every(rank)), (op.input, first)], over, reduce, Points.sub)
        mean = b.map([(total, outer), (op.input, first)], over, element, mean_of)
        squares = b.reduce("add", [(op.input, every(rank)), (mean, outer)], over, reduce, _squared_difference)
        factor = b.map([(squares, outer)], over, element, inverse)
        inner = [d(i) for i in range(axis, rank)]
        operands = [(op.input, every(rank)), (mean, outer), (factor, outer), (op.scale, inner), (op.bias, inner)]
        return b.map(operands, dims, element, _normalise)


@lowers("convert-graph-to-tensor", graph.RmsNormOp)
class RmsNormToReduction(ToTensor):
    """The mean of squares, then scale by its inverse root."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.RmsNormOp)
        shape, axis = shape_of(op.input), op.axis.value.data
        element, rank, outer = element_type(op.result.type), len(shape), every(axis)
        over, reduce = dims_of(shape)[:axis], reduced_dims(shape[axis:])
        count, epsilon = prod(shape[axis:]), op.epsilon.value.data

        def inverse(p: Points, squares: SSAValue) -> SSAValue:
            return _inverse_deviation(p, p.div(squares, p.number(count, element)), epsilon)

        def normalise(p: Points, x: SSAValue, factor: SSAValue, scale: SSAValue) -> SSAValue:
            return p.mul(p.mul(x, factor), scale)

        squares = b.reduce("add", [(op.input, every(rank))], over, reduce, _square)
        factor = b.map([(squares, outer)], over, element, inverse)
        inner = [d(i) for i in range(axis, rank)]
        return b.map_points([(op.input, every(rank)), (factor, outer), (op.scale, inner)], shape, element, normalise)


@lowers("convert-graph-to-tensor", graph.GroupNormOp)
class GroupNormToReductions(ToTensor):
    """Reductions per channel, then over the channels of each group, and back: a few numbers between two big passes.

    Per channel, so that channels may be lanes where they are contiguous, whatever the size of a group. The channels of
    a group then share a mean (two passes, with differences from a first element, as for the layer norm), and the last
    map has one factor and one offset per channel.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.GroupNormOp)
        shape, axis, groups = shape_of(op.input), op.axis.value.data, op.groups.value.data
        element, epsilon = element_type(op.result.type), op.epsilon.value.data
        if 0 in shape:
            return b.map_points([(op.input, every(len(shape)))], shape, element, unchanged)
        batch, channels, size = shape[0], shape[axis], shape[axis] // groups
        count = prod(shape[1:]) // groups
        # `n`, the dim that becomes lanes, only where channels are contiguous.
        per_channel = [("b", batch), ("n" if axis == len(shape) - 1 else "c", channels)]
        per_group = [("b", batch), ("g", groups)]
        others = [shape[i] for i in range(1, len(shape)) if i != axis]
        places = iter(range(2, len(shape)))
        image = [d(0), *(d(1) if i == axis else d(next(places)) for i in range(1, len(shape)))]
        zero = AffineExpr.constant(0)
        first = [d(0), *(d(1) if i == axis else zero for i in range(1, len(shape)))]

        def shared(values: SSAValue, body: Body, inputs: Sequence[Access] = (), term: Body | None = None) -> SSAValue:
            """What the channels of a group make of their sum, or that of terms with more inputs, once per channel."""
            grouped = b.reshape(values, (batch, groups, size))
            total = b.reduce("add", [(grouped, every(3)), *inputs], per_group, [("member", size)], term)
            spread = b.map([(total, every(2)), *inputs], [*per_group, ("member", size)], element, body)
            return b.reshape(spread, (batch, channels))

        def per_channel_sum(inputs: Sequence[Access], body: Body) -> SSAValue:
            """The sum over all pixels of each channel; there may be none to sum over."""
            if others:
                return b.reduce("add", inputs, per_channel, reduced_dims(others), body)
            return b.map(inputs, per_channel, element, body)

        def mean_from(count: int) -> Body:
            def mean(p: Points, total: SSAValue, first: SSAValue) -> SSAValue:
                return p.add(first, p.div(total, p.number(count, element)))

            return mean

        def inverse(p: Points, squares: SSAValue) -> SSAValue:
            return _inverse_deviation(p, p.div(squares, p.number(count, element)), epsilon)

        apart = per_channel_sum([(op.input, image), (op.input, first)], Points.sub)
        means = b.map([(apart, every(2)), (op.input, first)], per_channel, element, mean_from(prod(others)))
        members = [(b.reshape(means, (batch, groups, size)), [d(0), d(1), zero])]
        mean = shared(means, mean_from(size), members, Points.sub)
        factor = shared(per_channel_sum([(op.input, image), (mean, every(2))], _squared_difference), inverse)
        channel = d(axis)
        statistics = [(mean, [d(0), channel]), (factor, [d(0), channel])]
        parameters = [(op.scale, [channel]), (op.bias, [channel])]
        operands = [(op.input, every(len(shape))), *statistics, *parameters]
        return b.map_points(operands, shape, element, _normalise)


@lowers("convert-graph-to-tensor", graph.BatchNormOp)
class BatchNormToMap(ToTensor):
    """With given statistics, one map with per-channel operands."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.BatchNormOp)
        shape, element = shape_of(op.input), element_type(op.result.type)
        channel, epsilon = [d(op.axis.value.data)], op.epsilon.value.data

        def body(
            p: Points, x: SSAValue, scale: SSAValue, bias: SSAValue, mean: SSAValue, variance: SSAValue
        ) -> SSAValue:
            factor = p.mul(_inverse_deviation(p, variance, epsilon), scale)
            return p.add(p.mul(p.sub(x, mean), factor), bias)

        parameters = (op.scale, op.bias, op.mean, op.variance)
        operands = [(op.input, every(len(shape))), *((v, channel) for v in parameters)]
        return b.map_points(operands, shape, element, body)


def reduced_dims(sizes: Sequence[int]) -> list[tuple[str, int]]:
    """Names for `reduce` dims: `k`, or `k0`, `k1`, … if there are several."""
    return [("k" if len(sizes) == 1 else f"k{i}", size) for i, size in enumerate(sizes)]
