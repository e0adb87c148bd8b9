"""Softmax and normalisations."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators import logarithms
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.statistics import inverse_root, mean_and_differences, mean_square
from mlc.frontends.torch.to_graph._calls import Call, Results, axis_of
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import computing_type


@converts("_softmax", "softmax.int", bounded=True)
def softmax(b: Call, self: SSAValue, dim: int) -> Results:
    """`e^(x - max) / sum(e^(x - max))` along `dim`; 1 for a tensor of rank 0."""
    x = b.tensor(self)
    return b(graph.SoftmaxOp, x, axis_of(dim, len(shape_of(x)))) if shape_of(x) else b.div(x, x)


@converts("_log_softmax", "log_softmax.int", bounded=True)
def log_softmax(b: Call, self: SSAValue, dim: int) -> Results:
    """`x - max - log(sum(e^(x - max)))` along `dim`; halves in f32."""
    x = b.widened(b.tensor(self))
    if not shape_of(x):
        return b.sub(x, x)
    return logarithms.log_softmax(b, x, axis_of(dim, len(shape_of(x))))


@converts("native_layer_norm", "layer_norm", bounded=True)
def layer_norm(
    b: Call,
    input: SSAValue,
    normalized_shape: Sequence[int],
    weight: SSAValue | None,
    bias: SSAValue | None,
    eps: float,
) -> Results:
    """The mean and the reciprocal of the deviation are further results, for the gradient."""
    x = b.widened(input)
    axis = len(shape_of(x)) - len(normalized_shape)
    shape, element = shape_of(x)[axis:], element_of(x)
    scale = b.splat(1, shape, element) if weight is None else b.cast(weight, element)
    shift = b.splat(0, shape, element) if bias is None else b.cast(bias, element)
    found = b(graph.LayerNormOp, x, scale, shift, axis, eps)
    if len(b.op.results) == 1 or not (b.wants(1) or b.wants(2)):
        return [found]
    axes = list(range(axis, len(shape_of(x))))
    mean, apart = mean_and_differences(b, x, axes)
    return [found, mean, inverse_root(b, mean_square(b, apart, axes, True), eps)]


@converts("rms_norm", "_fused_rms_norm", bounded=True)
def rms_norm(
    b: Call, input: SSAValue, normalized_shape: Sequence[int], weight: SSAValue | None, eps: float | None
) -> Results:
    """`x / sqrt(mean(x^2) + eps) * weight` over the last dims, those of `normalized_shape`; perhaps the inverse root,
    too. `eps` is by default the spacing of floats at 1."""
    x = b.widened(input)
    axis = len(shape_of(x)) - len(normalized_shape)
    scale = b.splat(1, shape_of(x)[axis:], element_of(x)) if weight is None else b.cast(weight, element_of(x))
    epsilon = eps if eps is not None else 1.1920928955078125e-07 if element_of(x) == f32 else 2.220446049250313e-16
    found = b(graph.RmsNormOp, x, scale, axis, epsilon)
    if len(b.op.results) == 1 or not b.wants(1):
        return [found]
    return [found, inverse_root(b, mean_square(b, x, range(axis, len(shape_of(x))), True), epsilon)]


@converts("_native_batch_norm_legit_no_training", "native_batch_norm", "_native_batch_norm_legit",
          "_native_batch_norm_legit.no_stats", "_native_batch_norm_legit_functional", bounded=True)  # fmt: skip
def batch_norm(
    b: Call, input: SSAValue, weight: SSAValue | None, bias: SSAValue | None, eps: float, momentum: float,
    running_mean: SSAValue | None = None, running_var: SSAValue | None = None, training: bool = False,
) -> Results:  # fmt: skip
    """One statistic per channel: given, or in training that of the batch, with new running ones."""
    x, channels = input, shape_of(input)[1]
    element = computing_type(element_of(x))
    name = b.before.name
    training = training or name.endswith("no_stats")

    def given(value: SSAValue | None, default: float) -> SSAValue:
        return b.splat(default, (channels,), element) if value is None else b.cast(value, element)

    scale, shift = given(weight, 1), given(bias, 0)
    x = b.cast(x, element)
    if not training:
        found = b(graph.BatchNormOp, x, scale, shift, given(running_mean, 0), given(running_var, 1), 1, eps)
        empty = [b.splat(0, b.shape(i), b.element(i)) if b.shape(i) == (0,) else None for i in (1, 2)]
        return [found, *empty]
    require_fixed(b, x, "what statistics are computed of")
    axes = [a for a in range(len(shape_of(x))) if a != 1]
    count = prod(shape_of(x)[a] for a in axes)
    mean, apart = mean_and_differences(b, x, axes)
    mean, variance = b.reshape(mean, (channels,)), mean_square(b, apart, axes)
    found = b(graph.BatchNormOp, x, scale, shift, mean, variance, 1, eps)
    results: list[SSAValue | None] = [found, mean, inverse_root(b, variance, eps)]
    if name.endswith("functional"):
        unbiased = b.scaled(variance, count / max(count - 1, 1))
        for old, new in ((running_mean, mean), (running_var, unbiased)):
            assert old is not None
            results.append(b.add(b.scaled(old, 1 - momentum), b.scaled(b.cast(new, element_of(old)), momentum)))
    return results


@converts("native_group_norm", "group_norm", bounded=True)
def group_norm(
    b: Call, input: SSAValue, weight: SSAValue | None, bias: SSAValue | None, eps: float, group: int | None = None,
    num_groups: int | None = None,
) -> Results:  # fmt: skip
    """Each group of channels of [N, C, ...] with mean 0 and variance 1, then scaled and shifted per channel; perhaps
    the mean and the inverse deviation of each group, [N, groups], too."""
    x = b.widened(input)
    groups, channels = group or num_groups or 1, shape_of(x)[1]
    scale = b.splat(1, (channels,), element_of(x)) if weight is None else b.cast(weight, element_of(x))
    shift = b.splat(0, (channels,), element_of(x)) if bias is None else b.cast(bias, element_of(x))
    found = b(graph.GroupNormOp, x, scale, shift, groups, 1, eps)
    if len(b.op.results) == 1 or not (b.wants(1) or b.wants(2)):
        return [found]
    rows = b.reshape(x, (shape_of(x)[0], groups, prod(shape_of(x)[1:]) // groups))
    mean, apart = mean_and_differences(b, rows, [2])
    return [found, b.reshape(mean, b.shape(1)), inverse_root(b, mean_square(b, apart, [2]), eps)]


@converts("_weight_norm_interface_backward")
def weight_norm_gradient(
    b: Call, grad_w: SSAValue, saved_v: SSAValue, saved_g: SSAValue, saved_norms: SSAValue, dim: int
) -> Results:
    """Of `g v / |v|`, with a norm for each slice along a dim."""
    gradient, v, g, norm = (b.widened(x) for x in (grad_w, saved_v, saved_g, saved_norms))
    rank = len(shape_of(v))
    kept = [extent if axis == dim % rank else 1 for axis, extent in enumerate(shape_of(v))]
    g, norm = b.reshape(g, kept), b.reshape(norm, kept)
    along = b.div(b.reduce("sum", b.mul(gradient, v), [a for a in range(rank) if a != dim % rank], True), norm)
    of_v = b.mul(b.div(g, norm), b.sub(gradient, b.mul(v, b.div(along, norm))))
    return [of_v, b.reshape(along, b.shape(1))]
