"""Single convolutions: all of ResNet-50, the depthwise ones of MobileNetV2, and unusual ones."""

from __future__ import annotations

from collections.abc import Iterator

from mlc.benchmarks.case import Case, function, tensor_type

_RESNET_50 = (
    # Kernel, channels in, channels out, height and width in, stride. A stage's stride is in its 3 x 3 (version 1.5).
    (7, 3, 64, 224, 2),
    (1, 64, 64, 56, 1),
    (3, 64, 64, 56, 1),
    (1, 64, 256, 56, 1),
    (1, 256, 64, 56, 1),
    (1, 256, 128, 56, 1),
    (3, 128, 128, 56, 2),
    (1, 128, 512, 28, 1),
    (1, 256, 512, 56, 2),
    (1, 512, 128, 28, 1),
    (3, 128, 128, 28, 1),
    (1, 512, 256, 28, 1),
    (3, 256, 256, 28, 2),
    (1, 256, 1024, 14, 1),
    (1, 512, 1024, 28, 2),
    (1, 1024, 256, 14, 1),
    (3, 256, 256, 14, 1),
    (1, 1024, 512, 14, 1),
    (3, 512, 512, 14, 2),
    (1, 512, 2048, 7, 1),
    (1, 1024, 2048, 14, 2),
    (1, 2048, 512, 7, 1),
    (3, 512, 512, 7, 1),
)
"""He et al., Deep Residual Learning for Image Recognition, table 1: each shape once, at batch 1 and 224 x 224."""

_MOBILENET_V2_DEPTHWISE = (
    # Channels, height and width in, stride.
    (32, 112, 1),
    (96, 112, 2),
    (144, 56, 1),
    (144, 56, 2),
    (192, 28, 1),
    (192, 28, 2),
    (384, 14, 1),
    (576, 14, 1),
    (576, 14, 2),
    (960, 7, 1),
)
"""Sandler et al., MobileNetV2, table 2: the 3 x 3 depthwise convolutions, each shape once."""


def cases() -> Iterator[Case]:
    """All of them, at batch 1, without bias."""
    for kernel, channels, out, size, stride in _RESNET_50:
        yield _conv("resnet", kernel, channels, out, size, stride)
    for channels, size, stride in _MOBILENET_V2_DEPTHWISE:
        yield _conv("depthwise", 3, channels, channels, size, stride, groups=channels)
    yield _conv("conv", 5, 64, 128, 28)
    yield _conv("dilated", 3, 256, 256, 28, dilation=2)
    yield _conv("grouped", 3, 256, 256, 28, groups=32)
    yield _conv("odd", 3, 37, 53, 13)


def _conv(
    family: str, kernel: int, channels: int, out: int, size: int, stride: int = 1, *, dilation: int = 1, groups: int = 1
) -> Case:
    """A square convolution, padded so that stride 1 keeps the size of the image."""
    reach = dilation * (kernel - 1)
    pad = reach // 2
    result = (size + 2 * pad - reach - 1) // stride + 1
    x, w, y = (1, size, size, channels), (kernel, kernel, channels // groups, out), (1, result, result, out)
    attributes = [
        'layout = "NHWC"',
        f"padding = array<i64: {pad}, {pad}, {pad}, {pad}>",
        f"strides = array<i64: {stride}, {stride}>",
        f"dilations = array<i64: {dilation}, {dilation}>",
        f"groups = {groups} : i64",
    ]
    types = f"{tensor_type(x)}, {tensor_type(w)} -> {tensor_type(y)}"
    depthwise = groups == channels
    shape = f"{channels}" if depthwise else f"{channels}-{out}"
    return Case(
        name=f"{family}-{kernel}x{kernel}-{shape}-{size}x{size}" + (f"-s{stride}" if stride > 1 else ""),
        kind="bandwidth" if depthwise else "compute",
        text=function({"x": x}, {"w": w}, y, f"%y = graph.conv2d %x, %w {{{', '.join(attributes)}}} : {types}"),
        onnx=f"y = Conv <pads = [{pad}, {pad}, {pad}, {pad}], strides = [{stride}, {stride}], "
        f"dilations = [{dilation}, {dilation}], group = {groups}> (x, w)",
        inputs={"x": x},
        weights={"w": w},
        output=y,
        flops=2 * result * result * out * kernel * kernel * (channels // groups),
        channels_last=True,
    )
