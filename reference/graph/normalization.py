"""Normalisations, in the precision of the input."""

from __future__ import annotations

import numpy as np

from mlc.dialects.graph.normalization import BatchNormOp, GroupNormOp, LayerNormOp, RmsNormOp, SoftmaxOp
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import exp, mean, total


@evaluates(SoftmaxOp)
def softmax(op: SoftmaxOp, x: Array) -> Array:
    """Shifted by the maximum, so that no exponential overflows."""
    axis = op.axis.value.data
    e = exp(x - x.max(axis, keepdims=True))
    return e / total(e, (axis,), keepdims=True)


@evaluates(LayerNormOp)
def layer_norm(op: LayerNormOp, x: Array, scale: Array, bias: Array) -> Array:
    """Statistics over all axes from `axis` on; the variance is that of the population."""
    axes = tuple(range(op.axis.value.data, x.ndim))
    centred = x - mean(x, axes, keepdims=True)
    variance = mean(centred * centred, axes, keepdims=True)
    return centred / np.sqrt(variance + x.dtype.type(op.epsilon.value.data)) * scale + bias


@evaluates(RmsNormOp)
def rms_norm(op: RmsNormOp, x: Array, scale: Array) -> Array:
    """The mean of squares over all axes from `axis` on."""
    axes = tuple(range(op.axis.value.data, x.ndim))
    squares = mean(x * x, axes, keepdims=True)
    return x / np.sqrt(squares + x.dtype.type(op.epsilon.value.data)) * scale


@evaluates(GroupNormOp)
def group_norm(op: GroupNormOp, x: Array, scale: Array, bias: Array) -> Array:
    """Statistics over the channels of a group and over all axes but that of images."""
    axis, groups = op.axis.value.data, op.groups.value.data
    first = np.moveaxis(x, axis, 1)
    grouped = np.reshape(first, (len(x), groups, -1))
    centred = grouped - mean(grouped, (2,), keepdims=True)
    variance = mean(centred * centred, (2,), keepdims=True)
    normal = np.reshape(centred / np.sqrt(variance + x.dtype.type(op.epsilon.value.data)), first.shape)
    per_channel = (-1, *(1 for _ in first.shape[2:]))
    return np.moveaxis(normal * np.reshape(scale, per_channel) + np.reshape(bias, per_channel), 1, axis)


@evaluates(BatchNormOp)
def batch_norm(op: BatchNormOp, x: Array, scale: Array, bias: Array, average: Array, variance: Array) -> Array:
    """Each parameter holds one number per channel."""
    shape = [1] * x.ndim
    shape[op.axis.value.data] = -1
    scale, bias, average, variance = (np.reshape(p, shape) for p in (scale, bias, average, variance))
    return (x - average) / np.sqrt(variance + x.dtype.type(op.epsilon.value.data)) * scale + bias
