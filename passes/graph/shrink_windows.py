"""The pass `shrink-windows`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConvOp
from mlc.dialects.graph.constant import constant_of
from mlc.dialects.graph.types import element_of, is_static, shape_of, tensor
from mlc.dialects.graph.windows import Window, has_channels_last, spatial_dims
from mlc.pass_manager.base import Pass
from mlc.passes.graph._constants import constant_array, constant_from
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class ShrinkWindowsPass(Pass):
    """Leave out the taps of a convolution that meet padding wherever its window stands.

    ```mlir
    %y = graph.conv2d %x, %w {padding = array<i64: 24, 24, 24, 24>, dilations = array<i64: 24, 24>}
        : tensor<1x2x14x14xf32>, tensor<3x2x3x3xf32> -> tensor<1x3x14x14xf32>
    // after
    %y = graph.conv2d %x, %middle : tensor<1x2x14x14xf32>, tensor<3x2x1x1xf32> -> tensor<1x3x14x14xf32>
    ```

    Dilated windows on small images have such taps, and all windows on a single pixel. Only the first and the last ones
    of a dimension can be left out, and only of weights that are constants, and finite: an infinite one makes NaN of the
    padding that it meets.
    """

    name = "shrink-windows"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, ConvOp) and (taps := _useful_taps(op)) is not None:
                _shrink(op, *taps, ctx)


def _useful_taps(op: ConvOp) -> tuple[list[slice], Window] | None:
    """The taps that meet pixels, and the window that is left; None if that is all of them, or is not known."""
    window = op.window
    if not (is_static(op.input.type) and is_static(op.weights.type)):
        return None
    spatial = len(window.kernel)
    taps: list[slice] = []
    padding = list(window.padding)
    for i, axis in enumerate(spatial_dims(op.layout.data)):
        extent, last_position = shape_of(op.input)[axis], (shape_of(op.result)[axis] - 1) * window.strides[i]
        count, step, low, high = window.kernel[i], window.dilations[i], padding[i], padding[spatial + i]
        # A tap is useless if it is before the image at the last position, or after it at the first one.
        front = min(sum(last_position + tap * step < low for tap in range(count - 1)), low // step)
        back = min(sum(tap * step - low >= extent for tap in range(front + 1, count)), high // step)
        left_low, left_high = low - front * step, high - back * step
        if max(left_low, left_high) > (count - front - back - 1) * step:
            # An image may not be padded by more than the window is wide.
            front = back = 0
            left_low, left_high = low, high
        taps.append(slice(front, count - back))
        padding[i], padding[spatial + i] = left_low, left_high
    kernel = tuple(each.stop - each.start for each in taps)
    if kernel == window.kernel:
        return None
    return taps, Window(kernel, window.strides, tuple(padding), window.dilations)


def _shrink(op: ConvOp, taps: list[slice], window: Window, ctx: CompilerContext) -> None:
    constant = constant_of(op.weights)
    weights = constant_array(constant, ctx.resources) if constant is not None else None
    if weights is None or not np.isfinite(weights).all():
        ctx.remark(op, "taps that meet only padding are kept: the weights are not known to be finite")
        return
    channels = slice(None), slice(None)
    some = weights[(*taps, *channels) if has_channels_last(op.layout.data) else (*channels, *taps)]
    type = tensor(some.shape, element_of(op.weights))
    smaller = constant_from(np.ascontiguousarray(some), type, ctx.resources, op.weights.name_hint or "taps")
    options = op.options
    options["padding"] = window.padding
    conv = op.__class__(op.input, smaller.result, **options)
    ctx.remark(op, f"a window of {' x '.join(map(str, window.kernel))} taps; the others meet only padding")
    for new in (smaller, conv):
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
    conv.result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(conv.result)
    op.detach()
    op.erase()
