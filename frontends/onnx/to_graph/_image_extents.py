"""Extents that fit the open dims of images: what is proposed to the person who has to bind them.

An image of one pixel fits no network with strides. Exporters note the size for which a model was trained (`imgsz` of
Ultralytics); without that it is a multiple of what convolutions and poolings divide it by.
"""

from __future__ import annotations

import re

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX, StringAttr, TensorType
from xdsl.ir import BlockArgument, Operation, SSAValue

from mlc.dialects.onnx.nodes import plain_value
from mlc.support.functions import IMAGE_SIZE
from mlc.support.types import tensor_type

_LEAST = 224
_MOST_STRIDE = 1 << 10
_COLOURS = (1, 3, 4)
_WINDOWS = ("onnx.Conv", "onnx.MaxPool", "onnx.AveragePool", "onnx.LpPool")
_ENLARGING = ("onnx.Resize", "onnx.Upsample", "onnx.ConvTranspose")
_ENDS = ("onnx.Shape", "onnx.Reshape", "onnx.Flatten", "onnx.Gemm", "onnx.MatMul", "onnx.Gather", "onnx.Squeeze")
"""After these, dims are no longer those of an image."""


def image_extents(function: func.FuncOp) -> dict[tuple[int, int], int]:
    """For open dims of images an extent that fits, by the number of the argument and of the dim."""
    noted = function.attributes.get(IMAGE_SIZE)
    sizes = [int(n) for n in re.findall(r"\d+", noted.data)] if isinstance(noted, StringAttr) else []
    found: dict[tuple[int, int], int] = {}
    for argument, stride in _strides(function).items():
        shape = tensor_type(argument).get_shape() if isinstance(argument.type, TensorType) else ()
        axes = _axes_of_image(shape)
        fitting = [-(-_LEAST // stride) * stride] * len(axes)
        if sizes and len(sizes) in (1, len(axes)) and all(sizes):
            fitting = sizes * (len(axes) // len(sizes))
        for axis, extent in zip(axes, fitting, strict=True):
            if shape[axis] == DYNAMIC_INDEX:
                found[argument.index, axis] = extent
    return found


def _axes_of_image(shape: tuple[int, ...]) -> range:
    """All dims but those of the batch and of colours, which come last where exporters of TensorFlow leave them."""
    last = len(shape) == 4 and shape[1] not in _COLOURS and shape[3] in _COLOURS
    return range(1, 3) if last else range(2, len(shape))


def _strides(function: func.FuncOp) -> dict[BlockArgument, int]:
    """The arguments that convolutions see as images, and by what their extents are divided at most."""
    inside: dict[SSAValue, tuple[BlockArgument, int]] = {each: (each, 1) for each in function.args}
    images: set[BlockArgument] = set()
    most: dict[BlockArgument, int] = {}
    for op in function.body.block.ops:
        sources = [
            inside[operand] for operand in op.operands[: 1 if op.name in _WINDOWS else None] if operand in inside
        ]
        if not sources or op.name in _ENDS:
            continue
        argument, stride = max(sources, key=lambda each: each[1])
        if op.name == "onnx.Conv":
            images.add(argument)
        if op.name in _WINDOWS:
            stride = min(stride * max(_strides_of(op), default=1), _MOST_STRIDE)
        elif op.name in _ENLARGING:
            stride = max(stride // 2, 1)  # nearly all of them double
        most[argument] = max(most.get(argument, 1), stride)
        inside |= dict.fromkeys(op.results, (argument, stride))
    return {each: most[each] for each in function.args if each in images}


def _strides_of(op: Operation) -> list[int]:
    given = op.attributes.get("strides")
    return [] if given is None else [int(n) for n in plain_value(given)]
