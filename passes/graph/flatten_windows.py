"""The pass `flatten-windows`."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConvOp, ReshapeOp
from mlc.dialects.graph.types import element_of, is_static, shape_of
from mlc.dialects.graph.windows import has_channels_last
from mlc.dialects.loop.dot import SHORT_TYPES, per_word
from mlc.pass_manager.base import Pass
from mlc.support.context import CompilerContext
from mlc.targets.machine import Machine, resolve_target


@dataclass(frozen=True)
class FlattenWindowsPass(Pass):
    """Let a row of a window over few channels be one dim, where products of matrices add it up.

    ```mlir
    %y = graph.conv2d %x, %w {layout = "NHWC", strides = array<i64: 2, 2>}
        : tensor<1x230x230x4xui8>, tensor<7x7x4x64xi8> -> tensor<1x112x112x64xi32>
    // after, where %u and %v are %x and %w as tensor<1x230x920x1xui8> and tensor<7x28x1x64xi8>
    %y = graph.conv2d %u, %v {layout = "NHWC", strides = array<i64: 2, 8>} : …
    ```

    The channels of neighbouring pixels follow each other in memory: a row of the window is a run of numbers, and moving
    it by a pixel moves it by as many numbers as there are channels. A product of matrices takes as long for one word
    along the reduction as for those that fill a register, so that fewer channels are worth it. Nothing else gains.
    """

    name = "flatten-windows"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        convolutions = [op for op in module.walk() if isinstance(op, ConvOp) and element_of(op.input) in SHORT_TYPES]
        machine = resolve_target(ctx.target) if convolutions else None
        for op in convolutions:
            if machine is not None and _gains(op, machine):
                _flatten(op)
                ctx.remark(op, "rows of its window are one dim, for they have few channels")


def _gains(op: ConvOp, machine: Machine) -> bool:
    """Whether the channels of a pixel fill no register, and those beside it follow in memory, with it in a window."""
    kinds = element_of(op.input), element_of(op.weights)
    registers, window = machine.matrix_registers, op.window
    if registers is None or machine.matrix_instruction(*map(str, kinds)) is None:
        return False
    if not has_channels_last(op.layout.data) or op.groups.value.data != 1 or not is_static(op.input.type):
        return False
    channels, together = shape_of(op.input)[-1], per_word(kinds[0])
    fills = channels >= registers.words * together
    return window.kernel[-1] > 1 and window.dilations[-1] == 1 and channels % together == 0 and not fills


def _flatten(op: ConvOp) -> None:
    """The pixels of a row become numbers, each a channel of its own."""
    image, weights = shape_of(op.input), shape_of(op.weights)
    channels, spatial, window = image[-1], op.SPATIAL, op.window
    flat_image = ReshapeOp(op.input, (*image[:-2], prod(image[-2:]), 1))
    kernel = weights[:spatial]
    flat_weights = ReshapeOp(op.weights, (*kernel[:-1], kernel[-1] * channels, 1, weights[-1]))
    options = op.options
    padding = list(window.padding)
    for last in (spatial - 1, 2 * spatial - 1):
        padding[last] *= channels
    options["padding"] = tuple(padding)
    options["strides"] = (*window.strides[:-1], window.strides[-1] * channels)
    new = op.__class__(flat_image.result, flat_weights.result, **options, element=element_of(op.result))
    for each, hint in ((flat_image, op.input.name_hint), (flat_weights, op.weights.name_hint)):
        each.result.name_hint = hint
    for each in (flat_image, flat_weights, new):
        each.location = op.location
        Rewriter.insert_op(each, InsertPoint.before(op))
    new.result.name_hint = op.result.name_hint
    op.result.replace_all_uses_with(new.result)
    Rewriter.erase_op(op)
