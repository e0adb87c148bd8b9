"""The pass `hoist-padding`."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConvOp, GraphOp, MaxPoolOp, PadOp, PoolOp, TransposeOp
from mlc.dialects.graph.types import element_of, ints, is_static, shape_of
from mlc.dialects.graph.windows import image_padding, spatial_dims, zeros
from mlc.pass_manager.base import Pass
from mlc.passes.graph._short_factors import is_depthwise
from mlc.support.context import CompilerContext
from mlc.support.dtypes import least_of, to_numpy

_LONG_ROW = 28
"""The least extent of rows whose ends cost a product next to nothing: its tiles have 14 pixels at most."""


@dataclass(frozen=True)
class HoistPaddingPass(Pass):
    """Let the op before a convolution or a pool make the padded image.

    ```mlir
    %0 = graph.conv2d %x, %v {layout = "NHWC"} : tensor<1x10x10x4xf32>, ... -> tensor<1x8x8x4xf32>
    %1 = graph.conv2d %0, %w {padding = array<i64: 1, 1, 1, 1>, layout = "NHWC"} : ...
    // after
    %0 = graph.conv2d %x, %v {layout = "NHWC"} : tensor<1x10x10x4xf32>, ... -> tensor<1x8x8x4xf32>
    %2 = graph.pad %0 low [0, 1, 1, 0] high [0, 1, 1, 0] with 0.0 : f32 : ...
    %1 = graph.conv2d %2, %w {layout = "NHWC"} : ...
    ```

    `fuse` puts the pad after the ops that compute the image, and these store inside the larger buffer, where the
    convolution would have to copy the image into such a buffer first. It leaves alone images that others read too, and
    those that no window slides over to compute: arguments have to be copied by somebody, and what is computed pixel by
    pixel (a 1 x 1 convolution) runs faster over all pixels in a row (`collapse-dims`) than the copy costs. A transpose,
    such as that of an image whose channels come first, is a copy, and makes another one needless. A depthwise
    convolution of bytes is the exception where rows are long: it has no copy, but loops of their own for each border,
    and these cost more to compile than the ends of rows cost the product. The average of a pool counts its padding in
    ways of its own, and keeps it.
    """

    name = "hoist-padding"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in module.walk():
            if isinstance(op, ConvOp | MaxPoolOp) and any(ints(op.padding)):
                reason = _why_not(op)
                ctx.remark(op, f"padding {'hoisted' if reason is None else f'not hoisted: {reason}'}")
                if reason is None:
                    _hoist(op)


def _why_not(op: ConvOp | MaxPoolOp) -> str | None:
    """Why the padded image is not better made by the op in front; None if it is."""
    if not op.input.has_one_use():
        return "others read the image too"
    if not is_static(op.input.type):
        return "the shape is not known"
    if _stores_border(op.input, op):
        return None
    return "no convolution with a window, pool or transpose computes the image"


def _stores_border(image: SSAValue, reader: GraphOp) -> bool:
    """Whether what makes an image, up to elementwise ops, may store it padded: a convolution, a pool or a transpose."""
    shape = shape_of(image)
    pending = [image]
    while pending:
        value = pending.pop()
        producer = value.owner
        if not isinstance(producer, GraphOp) or producer.parent is not reader.parent or not value.has_one_use():
            continue
        if isinstance(producer, ConvOp):
            if max(*producer.window.kernel, *producer.window.strides) > 1 or _copies_loops_for_borders(reader):
                return True
        elif isinstance(producer, PoolOp | TransposeOp):
            return True
        elif producer.MAPS:
            pending += [operand for operand in producer.operands if shape_of(operand) == shape]
    return False


def _copies_loops_for_borders(reader: GraphOp) -> bool:
    """Whether a reader has loops of its own for each border of an image with long rows: the taps are written out."""
    if not isinstance(reader, ConvOp) or not is_depthwise(reader) or to_numpy(element_of(reader.input)).itemsize > 1:
        return False
    return shape_of(reader.input)[spatial_dims(reader.layout.data)[-1]] >= _LONG_ROW


def _hoist(op: ConvOp | MaxPoolOp) -> None:
    low, high = image_padding(op.layout.data, ints(op.padding))
    pad = PadOp(op.input, low, high, 0 if isinstance(op, ConvOp) else least_of(element_of(op.input)))
    if isinstance(maker := op.input.owner, GraphOp):
        pad.location = maker.location  # what makes the image computes the border, too
    pad.result.name_hint = op.input.name_hint
    Rewriter.insert_op(pad, InsertPoint.before(op))
    op.operands[0] = pad.result
    op.properties["padding"] = zeros(2 * op.SPATIAL)
