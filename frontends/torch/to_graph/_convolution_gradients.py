"""Gradients of convolutions, as convolutions."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.images import slide, surround
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._products import plain_convolution, transposed_convolution
from mlc.frontends.torch.to_graph._windows import per_dim


@converts("convolution_backward")
def convolution_backward(
    b: Call, grad_output: SSAValue, input: SSAValue, weight: SSAValue, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], transposed: bool, groups: int, output_mask: Sequence[bool],
) -> Results:  # fmt: skip
    """Gradients of the input, of the weights and of the bias, as far as the mask asks for them."""
    spatial = len(shape_of(weight)) - 2
    stride, padding, dilation = (per_dim(v, spatial) for v in (stride, padding, dilation))
    results: list[SSAValue | None] = [None, None, None]
    if output_mask[0] and b.wants(0):
        back = _of_transposed_input if transposed else _of_input
        is_empty = not prod(shape_of(grad_output)) or not prod(b.shape(0))
        results[0] = _zeros(b, 0) if is_empty else back(b, grad_output, weight, stride, padding, dilation, groups)
    if output_mask[1] and b.wants(1):
        image, pixels = (grad_output, input) if transposed else (input, grad_output)
        is_empty = not prod(shape_of(grad_output)) or not prod(shape_of(input))
        results[1] = _zeros(b, 1) if is_empty else _of_weights(b, image, pixels, stride, padding, dilation, groups)
    if output_mask[2] and b.wants(2):
        axes = [a for a in range(len(shape_of(grad_output))) if a != 1]
        results[2] = b.reduce("sum", b.widened(grad_output), axes)
    return results


def _zeros(b: Call, index: int) -> SSAValue:
    return b.splat(0, b.shape(index), b.element(index))


def _of_input(
    b: Call, gradient: SSAValue, weight: SSAValue, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int,
) -> SSAValue:  # fmt: skip
    """The transposed convolution, which reaches as far as the image; windows may have left out its end."""
    reached = [
        (e - 1) * s + (k - 1) * d + 1 - 2 * p
        for e, s, k, d, p in zip(
            shape_of(gradient)[2:], stride, shape_of(weight)[2:], dilation, padding, strict=True
        )
    ]  # fmt: skip
    rest = [extent - n for extent, n in zip(b.shape(0)[2:], reached, strict=True)]
    return transposed_convolution(b, gradient, weight, stride, padding, dilation, rest, groups)


def _of_transposed_input(
    b: Call, gradient: SSAValue, weight: SSAValue, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int,
) -> SSAValue:  # fmt: skip
    """The convolution, less the pixels that lie in what the output was padded by."""
    found = plain_convolution(b, gradient, weight, stride, padding, dilation, groups)
    for i, extent in enumerate(b.shape(0)[2:]):
        found = b.slice(found, 2 + i, 0, extent)
    return found


def _of_weights(
    b: Call, image: SSAValue, pixels: SSAValue, stride: Sequence[int], padding: Sequence[int],
    dilation: Sequence[int], groups: int,
) -> SSAValue:  # fmt: skip
    """The convolution of images by gradients, in which batch and channels change places, and strides and dilations.

    Tap `k` of channel `c` for output `o` is the sum over the batch and all pixels `y` of
    `pixels[n, o, y] * image[n, c, y * stride + k * dilation - padding]`.
    """
    kernel = b.shape(1)[2:]
    spatial = len(kernel)
    batch, channels, *extents = shape_of(image)
    outputs, *positions = shape_of(pixels)[1:]
    spans = [(n - 1) * s + 1 for n, s in zip(positions, stride, strict=True)]
    high = [
        (k - 1) * d + span - extent - p
        for k, d, span, extent, p in zip(kernel, dilation, spans, extents, padding, strict=True)
    ]
    for i, n in enumerate(high):
        image = b.slice(image, 2 + i, 0, extents[i] + min(n, 0))
    low, high = list(padding), [max(n, 0) for n in high]
    if any(n >= span for n, span in zip((*low, *high), (*spans, *spans), strict=True)):
        image, low, high = surround(b, image, low, high, 0), [0] * spatial, [0] * spatial
    inner = shape_of(image)[2:]
    apart = b.reshape(image, (batch, groups, channels // groups, *inner))
    swapped = b.transpose(apart, [2, 1, 0, *range(3, 3 + spatial)])
    images = b.reshape(swapped, (channels // groups, groups * batch, *inner))
    taps = b.transpose(pixels, [1, 0, *range(2, 2 + spatial)])
    found = slide(
        b, graph.ConvOp, (images, taps), strides=tuple(dilation), padding=(*low, *high), dilations=tuple(stride),
        groups=groups,
    )  # fmt: skip
    assert shape_of(found)[:2] == (channels // groups, outputs), element_of(found)
    return b.transpose(found, [1, 0, *range(2, 2 + spatial)])
